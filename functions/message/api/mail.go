package api

import (
	"net/http"

	"minicloud/shared/action/email"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
)

// sendMail serves POST /dserve/v1/message/mail/ (BaaS.sendEmail).
func (g *Group) sendMail(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Recipient string `json:"recipient"`
		Subject   string `json:"subject"`
		Body      string `json:"body"`
		Format    string `json:"format"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.Format != "" && body.Format != trigger.FormatText && body.Format != trigger.FormatHTML {
		return errs.Invalid("format must be text or html")
	}

	err := g.Mails.Send(r.Context(), httpapi.ScopeOf(r), httpapi.CallerOf(r).Run.Root, email.Letter{
		Recipient: body.Recipient, Subject: body.Subject, Body: body.Body, HTML: body.Format == trigger.FormatHTML,
	})
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, sent)
	return nil
}

// sent answers that a message went out.
var sent = struct {
	Status string `json:"status"`
}{"ok"}
