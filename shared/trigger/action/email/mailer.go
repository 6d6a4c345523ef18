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

// Request is a mail from a function.
type Request struct {
	Recipient string
	Subject   string
	Body      string
	HTML      bool // whether Body is HTML
}

// Limits of a mail, and of the mails of a call, including the functions that it starts.
const (
	maxSubject = 998       // characters, the limit of a line in an email
	maxBody    = 256 << 10 // bytes
	maxMails   = 200
)

// Mailer sends the mails of functions (BaaS.sendEmail), each once: requests repeated under an Idempotency-Key do not
// send again. A mail costs a read of the setting and three writes: the claim, the count, and the sent mark.
type Mailer struct {
	Settings Settings
	Sender   Sender
	Claims   action.Claims
	Quotas   action.Quotas
}

// Send sends a mail from a function under a root call. It returns errs.Invalid if the mail is invalid or the
// application has no sender, errs.Forbidden if the sender is not confirmed, errs.TooMany if the call has reached its limit
// or the application its budget, and errs.Conflict if it is unknown whether an earlier try sent the mail.
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
	m, err := compose(scope, r.settings(), own)
	if err != nil {
		return err
	}

	claim := action.Claim{Run: "mail-" + writetoken.Of(ctx, "mail"), Owner: id.Hex(8)}
	if writetoken.FromContext(ctx) == nil { // not a repeatable request
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

// Mail returns the mail with the sender of a setting. It is no newsletter, so it offers no way to unsubscribe.
func (r Request) Mail(scope tenant.Scope, own messaging.Mail) (Mail, error) {
	if err := r.check(); err != nil {
		return Mail{}, err
	}
	own.ListUnsubscribe = ""
	return compose(scope, r.settings(), own)
}

// settings returns the mail as settings of a trigger's action.
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
