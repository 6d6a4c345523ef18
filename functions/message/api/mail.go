package api

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action/email"
)

type mail struct {
	Recipient string `json:"recipient" minLength:"1" required:"true"`
	Subject   string `json:"subject" minLength:"1" required:"true"`
	Body      string `json:"body" minLength:"1" required:"true"`
	Format    string `json:"format" enum:"text,html,"`
}

// sendMail serves POST /dserve/v1/message/mail/ (BaaS.sendEmail).
func (g *Group) sendMail(ctx context.Context, in mail) (ok httpapi.OK, err error) {
	if in.Format != "" && in.Format != trigger.FormatText && in.Format != trigger.FormatHTML {
		return ok, errs.Invalid("format must be text or html")
	}
	return httpapi.Done, g.Mails.Send(ctx, httpapi.Scope(ctx), httpapi.From(ctx).Run.Root, email.Request{
		Recipient: in.Recipient, Subject: in.Subject, Body: in.Body, HTML: in.Format == trigger.FormatHTML,
	})
}
