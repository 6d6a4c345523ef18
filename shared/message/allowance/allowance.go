// Package allowance decides what an application may send: mails from the senders that it has confirmed, mails and SMS up
// to its budgets of a day, and nothing to addresses that bounced or complained. All of it belongs to the application,
// not to one of its environments, because reputation and bill are shared by them.
//
//	Allowance  counts what is sent before it is sent                  allowance.go
//	Feedback   bounces and complaints: suppress an address, may close its sender   feedback.go
//	Senders    confirms, closes and reopens senders                   senders.go, code.go
//
// States of a sender:
//
//	unconfirmed ─► verifying (SES waits for the owner) ─► code_sent ─► confirmed ⇄ closed
package allowance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Kind is what a budget counts.
type Kind string

// The kinds of budgets.
const (
	Mails         Kind = "mail"         // recipients of mails
	Texts         Kind = "sms"          // parts of SMS
	Verifications Kind = "verification" // requests to verify a sender
)

// Status is the state of a sender.
type Status string

// The states of a sender. Only a confirmed one can send.
const (
	Unconfirmed Status = "unconfirmed"
	Verifying   Status = "verifying"
	CodeSent    Status = "code_sent"
	Confirmed   Status = "confirmed"
	Closed      Status = "closed"
)

// Key identifies a sender address in the store and in the tags of its mails, which allow no @.
func Key(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:8])
}

// Spending is what is counted: N of a budget of Most a day.
type Spending struct {
	Sender string // Key of the sender of mails, "" for other kinds
	N      int
	Most   int
	Day    int // UTC, such as 20261126
}

// Count is a stored budget, and what it counts of one sender.
type Count struct {
	Day         int
	Spent       int  // on Day
	Suppressing bool // the application has suppressed addresses
	Sender      Reputation
}

// Reputation counts the mails of a sender, by recipient. SES judges the same numbers.
type Reputation struct {
	Status                    Status // "" for a sender that was never confirmed
	Sent, Bounced, Complained int
}

// Store stores the allowance of applications.
type Store interface {
	// Spend counts if the budget is of that day and not used up, and its sender is confirmed. Otherwise ok is false and
	// the count is the stored one.
	Spend(ctx context.Context, app tenant.AppID, k Kind, s Spending) (c Count, ok bool, err error)
	// BeginDay is Spend for the first of a day: it replaces the count of an earlier day, and sets the sender's counts to
	// kept if they are still those of old.
	BeginDay(
		ctx context.Context, app tenant.AppID, k Kind, s Spending, old, kept Reputation,
	) (c Count, ok bool, err error)
	// GiveBack takes a spending back, unless another day has begun.
	GiveBack(ctx context.Context, app tenant.AppID, k Kind, s Spending) error
	// Count returns a budget, a zero one if nothing was ever counted.
	Count(ctx context.Context, app tenant.AppID, k Kind, sender string) (Count, error)
	// Suppressed returns those of the addresses that are suppressed.
	Suppressed(ctx context.Context, app tenant.AppID, addresses []string) ([]string, error)
	// Suppressions returns a page of the suppressed addresses, in the order of the alphabet.
	Suppressions(ctx context.Context, app tenant.AppID, r page.Request) (page.Page[Suppression], error)
	// Unsuppress allows mails to an address again. It returns errs.NotFound if it is not suppressed.
	Unsuppress(ctx context.Context, app tenant.AppID, address string) error
	// Record suppresses the address and counts the feedback, once for each ID. It returns the count of the sender.
	Record(ctx context.Context, app tenant.AppID, f Feedback) (Count, error)
	SenderStore
}

// Budgets are the numbers that a deployment allows each application a day.
type Budgets struct{ Mails, Texts int }

// Allowance counts what applications send, and the feedback to it.
type Allowance struct {
	Store   Store
	Budgets Budgets
	Clock   clock.Clock
}

// Taken is what an application may send: it is counted already.
type Taken struct {
	To         []string // the recipients of a mail that are not suppressed
	Suppressed int      // the recipients that are left out
	giveBack   func(ctx context.Context, n int)
}

// GiveBack takes the count back after nothing was sent. A lost count costs the application one of its budget, so an
// error is not reported.
func (t Taken) GiveBack(ctx context.Context) { t.giveBack(ctx, max(len(t.To), 1)) }

// TakeMail counts a mail from a sender to some recipients. own is the application's own budget, nil for the deployment's.
// It costs one write unit, and a batch read if the application has suppressed addresses. It returns errs.Forbidden if the
// sender is not confirmed or closed, errs.TooMany if the budget is used up, and errs.Invalid if all recipients are
// suppressed.
func (a *Allowance) TakeMail(
	ctx context.Context, app tenant.AppID, sender string, own *int, to []string,
) (t Taken, err error) {
	mailbox, err := messaging.Mailbox(sender)
	if err != nil {
		return t, errs.Invalid("sender of the mail-setting %s", errs.Message(err))
	}

	s := Spending{Sender: Key(mailbox), N: len(to), Most: Limit(a.Budgets.Mails, own)}
	c, err := a.spend(ctx, app, Mails, &s)
	switch {
	case err != nil:
		return t, err
	case c.Sender.Status == Closed:
		return t, errs.Forbidden("the sender %s is closed: GET /oserve/v3/mail-setting/ says why", mailbox)
	case c.Sender.Status != Confirmed:
		return t, errs.Forbidden(
			"the sender %s is not confirmed for this application: see POST /oserve/v3/mail-setting/verification/", mailbox)
	case s.N == 0:
		return t, usedUp(Mails, s.Most)
	}

	t = Taken{To: to, giveBack: a.giveBack(app, Mails, s)}
	if !c.Suppressing {
		return t, nil
	}
	return a.unsuppressed(ctx, app, t)
}

// unsuppressed leaves out the suppressed recipients of a mail.
func (a *Allowance) unsuppressed(ctx context.Context, app tenant.AppID, t Taken) (Taken, error) {
	of := make([]string, len(t.To)) // mailboxes of the recipients
	for i, to := range t.To {
		mailbox, err := messaging.Mailbox(to)
		if err != nil {
			t.GiveBack(ctx)
			return t, errs.Invalid("to[%d] %s", i, errs.Message(err))
		}
		of[i] = mailbox
	}
	suppressed, err := a.Store.Suppressed(ctx, app, of)
	if err != nil {
		t.GiveBack(ctx)
		return t, err
	}

	left := []string{}
	for i, to := range t.To {
		if !slices.Contains(suppressed, of[i]) {
			left = append(left, to)
		}
	}
	if t.Suppressed = len(t.To) - len(left); t.Suppressed > 0 {
		t.giveBack(ctx, t.Suppressed)
	}
	t.To = left
	if len(left) == 0 {
		return t, errs.Invalid("to: every address is suppressed, because mails to it bounced or their reader complained")
	}
	return t, nil
}

// TakeText counts an SMS by its parts. It costs one write unit. It returns errs.TooMany if the budget is used up.
func (a *Allowance) TakeText(ctx context.Context, app tenant.AppID, parts int, own *int) (t Taken, err error) {
	s := Spending{N: parts, Most: Limit(a.Budgets.Texts, own)}
	if _, err := a.spend(ctx, app, Texts, &s); err != nil {
		return t, err
	}
	if s.N == 0 {
		return t, usedUp(Texts, s.Most)
	}
	back := a.giveBack(app, Texts, s)
	return Taken{giveBack: func(ctx context.Context, _ int) { back(ctx, parts) }}, nil
}

// Limit returns the budget of an application: its own, at most that of the deployment.
func Limit(deployment int, own *int) int {
	if own == nil {
		return deployment
	}
	return min(*own, deployment)
}

// Spent returns what was counted today.
func (a *Allowance) Spent(ctx context.Context, app tenant.AppID, k Kind) (int, error) {
	c, err := a.Store.Count(ctx, app, k, "")
	if err != nil || c.Day != dayOf(a.Clock.Now()) {
		return 0, err
	}
	return c.Spent, nil
}

// usedUp is the error of a budget that is used up.
func usedUp(k Kind, most int) error {
	what := map[Kind]string{
		Mails: "mails, by recipient", Texts: "parts of SMS", Verifications: "verifications of senders",
	}[k]
	return errs.TooMany(0, "the %s budget of the application is used up: %d %s a day, counted in UTC", k, most, what)
}

// reputationWindow is the number of mails after which older ones count half: a rate must follow what a sender does now.
const reputationWindow = 10_000

// spend counts s, in the day of s.Day, which it sets. It sets s.N to 0 if nothing was counted.
func (a *Allowance) spend(ctx context.Context, app tenant.AppID, k Kind, s *Spending) (c Count, err error) {
	s.Day = dayOf(a.Clock.Now())
	// Each day begins once; a second round finds the day begun by another worker, or its clock ahead of ours.
	for range 3 {
		var ok bool
		c, ok, err = a.Store.Spend(ctx, app, k, *s)
		if err != nil || ok {
			return c, err
		}
		refused := s.Sender != "" && c.Sender.Status != Confirmed
		// A clock behind the others counts into their day: a day never begins again.
		ahead := c.Day > s.Day
		s.Day = max(s.Day, c.Day)
		switch {
		case refused, s.N > s.Most, c.Day == s.Day && !ahead:
			s.N = 0
			return c, nil
		case ahead:
			continue
		}

		kept := c.Sender
		if kept.Sent > reputationWindow {
			kept.Sent, kept.Bounced, kept.Complained = kept.Sent/2, kept.Bounced/2, kept.Complained/2
		}
		c, ok, err = a.Store.BeginDay(ctx, app, k, *s, c.Sender, kept)
		if err != nil || ok {
			return c, err
		}
	}
	return c, errs.Conflict("the %s budget of the application is being counted by others, try again", k)
}

// giveBack returns the function that takes n of a spending back.
func (a *Allowance) giveBack(app tenant.AppID, k Kind, s Spending) func(context.Context, int) {
	return func(ctx context.Context, n int) {
		s.N = n
		// The caller's time may be over. A lost count is harmless: see Taken.GiveBack.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTime)
		defer cancel()
		_ = a.Store.GiveBack(ctx, app, k, s)
	}
}

const giveBackTime = 3 * time.Second

// dayOf returns the day of a time, in UTC.
func dayOf(at time.Time) int {
	year, month, day := at.UTC().Date()
	return year*10_000 + int(month)*100 + day
}
