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

// tokenWait is the wait while another instance requests the access token. A request takes a fraction of a second, in
// which the account has waited already: the other instance is slow or dead, and its lease lasts for 15 s.
const tokenWait = 5 * time.Second

// maxFormIDs is the number of form ids tried per user, so that a user with many invalid form ids does not cause many
// requests.
const maxFormIDs = 5

// sending is one attempt.
type sending struct {
	*Doer
	action.Many
	account  *templatemessage.Account
	settings *trigger.TemplateMessageSettings // rendered
}

// all sends to the recipients, page after page. The next attempt continues after the last finished user.
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
		wait, err = tokenWait, nil
	}
	return s.Stop(p, p.counts, wait, err)
}

// page sends to a page of users, after the last finished one. A positive wait means that the page is not finished.
func (s *sending) page(ctx context.Context, p *progress, users []user.Profile) (wait time.Duration, err error) {
	held, err := s.held(ctx, users)
	if err != nil {
		return 0, err
	}
	round := s.Work.NewClaim("").Round

	for _, profile := range users {
		// An earlier attempt may have ended inside this page.
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

// held returns the claimed messages to these users. A first attempt has none, and reads nothing.
func (s *sending) held(ctx context.Context, users []user.Profile) (map[string]Held, error) {
	first := s.Work.Attempt == 1 && s.Work.State == nil && len(s.Work.Run.Attempts) == 0
	if first || len(users) == 0 {
		return nil, nil
	}
	// The users are sorted by id, and keys sort like ids.
	from, to := keyOf(users[0]), keyOf(users[len(users)-1])
	held, err := s.Claims.Held(ctx, s.Work.Run.Scope, s.Work.Run.ID, from, to)
	if err != nil {
		return nil, fmt.Errorf("messages that were claimed: %w", err)
	}
	return held, nil
}

// inPace reports whether a message of an earlier attempt is recent enough to count for the pace.
func (s *sending) inPace(at time.Time) bool {
	pace := s.settings.Pace
	return pace != nil && s.Doer.Clock.Now().Sub(at) < time.Duration(pace.Minutes)*time.Minute
}

func userOf(profile user.Profile) user.ID {
	n, _ := profile["id"].(int64)
	return user.ID(n)
}

// keyOf returns the key of a user in claims. Keys sort like ids.
func keyOf(profile user.Profile) string { return id.ID(userOf(profile)).Key() }

// counted returns the count of a message that this attempt does not send.
func counted(state action.ClaimState) counts {
	if state == action.WasSent {
		return counts{Sent: 1}
	}
	return counts{Unknown: 1}
}

// one sends to one user, if a form id is available or none is required.
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

	// Without a token, the claim and the form id would be written and returned in vain.
	if err := s.account.Ready(ctx); err != nil {
		return counts{}, err
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
	// Without this mark the next attempt counts the message as Unknown.
	return counts{Sent: 1}, s.Claims.Sent(ctx, scope, claim)
}

// forms returns the form ids to try for a user.
func (s *sending) forms(ctx context.Context, u user.ID) ([]consent.FormID, error) {
	vendor := messaging.Vendor(s.settings.Vendor)
	forms, err := s.FormIDs.Usable(ctx, s.Work.Run.Scope, u, vendor, s.settings.FormIDSource, s.Work.Run.ID)
	if err != nil {
		return nil, fmt.Errorf("form ids of user %d: %w", u, err)
	}
	return forms[:min(len(forms), maxFormIDs)], nil
}

// errNoForm is the error if the vendor refuses all form ids of a user, or other runs have spent them.
var errNoForm = errs.Invalid("there is no form id that can be used")

// spend sends with the first form id that the vendor accepts. An errs.Error means that nothing was sent and no form id
// was spent. The form id is spent under the run's id, so that a repeated attempt spends the same one.
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

// message returns the message to a person, the vendor's id of a user.
func (s *sending) message(person, form string) templatemessage.Message {
	return templatemessage.Message{
		To: person, TemplateID: s.settings.TemplateID, FormID: form, Page: s.settings.Page, Keywords: s.settings.Keywords,
	}
}

// returnTime is the time limit to return a form id after the attempt's own time is over.
const returnTime = 3 * time.Second

// giveBack returns the form id of a message that was not sent. It returns the reason why the message was not sent.
func (s *sending) giveBack(ctx context.Context, form consent.FormID, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), returnTime)
	defer cancel()
	if err := s.FormIDs.Store.Return(ctx, s.Work.Run.Scope, form, s.Work.Run.ID); err != nil {
		return fmt.Errorf("%w; and its form id is spent: %w", why, err)
	}
	return why
}

// personAt returns the id of a user at a vendor, "" if unknown. Vendors at which the user logged in are in _provider;
// openid is the id at the platform where the user was first seen.
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
