package sms

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user"
)

// An attempt goes on for sliceTime, a page of recipients after the other; the next one goes on for it.
const (
	sliceTime = 15 * time.Second
	pageSize  = 25
)

// throttledFor is how long to wait when the service takes no more for now, but has taken some.
const throttledFor = 5 * time.Second

// sending is one attempt.
type sending struct {
	*Doer
	work  action.Work
	text  string
	fresh int       // messages that this attempt has sent
	until time.Time // when the attempt is to end
}

// one sends to one number.
func (s *sending) one(ctx context.Context, text string) (action.Result, error) {
	number, err := s.Phones(text)
	if err != nil {
		return action.Result{}, errs.Invalid("recipient.phone: %s", errs.Message(err))
	}
	done, wait, err := s.send(ctx, number, true)
	switch {
	case err != nil:
		return action.Result{}, err
	case wait > 0:
		return action.Result{Unfinished: true, After: wait}, nil
	case done.Limited > 0:
		return action.Result{}, action.Permanent(overLimit, "the number has got %d messages in 24 hours", perDay)
	}
	return progress{counts: done}.end()
}

// all sends to users, page after page.
func (s *sending) all(ctx context.Context, to trigger.Recipient) (action.Result, error) {
	p, err := action.Continue[progress](s.work)
	if err != nil {
		return action.Result{}, err
	}

	recipients := &action.Recipients{Users: s.Users}
	for s.until = s.Clock.Now().Add(sliceTime); ; {
		some := page.Request{Limit: pageSize, After: p.After}
		users, next, err := recipients.Find(ctx, s.work, to, "id", some)
		if err != nil {
			return action.Result{}, err
		}

		done, wait, err := s.page(ctx, users)
		if err != nil || wait > 0 {
			return s.stop(p, wait, err)
		}
		p.add(done)
		if p.After = next; next == "" {
			return p.end()
		}
		if s.late() {
			return s.stop(p, goOn, nil)
		}
	}
}

// goOn is how long to wait where there is nothing to wait for.
const goOn = time.Millisecond

// late reports whether the attempt is to end.
func (s *sending) late() bool { return !s.Clock.Now().Before(s.until) }

// stop ends the attempt before a page that is not done: the next one does the whole page, and finds what was sent.
func (s *sending) stop(p progress, wait time.Duration, err error) (action.Result, error) {
	r, bad := p.result()
	if bad != nil {
		return r, bad
	}
	if errs.Is(err, errs.KindTooMany) && s.fresh > 0 {
		err, wait = nil, throttledFor
	}
	r.Unfinished, r.After = err == nil, wait
	return r, err
}

// page sends to some users. wait says that numbers among them must be left alone for so long; the others are done.
func (s *sending) page(ctx context.Context, users []user.Profile) (done counts, wait time.Duration, err error) {
	for _, profile := range users {
		// A slow service must not keep the attempt from its end; but one that has sent nothing would not get on.
		if s.fresh > 0 && s.late() {
			return done, goOn, nil
		}
		id, _ := profile["id"].(int64)
		account, err := s.Accounts.Account(ctx, s.work.Run.Scope, user.ID(id))
		if err != nil {
			return done, 0, fmt.Errorf("account of user %d: %w", id, err)
		}
		number, bad := s.Phones(account.Phone)
		if account.Phone == "" || bad != nil {
			done.WithoutPhone++
			continue
		}

		one, later, err := s.send(ctx, number, false)
		if errs.Is(err, errs.KindInvalid) || errs.Is(err, errs.KindForbidden) {
			one, err = counts{Refused: 1, Why: errs.Message(err)}, nil
		}
		if err != nil {
			return done, 0, err
		}
		done.add(one)
		wait = max(wait, later)
	}
	return done, wait, nil
}

// send sends to one number, unless it has the message, or must be left alone for a while. alone says that the run sends
// no other message: then its end says that this one was sent.
func (s *sending) send(ctx context.Context, number string, alone bool) (done counts, wait time.Duration, err error) {
	scope, claim := s.work.Run.Scope, s.work.NewClaim(number)
	limited := func(sent []time.Time) time.Duration { return Limit(sent, s.Clock.Now()) }
	state, wait, err := s.Claims.ClaimNumber(ctx, scope, claim, limited)
	switch {
	case err != nil:
		return done, 0, err
	case wait > perMinute:
		return counts{Limited: 1}, 0, nil
	case wait > 0:
		return done, wait, nil
	}

	if state == action.Claimed {
		state, err = action.Deliver(ctx, s.Claims, scope, claim, func(ctx context.Context) error {
			return s.Sender.Send(ctx, number, s.text)
		})
		if err != nil {
			return done, 0, err
		}
		if state == action.Claimed {
			s.fresh++
			state = action.WasSent
			if !alone {
				// Without this note the next attempt takes the message for one of which nobody knows.
				err = s.Claims.Sent(ctx, scope, claim)
			}
		}
	}
	if state == action.Unknown {
		return counts{Unknown: 1}, 0, err
	}
	return counts{Sent: 1}, 0, err
}
