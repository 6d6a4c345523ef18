// Package sms sends text messages (contract, Actions: SMS; G6).
//
//	Doer      who gets what                       sms.go
//	sending   one page of recipients              recipients.go
//	limit     how often a number gets a message   limit.go
package sms

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/language/placeholder"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user"
)

// Sender sends text messages.
type Sender interface {
	// Send sends one to a number (E.164). An errs.Error says that nothing was sent: errs.Invalid and errs.Forbidden
	// that it never will be, others that it may be later. After any other error the result is unknown.
	Send(ctx context.Context, number, text string) error
}

// Settings knows what an application may send; *messaging.Settings does.
type Settings interface {
	SMS(ctx context.Context, scope tenant.Scope) (messaging.SMS, error)
	// ForgetSMS makes the next SMS read the setting.
	ForgetSMS(scope tenant.Scope)
}

// Accounts knows the phones of users; a user.AccountStore does.
type Accounts interface {
	// Account returns the user's account; one never written is empty.
	Account(ctx context.Context, scope tenant.Scope, id user.ID) (user.Account, error)
}

// Claims remembers who has a message, and when numbers got one.
type Claims interface {
	action.Claims
	// ClaimNumber claims a message to a number if limit is 0 for the times of the last messages to it. Otherwise it
	// returns the limit and claims nothing, unless the message has a claim already.
	ClaimNumber(
		ctx context.Context, scope tenant.Scope, c action.Claim, limit func(sent []time.Time) time.Duration,
	) (state action.ClaimState, wait time.Duration, err error)
}

// Doer is the action.Doer of SMS. Each number gets a run's message once: it is claimed before it is sent (D38).
type Doer struct {
	Settings Settings
	Users    action.Users
	Accounts Accounts
	Sender   Sender
	Claims   Claims
	// Phones returns a number as E.164, errs.Invalid for what is none: phone.Key.
	Phones func(number string) (string, error)
	Clock  clock.Clock
}

var _ action.Doer = (*Doer)(nil)

// overLimit is the type of the error where the number has got enough.
const overLimit = "limit"

// maxText is how many characters SNS takes.
const maxText = 1600

// Do sends to all recipients, or to some and asks to go on.
func (d *Doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	settings, err := action.Rendered[*trigger.SMSSettings](ctx, d.Users, w)
	if err != nil {
		return action.Result{}, err
	}
	text, err := d.text(ctx, w, settings)
	if err != nil {
		return action.Result{}, err
	}

	s := &sending{
		Doer: d, text: text, Many: action.Many{Recipients: action.Recipients{Users: d.Users}, Work: w, Clock: d.Clock},
	}
	if settings.Recipient.Kind == trigger.PhoneNumber {
		return s.one(ctx, settings.Recipient.Phone)
	}
	return s.all(ctx, settings.Recipient)
}

// text is what the recipients read. What the setting lacks may just have been added to it: then it is read once more.
func (d *Doer) text(ctx context.Context, w action.Work, settings *trigger.SMSSettings) (text string, err error) {
	for range 2 {
		var own messaging.SMS
		if own, err = d.Settings.SMS(ctx, w.Run.Scope); err != nil {
			return "", err
		}
		if text, err = textOf(settings, own, w.Trigger); err == nil {
			break
		}
		d.Settings.ForgetSMS(w.Run.Scope)
	}
	return text, err
}

// textOf is what the recipients of an action read.
func textOf(s *trigger.SMSSettings, own messaging.SMS, t trigger.Trigger) (string, error) {
	zone, err := t.Location()
	if err != nil {
		zone = time.UTC
	}
	return Text(own, s.Signature, s.Template, s.Keywords, zone)
}

// Text is what the recipients read: the signature, then the template with its keywords filled in. An *action.Failure
// says what the setting lacks, errs.Invalid what cannot be filled in.
func Text(
	own messaging.SMS, signature, template string, keywords map[string]string, zone *time.Location,
) (string, error) {
	if err := Usable(own, signature); err != nil {
		return "", err
	}
	found, ok := own.Template(template)
	switch {
	case !ok:
		return "", action.Permanent(action.NotFound, "the sms-setting has no template %q", template)
	case found.Status != messaging.Approved:
		return "", action.Permanent(action.NotConfigured, "the template %q is %s, not approved", template, found.Status)
	}

	text, err := Fill(signature, found.Text, keywords, zone)
	if err != nil {
		return "", errs.Invalid("template %q: %s", template, errs.Message(err))
	}
	return text, nil
}

// Usable returns the *action.Failure that says why nothing can be sent with a signature.
func Usable(own messaging.SMS, signature string) error {
	found, signed := own.Signature(signature)
	switch {
	case !own.Enabled:
		return action.Permanent(action.NotConfigured, "SMS is not enabled in the sms-setting")
	case !signed:
		return action.Permanent(action.NotFound, "the sms-setting has no signature %q", signature)
	case found.Status != messaging.Approved:
		return action.Permanent(action.NotConfigured, "the signature %q is %s, not approved", signature, found.Status)
	}
	return nil
}

// Fill returns the signature and a text with its keywords filled in, errs.Invalid where that cannot be sent.
func Fill(signature, text string, keywords map[string]string, zone *time.Location) (string, error) {
	parsed, err := placeholder.Parse(text)
	if err != nil {
		return "", err
	}
	values := map[string]any{}
	for name, value := range keywords {
		values[name] = value
	}
	filled, err := parsed.Render(placeholder.In(values), zone)
	if err != nil {
		return "", err
	}

	filled = "【" + signature + "】" + strings.Map(printable, filled)
	if n := utf8.RuneCountInString(filled); n > maxText {
		return "", errs.Invalid("the message has %d characters, at most %d can be sent", n, maxText)
	}
	return filled, nil
}

func printable(r rune) rune {
	if unicode.IsControl(r) && r != '\n' {
		return ' '
	}
	return r
}

// progress is how far a run is: the Result.State and, as the counts of it, the Result.Response.
type progress struct {
	After page.Cursor `json:"after,omitempty"` // of the recipients, those up to here are done
	counts
}

// counts say what became of messages.
type counts struct {
	Sent         int    `json:"sent"`
	WithoutPhone int    `json:"without_phone"`     // users, who are skipped
	Limited      int    `json:"limited,omitempty"` // numbers that had the most they can have in a day
	Refused      int    `json:"refused,omitempty"` // by the service
	Unknown      int    `json:"unknown,omitempty"` // sent or not
	Why          string `json:"why,omitempty"`     // the first of Refused
}

func (c *counts) add(more counts) {
	c.Sent += more.Sent
	c.WithoutPhone += more.WithoutPhone
	c.Limited += more.Limited
	c.Refused += more.Refused
	c.Unknown += more.Unknown
	if c.Why == "" {
		c.Why = more.Why
	}
}

// end is the result of a run whose recipients are all done.
func (p progress) end() (action.Result, error) {
	r, err := action.Finished(p.counts, p.Unknown)
	switch {
	case err != nil:
		return r, err
	case p.Refused > 0 && p.Sent == 0:
		return r, errs.Invalid("%s", p.Why)
	case p.Refused > 0:
		// The run fails, so that its owner sees it and a replay goes to those who were not reached.
		return r, action.Permanent(string(errs.KindInvalid),
			"%d messages were sent, %d were refused: %s", p.Sent, p.Refused, p.Why)
	case p.Limited > 0:
		return r, action.Permanent(overLimit,
			"%d messages were sent, %d numbers had got %d in 24 hours", p.Sent, p.Limited, perDay)
	}
	return r, nil
}
