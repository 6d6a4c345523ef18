package messaging

import (
	"net/url"
	"strings"

	"minicloud/shared/errs"
)

// Mail is the mail setting of an environment.
type Mail struct {
	Sender  string `json:"sender"` // an address; "" disables mails
	ReplyTo string `json:"reply_to"`
	// ListUnsubscribe is an https or mailto URL that readers use to unsubscribe; "" for none.
	ListUnsubscribe string `json:"list_unsubscribe"`
	// DailyBudget is the number of recipients a day, nil for that of the deployment, which it cannot exceed.
	DailyBudget *int `json:"daily_budget,omitempty"`
}

// MailPatch is the change of a request: a nil field is not changed.
type MailPatch struct {
	Sender, ReplyTo, ListUnsubscribe *string
	DailyBudget                      Budget
}

// Budget is the change of an application's own budget of a day.
type Budget struct {
	Given bool
	Value *int // nil for that of the deployment
}

// MaxBudget is the largest budget of an application. The deployment's own is usually smaller.
const MaxBudget = 10_000_000

func (b Budget) apply(to **int) error {
	if !b.Given {
		return nil
	}
	if b.Value != nil && (*b.Value < 0 || *b.Value > MaxBudget) {
		return errs.Invalid("daily_budget must be 0 to %d, or null", MaxBudget)
	}
	*to = b.Value
	return nil
}

// maxUnsubscribe is the size limit of an SES header without the angle brackets.
const maxUnsubscribe = 800

func (p MailPatch) apply(m Mail) (Mail, error) {
	for _, field := range []struct {
		name  string
		to    *string
		given *string
		check func(string) error
	}{
		{"sender", &m.Sender, p.Sender, checkAddress},
		{"reply_to", &m.ReplyTo, p.ReplyTo, checkAddress},
		{"list_unsubscribe", &m.ListUnsubscribe, p.ListUnsubscribe, checkUnsubscribe},
	} {
		if field.given == nil {
			continue
		}

		*field.to = strings.TrimSpace(*field.given)
		// An empty value removes the setting.
		if *field.to == "" {
			continue
		}
		if err := field.check(*field.to); err != nil {
			return m, errs.Invalid("%s %s", field.name, errs.Message(err))
		}
	}
	return m, p.DailyBudget.apply(&m.DailyBudget)
}

func checkAddress(text string) error {
	_, err := Address(text)
	return err
}

func checkUnsubscribe(text string) error {
	u, err := url.Parse(text)
	plain := !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '<' || r == '>' })
	web := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
	mail := err == nil && u.Scheme == "mailto" && strings.Contains(u.Opaque, "@")
	if !plain || len(text) > maxUnsubscribe || !web && !mail {
		return errs.Invalid("must be an address that begins with https:// or mailto:, in ASCII")
	}
	return nil
}
