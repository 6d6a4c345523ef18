package message

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// tokenSoon is how long to wait while another instance is asking for the access token.
const tokenSoon = time.Second

// maxFormIDs is how many form ids are tried for one user: a vendor that knows none of them should not be asked for all
// that a user has ever made up.
const maxFormIDs = 5

// sending is one attempt.
type sending struct {
	*Doer
	action.Many
	account  *templatemessage.Account
	settings *trigger.TemplateMessageSettings // rendered
}

// all sends to the recipients, page after page. The next attempt goes on behind the last user who is done.
func (s *sending) all(ctx context.Context) (action.Result, error) {
	p, err := action.Continue[progress](s.Work)
	if err != nil {
		return action.Result{}, err
	}
	room := func(most int) (int, time.Duration) { return p.room(s.settings.Pace, most, s.Doer.Clock.Now()) }
	send := func(users []user.Profile) (time.Duration, error) { return s.page(ctx, &p, users) }
	done, wait, err := s.Pages(ctx, s.settings.Recipient, "", &p.After, room, send)
	switch {
	case done:
		return p.end()
	case errs.Is(err, errs.KindConflict):
		wait, err = tokenSoon, nil
	}
	return s.Stop(p, p.counts, wait, err)
}

// page sends to some users, those behind the last one who is done. wait says that not all are.
func (s *sending) page(ctx context.Context, p *progress, users []user.Profile) (wait time.Duration, err error) {
	held, err := s.held(ctx, users)
	if err != nil {
		return 0, err
	}
	round := s.Work.NewClaim("").Round

	for _, profile := range users {
		// An attempt before may have ended in the middle of this page.
		key := keyOf(profile)
		if key <= p.Done {
			continue
		}
		if late := s.Late(); late > 0 {
			return late, nil
		}

		fresh := s.Sent
		before, known := held[key]
		var one counts
		switch {
		case known && before.State == action.WasSent && s.inPace(before.SentAt):
			p.InWindow++
			fallthrough
		case known && (before.State == action.WasSent || before.Round >= round):
			one = counted(before.State)
		default:
			if one, err = s.one(ctx, profile); err != nil {
				return 0, err
			}
		}
		p.InWindow += s.Sent - fresh
		p.add(one)
		p.Done = key
	}
	return 0, nil
}

// held returns what is known of messages to these users. In a first attempt that is nothing.
func (s *sending) held(ctx context.Context, users []user.Profile) (map[string]Held, error) {
	first := s.Work.Attempt == 1 && s.Work.State == nil && len(s.Work.Run.Attempts) == 0
	if first || len(users) == 0 {
		return nil, nil
	}
	// The users are sorted by ID, and so are their keys.
	from, to := keyOf(users[0]), keyOf(users[len(users)-1])
	held, err := s.Claims.Held(ctx, s.Work.Run.Scope, s.Work.Run.ID, from, to)
	if err != nil {
		return nil, fmt.Errorf("messages that were claimed: %w", err)
	}
	return held, nil
}

// inPace reports whether a message that was sent before this attempt was sent so recently that the pace counts it.
func (s *sending) inPace(at time.Time) bool {
	pace := s.settings.Pace
	return pace != nil && s.Doer.Clock.Now().Sub(at) < time.Duration(pace.Minutes)*time.Minute
}

func userOf(profile user.Profile) user.ID {
	n, _ := profile["id"].(int64)
	return user.ID(n)
}

// keyOf names a user in claims: keys sort as ids do.
func keyOf(profile user.Profile) string { return id.ID(userOf(profile)).Key() }

// counted is what a message counts as that is not sent now.
func counted(state action.ClaimState) counts {
	if state == action.WasSent {
		return counts{Sent: 1}
	}
	return counts{Unknown: 1}
}

// one sends to one user, when there is a form id for it or none is needed.
func (s *sending) one(ctx context.Context, profile user.Profile) (counts, error) {
	person := personAt(profile, messaging.Vendor(s.settings.Vendor))
	if person == "" {
		return counts{Skipped: 1}, nil
	}
	send := func(ctx context.Context) error { return s.subscribed(ctx, userOf(profile), person) }
	if s.settings.FormIDSource != trigger.Subscription {
		forms, err := s.forms(ctx, userOf(profile))
		if err != nil {
			return counts{}, err
		}
		if len(forms) == 0 {
			return counts{Skipped: 1}, nil
		}
		send = func(ctx context.Context) error { return s.spend(ctx, forms, person) }
	}

	scope, claim := s.Work.Run.Scope, s.Work.NewClaim(keyOf(profile))
	state, err := action.Once(ctx, s.Claims, scope, claim, send)
	refusal, _ := errors.AsType[*templatemessage.Refusal](err)
	switch {
	case errors.Is(err, errNoForm):
		return counts{Skipped: 1}, nil
	case refusal != nil && refusal.Verdict == templatemessage.BadUser:
		return counts{Failed: 1, Why: errs.Message(err)}, nil
	case err != nil:
		return counts{}, err
	case state != action.Claimed:
		return counted(state), nil
	}

	s.Sent++
	// Without this note the next attempt counts the message as Unknown.
	return counts{Sent: 1}, s.Claims.Sent(ctx, scope, claim)
}

// forms are the form ids that are tried for a user.
func (s *sending) forms(ctx context.Context, u user.ID) ([]consent.FormID, error) {
	vendor := messaging.Vendor(s.settings.Vendor)
	forms, err := s.FormIDs.Usable(ctx, s.Work.Run.Scope, u, vendor, s.settings.FormIDSource, s.Work.Run.ID)
	if err != nil {
		return nil, fmt.Errorf("form ids of user %d: %w", u, err)
	}
	return forms[:min(len(forms), maxFormIDs)], nil
}

// errNoForm says that the vendor takes none of a user's form ids, or that others have spent them.
var errNoForm = errs.Invalid("there is no form id that can be used")

// spend sends with the first form id that the vendor takes. An errs.Error says that nothing was sent, and that no form
// id was spent on it. The run's id is who spends, so that a run which comes back spends the same one.
func (s *sending) spend(ctx context.Context, forms []consent.FormID, person string) error {
	scope, name, store := s.Work.Run.Scope, s.Work.Run.ID, s.FormIDs.Store
	for _, form := range forms {
		err := store.Spend(ctx, scope, form, name, s.Doer.Clock.Now())
		if errs.Is(err, errs.KindConflict) {
			continue
		}
		if err != nil {
			return action.Unsent(err)
		}

		err = s.account.Send(ctx, s.message(person, form.ID))
		if err == nil || errs.Is(err, errs.KindInternal) {
			return err
		}
		if refusal, ok := errors.AsType[*templatemessage.Refusal](err); ok && refusal.Verdict == templatemessage.BadForm {
			if err := store.Void(ctx, scope, form); err != nil {
				return action.Unsent(err)
			}
			continue
		}
		return s.giveBack(ctx, form, err)
	}
	return errNoForm
}

// message is the message to a person, as the vendor identifies users.
func (s *sending) message(person, form string) templatemessage.Message {
	return templatemessage.Message{
		To: person, TemplateID: s.settings.TemplateID, FormID: form, Page: s.settings.Page, Keywords: s.settings.Keywords,
	}
}

// returnTime is how long giving a form id back may take when the attempt's own time is over.
const returnTime = 3 * time.Second

// giveBack returns what was spent on a message that was not sent, and the reason for that.
func (s *sending) giveBack(ctx context.Context, form consent.FormID, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTime)
	defer cancel()
	if err := s.FormIDs.Store.Return(ctx, s.Work.Run.Scope, form, s.Work.Run.ID); err != nil {
		return fmt.Errorf("%w; and its form id is spent: %w", why, err)
	}
	return why
}

// personAt returns the identity of a user at a vendor, "" if it is unknown. Vendors that a user has come from by a
// login of their own are in _provider; openid is that of the platform where the user was first seen.
func personAt(p user.Profile, v messaging.Vendor) string {
	providers, _ := p["_provider"].(map[string]any)
	at, _ := providers[string(v)].(map[string]any)
	for _, name := range []string{"openid", "user_id"} {
		if text, _ := at[name].(string); text != "" {
			return text
		}
	}
	text, _ := p["openid"].(string)
	return text
}
