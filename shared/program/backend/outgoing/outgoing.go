// Package outgoing opens the clients of mails and SMS. Each message is counted against the allowance of its application
// before it is sent.
package outgoing

import (
	"minicloud/shared/message/allowance"
	"minicloud/shared/outbound/ses"
	"minicloud/shared/outbound/sns"
	"minicloud/shared/program/backend"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/sms"
)

// Outgoing has the senders of a program.
type Outgoing struct {
	Allowance *allowance.Allowance
	Account   ses.Account
	Mails     *email.Allowed
	Texts     *sms.Budgeted
}

// Open returns the senders.
func Open(b *backend.Backend) *Outgoing {
	o := &Outgoing{}
	o.Account, o.Mails = Mails(b)
	o.Allowance = o.Mails.Allowance
	o.Allowance.Budgets.Texts = b.Int("SMS_PER_DAY", 500)
	o.Texts = &sms.Budgeted{Allowance: o.Allowance, Next: sns.New(b.Config)}
	return o
}

// Mails returns the sender of a program that sends no SMS.
func Mails(b *backend.Backend) (ses.Account, *email.Allowed) {
	account := ses.Account{ConfigurationSet: b.String("MAIL_CONFIGURATION_SET"), Tenants: b.String("MAIL_TENANTS")}
	counts := &allowance.Allowance{
		Store: b.Allowances(), Budgets: allowance.Budgets{Mails: b.Int("MAILS_PER_DAY", 10_000)}, Clock: b.Clock,
	}
	return account, &email.Allowed{Allowance: counts, Next: ses.New(b.Config, account)}
}
