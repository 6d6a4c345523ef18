package email

import (
	"context"
	"strings"
	"unicode/utf8"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// Request is a mail that a function writes.
type Request struct {
	Recipient string
	Subject   string
	Body      string
	HTML      bool // of the body
}

// Limits of a mail, and of how many a call may send, directly and through the functions it starts.
const (
	maxSubject = 998       // characters, what a line of a mail can hold
	maxBody    = 256 << 10 // bytes
	maxMails   = 200
)

// Quotas counts what the functions of one call have sent.
type Quotas interface {
	// Spend counts one thing more under a root call, unless there are most of them: then it is errs.TooMany.
	Spend(ctx context.Context, scope tenant.Scope, root id.ID, what string, most int) error
}

// Mailer sends the mails of functions (BaaS.sendEmail), each once: of a request that is repeated under its
// Idempotency-Key, only the first try sends. A mail costs a read of the setting and three writes: the claim, the
// count, and that it was sent.
type Mailer struct {
	Settings Settings
	Sender   Sender
	Claims   action.Claims
	Quotas   Quotas
}

// Send sends a mail that a function writes under a root call. errs.Invalid says what is wrong with it, or that the
// application has no sender; errs.TooMany that the call has sent too many; errs.Conflict that it is unknown whether an
// earlier try has sent it.
func (s *Mailer) Send(ctx context.Context, scope tenant.Scope, root id.ID, r Request) error {
	if err := r.check(); err != nil {
		return err
	}
	own, err := s.Settings.Mail(ctx, scope)
	if err != nil {
		return err
	}
	if own.Sender == "" {
		return errs.Invalid("no mail can be sent: set a sender with PUT /oserve/v3/mail-setting/")
	}
	m, err := compose(r.settings(), own)
	if err != nil {
		return err
	}

	claim := action.Claim{Run: "mail-" + writetoken.Of(ctx, "mail"), Owner: id.Hex(8)}
	if writetoken.FromContext(ctx) == nil { // nobody repeats it
		claim.Run += id.Hex(16)
	}
	state, err := action.Once(ctx, s.Claims, scope, claim, func(ctx context.Context) error {
		if err := s.Quotas.Spend(ctx, scope, root, "mail", maxMails); err != nil {
			return err
		}
		_, err := s.Sender.Send(ctx, m)
		return err
	})
	switch {
	case err != nil || state == action.WasSent:
		return err
	case state == action.Unknown:
		return errs.Conflict("it is unknown whether the mail was sent")
	}
	return s.Claims.Sent(ctx, scope, claim)
}

// settings is the mail as a trigger would send it.
func (r Request) settings() *trigger.EmailSettings {
	settings := &trigger.EmailSettings{
		To: []string{r.Recipient}, Subject: messaging.OneLine(r.Subject), Body: r.Body, Format: trigger.FormatText,
	}
	if r.HTML {
		settings.Format = trigger.FormatHTML
	}
	return settings
}

func (r *Request) check() (err error) {
	if r.Recipient, err = messaging.Address(r.Recipient); err != nil {
		return errs.Invalid("recipient %s", errs.Message(err))
	}
	switch {
	case strings.TrimSpace(r.Subject) == "" || utf8.RuneCountInString(r.Subject) > maxSubject:
		return errs.Invalid("subject must be 1 to %d characters", maxSubject)
	case r.Body == "" || len(r.Body) > maxBody:
		return errs.Invalid("body must be 1 to %d bytes", maxBody)
	}
	return nil
}
