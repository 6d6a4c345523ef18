// Package sms sends text messages (contract, Actions: SMS; G6).
//
//	Doer      settings, text and recipients of a run   sms.go
//	sending   one attempt                              recipients.go
//	limit     the limit of messages per number         limit.go
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

// Message is one text message.
type Message struct {
	Scope  tenant.Scope
	Budget *int   // the application's own budget of a day, nil for the deployment's
	Number string // E.164
	Text   string
}

// Sender sends text messages.
type Sender interface {
	// Send sends a message. An errs.Error means that nothing was sent: errs.Invalid and errs.Forbidden
	// are permanent, others are retryable. After any other error the result is unknown.
	Send(ctx context.Context, m Message) error
}

// Settings reads the SMS setting of an application; *messaging.Settings implements it.
type Settings interface {
	SMS(ctx context.Context, scope tenant.Scope) (messaging.SMS, error)
	// ForgetSMS drops the cached setting, so that the next SMS reads it.
	ForgetSMS(scope tenant.Scope)
}

// Accounts reads the phone numbers of users; user.AccountStore implements it.
type Accounts interface {
	// Account returns the user's account, an empty one if none was stored.
	Account(ctx context.Context, scope tenant.Scope, id user.ID) (user.Account, error)
}

// Claims stores the claims of messages, and the times of the messages to each number.
type Claims interface {
	action.Claims
	// ClaimNumber claims a message to a number if limit returns 0 for the times of its last messages. Otherwise it
	// claims nothing and returns the wait, unless the message already has a claim.
	ClaimNumber(
		ctx context.Context, scope tenant.Scope, c action.Claim, limit func(sent []time.Time) time.Duration,
	) (state action.ClaimState, wait time.Duration, err error)
}

// Doer is the action.Doer of SMS. Each number gets a message of a run once: it is claimed before it is sent (D38).
type Doer struct {
	Settings Settings
	Users    action.Users
	Accounts Accounts
	Sender   Sender
	Claims   Claims
	// Phones converts a number to E.164; it returns errs.Invalid for an invalid one. Production uses phone.Key.
	Phones func(number string) (string, error)
	Clock  clock.Clock
}

// overLimit is the error type if a number has reached its daily limit.
const overLimit = "limit"

// maxText is the limit of SNS in characters.
const maxText = 1600

// Do sends to all recipients, or to some and returns an unfinished result.
func (d *Doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	settings, err := action.Rendered[*trigger.SMSSettings](ctx, d.Users, w)
	if err != nil {
		return action.Result{}, err
	}
	text, budget, err := d.text(ctx, w, settings)
	if err != nil {
		return action.Result{}, err
	}

	s := &sending{
		Doer: d, text: text, budget: budget, Many: action.Many{Recipients: action.Recipients{Users: d.Users}, Work: w, Clock: d.Clock},
	}
	if settings.Recipient.Kind == trigger.PhoneNumber {
		return s.one(ctx, settings.Recipient.Phone)
	}
	return s.all(ctx, settings.Recipient)
}

// text returns the text of the message and the application's own budget. If the cached setting lacks something, it
// reads the setting again.
func (d *Doer) text(
	ctx context.Context, w action.Work, settings *trigger.SMSSettings,
) (text string, budget *int, err error) {
	for range 2 {
		var own messaging.SMS
		if own, err = d.Settings.SMS(ctx, w.Run.Scope); err != nil {
			return "", nil, err
		}
		budget = own.DailyBudget
		if text, err = textOf(settings, own, w.Trigger); err == nil {
			break
		}
		d.Settings.ForgetSMS(w.Run.Scope)
	}
	return text, budget, err
}

// textOf returns the text of an action's message.
func textOf(s *trigger.SMSSettings, own messaging.SMS, t trigger.Trigger) (string, error) {
	zone, err := t.Location()
	if err != nil {
		zone = time.UTC
	}
	return Text(own, s.Signature, s.Template, s.Keywords, zone)
}

// Text returns the text of a message: the signature, then the rendered template. It returns an *action.Failure if the
// setting is incomplete, and errs.Invalid if the template cannot be rendered.
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

// Usable returns an *action.Failure if nothing can be sent with the signature.
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

// Fill returns the signature and the rendered text. It returns errs.Invalid if the result cannot be sent.
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

// progress is the state of a run, stored as Result.State. Its counts are the Result.Response.
type progress struct {
	After page.Cursor `json:"after,omitempty"` // cursor: the recipients before it are done
	counts
}

// counts counts messages by their result.
type counts struct {
	Sent         int    `json:"sent"`
	WithoutPhone int    `json:"without_phone"`     // skipped users
	Limited      int    `json:"limited,omitempty"` // numbers at their daily limit
	Refused      int    `json:"refused,omitempty"` // by the service
	Unknown      int    `json:"unknown,omitempty"` // the result is unknown
	Why          string `json:"why,omitempty"`     // reason of the first Refused
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

// end returns the result of a run whose recipients are all done.
func (p progress) end() (action.Result, error) {
	r, err := action.Finished(p.counts, p.Unknown)
	switch {
	case err != nil:
		return r, err
	case p.Refused > 0 && p.Sent == 0:
		return r, errs.Invalid("%s", p.Why)
	case p.Refused > 0:
		// Fail the run, so that the owner sees it and a replay sends to the refused numbers.
		return r, action.Permanent(string(errs.KindInvalid),
			"%d messages were sent, %d were refused: %s", p.Sent, p.Refused, p.Why)
	case p.Limited > 0:
		return r, action.Permanent(overLimit,
			"%d messages were sent, %d numbers had got %d in 24 hours", p.Sent, p.Limited, perDay)
	}
	return r, nil
}
