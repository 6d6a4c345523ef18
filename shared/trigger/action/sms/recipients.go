package sms

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user"
)

// sending is one attempt.
type sending struct {
	*Doer
	action.Many
	text   string
	budget *int
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

// all sends to a list of users, page after page.
func (s *sending) all(ctx context.Context, to trigger.Recipient) (action.Result, error) {
	p, err := action.Continue[progress](s.Work)
	if err != nil {
		return action.Result{}, err
	}
	everyone := func(most int) (int, time.Duration) { return most, 0 }
	done, wait, err := s.Pages(ctx, to, "id", &p.After, everyone, func(users []user.Profile) (time.Duration, error) {
		sent, wait, err := s.page(ctx, users)
		// An unfinished page is not counted: the next attempt repeats the whole page.
		if err == nil && wait == 0 {
			p.add(sent)
		}
		return wait, err
	})
	if done {
		return p.end()
	}
	return s.Stop(p, p.counts, wait, err)
}

// page sends to a page of users. wait is the longest wait of the numbers at their limit; the others are done.
func (s *sending) page(ctx context.Context, users []user.Profile) (done counts, wait time.Duration, err error) {
	for _, profile := range users {
		if late := s.Late(); late > 0 {
			return done, late, nil
		}
		id, _ := profile["id"].(int64)
		account, err := s.Accounts.Account(ctx, s.Work.Run.Scope, user.ID(id))
		if err != nil {
			return done, 0, fmt.Errorf("account of user %d: %w", id, err)
		}
		number, bad := s.Phones(account.Phone)
		if account.Phone == "" || bad != nil {
			done.WithoutPhone++
			continue
		}

		one, later, err := s.send(ctx, number, false)
		// A refused number must not stop the messages to the others.
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

// send sends to one number, unless the number has the message or must wait. alone means that the run sends no other
// message, so that the end of the run records that this one was sent.
func (s *sending) send(ctx context.Context, number string, alone bool) (done counts, wait time.Duration, err error) {
	scope, claim := s.Work.Run.Scope, s.Work.NewClaim(number)
	limited := func(sent []time.Time) time.Duration { return Limit(sent, s.Doer.Clock.Now()) }
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
			return s.Sender.Send(ctx, Message{Scope: scope, Budget: s.budget, Number: number, Text: s.text})
		})
		if err != nil {
			return done, 0, err
		}
		if state == action.Claimed {
			s.Many.Sent++
			state = action.WasSent
			if !alone {
				// Without this mark the next attempt counts the message as Unknown.
				err = s.Claims.Sent(ctx, scope, claim)
			}
		}
	}
	if state == action.Unknown {
		return counts{Unknown: 1}, 0, err
	}
	return counts{Sent: 1}, 0, err
}
