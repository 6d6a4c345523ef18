package api

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// MailSender is the sender of the mail setting, as far as it is confirmed for the application.
type MailSender struct {
	Address string           `json:"address"` // In lower case. Empty if the setting has no sender.
	Status  allowance.Status `json:"status" enum:",unconfirmed,verifying,code_sent,confirmed,closed"`
	Reason  string           `json:"reason"` // Why it is closed. Empty for any other status.
	// The DNS records that a domain needs while its status is verifying.
	Records []DNSRecord `json:"dns_records"`
	// The numbers of recipients by which the sender is judged. Older ones count less.
	Sent       int `json:"sent" minimum:"0"`
	Bounced    int `json:"bounced" minimum:"0"`
	Complained int `json:"complained" minimum:"0"`
}

// DNSRecord is a record that the owner of a domain must add.
type DNSRecord struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

func showSender(s allowance.Sender) MailSender {
	return MailSender{
		Address: s.Address, Status: s.Status, Reason: s.Reason,
		Records: each(s.Records, func(one allowance.Record) DNSRecord { return DNSRecord(one) }),
		Sent:    s.Reputation.Sent, Bounced: s.Reputation.Bounced, Complained: s.Reputation.Complained,
	}
}

// sender returns the sender of the environment's mail setting.
func (g *Group) sender(ctx context.Context) (string, error) {
	setting, err := g.Settings.Mail(ctx, httpapi.Scope(ctx))
	return setting.Sender, err
}

type verification struct {
	Identity string `json:"identity" enum:"address,domain,"` // What Amazon SES verifies. An address if absent.
}

// verifySender serves POST /oserve/v3/mail-setting/verification/: it starts or continues the verification of the
// sender, and sends a code to it once Amazon SES has verified it.
func (g *Group) verifySender(ctx context.Context, in verification) (MailSender, error) {
	if in.Identity != "" && in.Identity != "address" && in.Identity != "domain" {
		return MailSender{}, errs.Invalid("identity must be address or domain")
	}
	sender, err := g.sender(ctx)
	if err != nil {
		return MailSender{}, err
	}
	state, err := g.Senders.Verify(ctx, httpapi.Scope(ctx).App, sender, in.Identity == "domain")
	return showSender(state), err
}

type confirmation struct {
	Code string `json:"code" minLength:"1" maxLength:"64" required:"true"`
}

// confirmSender serves POST /oserve/v3/mail-setting/confirmation/.
func (g *Group) confirmSender(ctx context.Context, in confirmation) (MailSender, error) {
	sender, err := g.sender(ctx)
	if err != nil {
		return MailSender{}, err
	}
	state, err := g.Senders.Confirm(ctx, httpapi.Scope(ctx).App, sender, in.Code)
	return showSender(state), err
}

// reopenSender serves POST /oserve/v3/mail-setting/reopening/. Only administrators may: the token of a program that
// sends to bad addresses must not open its own way again.
func (g *Group) reopenSender(ctx context.Context, _ httpapi.None) (MailSender, error) {
	if httpapi.From(ctx).Administrator == nil {
		return MailSender{}, errs.Forbidden("only an administrator can reopen a sender, in the console")
	}
	if httpapi.Scope(ctx).Env != tenant.Production {
		return MailSender{}, errOfProduction
	}
	sender, err := g.sender(ctx)
	if err != nil {
		return MailSender{}, err
	}
	state, err := g.Senders.Reopen(ctx, httpapi.Scope(ctx).App, sender)
	return showSender(state), err
}

// errOfProduction is the error of a test environment that would change what production sends.
var errOfProduction = errs.NotFound("only the production environment has this")

// MailSuppression is an address that gets no mails of the application.
type MailSuppression struct {
	Address   string          `json:"address"`
	Kind      string          `json:"kind" enum:"bounce,complaint"`
	Reason    string          `json:"reason"` // What the receiving server said. Empty if unknown.
	CreatedAt httpapi.Seconds `json:"created_at"`
}

func showSuppression(s allowance.Suppression) MailSuppression {
	return MailSuppression{Address: s.Address, Kind: s.Kind, Reason: s.Reason, CreatedAt: httpapi.Seconds(s.At.Unix())}
}

type onePage struct{ Page page.Request }

// listSuppressions serves GET /oserve/v3/mail-setting/suppression/.
func (g *Group) listSuppressions(ctx context.Context, in onePage) (answer httpapi.Envelope[MailSuppression], err error) {
	// Readers of production are nobody's business in a test environment.
	if httpapi.Scope(ctx).Env != tenant.Production {
		return httpapi.ListOf(ctx, in.Page, page.Page[allowance.Suppression]{Total: -1}, showSuppression), nil
	}
	found, err := g.Senders.Store.Suppressions(ctx, httpapi.Scope(ctx).App, in.Page)
	return httpapi.ListOf(ctx, in.Page, found, showSuppression), err
}

type suppressed struct {
	Address string `path:"address"`
}

// deleteSuppression serves DELETE /oserve/v3/mail-setting/suppression/:address/.
func (g *Group) deleteSuppression(ctx context.Context, in suppressed) (none httpapi.None, err error) {
	if httpapi.Scope(ctx).Env != tenant.Production {
		return none, errOfProduction
	}
	mailbox, err := messaging.Mailbox(in.Address)
	if err != nil {
		return none, errs.NotFound("the address is not suppressed")
	}
	return none, g.Senders.Store.Unsuppress(ctx, httpapi.Scope(ctx).App, mailbox)
}
