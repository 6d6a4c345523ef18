// Package email sends emails (contract, Actions: Email).
package email

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user"
)

// Mail is one email. Its addresses and headers are ASCII, on one line each.
type Mail struct {
	Scope   tenant.Scope
	Budget  *int // the application's own budget of a day, nil for the deployment's
	From    string
	ReplyTo string // "" = none
	To      []string
	Subject string
	Body    string
	HTML    bool // whether Body is HTML
	// Unsubscribe is the https or mailto URL to unsubscribe, "" for none.
	Unsubscribe string
}

// Receipt says what was sent.
type Receipt struct {
	ID         string // of the mail
	Suppressed int    // recipients that were left out: see allowance.Allowance
}

// Sender sends mails.
type Sender interface {
	// Send sends a mail. An errs.Error means that nothing was sent: errs.Invalid and errs.Forbidden are permanent, others
	// are retryable. After any other error the result is unknown.
	Send(ctx context.Context, m Mail) (Receipt, error)
}

// Settings reads the mail setting of an application; *messaging.Settings implements it.
type Settings interface {
	Mail(ctx context.Context, scope tenant.Scope) (messaging.Mail, error)
}

// Doer is the action.Doer of emails. A run sends one mail to all addresses of the action, once (D38): only the worker
// that began the run may send it, and no later worker if that one did not report the result. A mail needs no DynamoDB
// calls of its own, except for a read of the setting when the cache has expired.
type Doer struct {
	Settings Settings
	Sender   Sender
	Profiles user.Reader
}

// Do sends the mail. A run whose earlier worker died fails as interrupted.
func (d *Doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	if w.Died() {
		return action.Result{}, interrupted()
	}
	settings, err := action.Rendered[*trigger.EmailSettings](ctx, d.Profiles, w)
	if err != nil {
		return action.Result{}, err
	}
	own, err := d.Settings.Mail(ctx, w.Run.Scope)
	if err != nil {
		return action.Result{}, err
	}
	m, err := compose(w.Run.Scope, settings, own)
	if err != nil {
		return action.Result{}, err
	}

	sent, err := d.send(ctx, m)
	switch {
	case errs.Is(err, errs.KindInternal):
		return action.Result{}, interrupted()
	case err != nil:
		return action.Result{}, err // nothing was sent
	}
	return response(sent, len(m.To)-sent.Suppressed)
}

// send calls the sender and converts a panic to an error with an unknown result.
func (d *Doer) send(ctx context.Context, m Mail) (sent Receipt, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return d.Sender.Send(ctx, m)
}

func interrupted() error {
	return action.Permanent(action.Interrupted,
		"it is unknown whether the mail was sent; a replay sends it, perhaps for the second time")
}

// compose makes a mail from rendered settings. Empty addresses, from variables without a value, are left out; duplicate
// addresses get one mail.
func compose(scope tenant.Scope, s *trigger.EmailSettings, own messaging.Mail) (Mail, error) {
	if own.Sender == "" {
		return Mail{}, action.Permanent(action.NotConfigured, "the mail-setting has no sender")
	}
	m := Mail{
		Scope: scope, Budget: own.DailyBudget, Subject: s.Subject, Body: s.Body, HTML: s.Format == trigger.FormatHTML,
		Unsubscribe: own.ListUnsubscribe,
	}

	var err error
	if m.From, err = messaging.Address(own.Sender); err != nil {
		return m, errs.Invalid("sender of the mail-setting %s", errs.Message(err))
	}
	if own.ReplyTo != "" {
		if m.ReplyTo, err = messaging.Address(own.ReplyTo); err != nil {
			return m, errs.Invalid("reply_to of the mail-setting %s", errs.Message(err))
		}
	}

	for _, to := range s.To {
		same := func(other string) bool { return strings.EqualFold(other, to) }
		if to != "" && !slices.ContainsFunc(m.To, same) {
			m.To = append(m.To, to)
		}
	}
	if len(m.To) == 0 {
		return m, errs.Invalid("to: nobody is left: every address is empty")
	}
	return m, nil
}

func response(sent Receipt, recipients int) (action.Result, error) {
	members := map[string]any{"message_id": sent.ID, "recipients": recipients}
	if sent.Suppressed > 0 {
		members["suppressed"] = sent.Suppressed
	}
	text, err := json.Marshal(members)
	if err != nil {
		return action.Result{}, fmt.Errorf("answer of the mail: %w", err)
	}
	return action.Result{Response: string(text)}, nil
}
