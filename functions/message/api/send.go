package api

import (
	"context"
	"encoding/json"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action/send"
)

// recipients selects who gets a message, together with recipient_type.
type recipients struct {
	Users  people    `json:"user_list" schema:"MessageUsers"`
	Groups names     `json:"user_group_name" schema:"MessageGroups"`
	Schema string    `json:"schema_name" enum:"_userprofile,"`
	Where  condition `json:"user_profile_filters" schema:"MessageFilters"`
}

// to converts recipients for a recipient type.
func (r recipients) to(kind string) send.To {
	return send.To{Type: kind, Users: r.Users, Groups: r.Groups, Schema: r.Schema, Where: json.RawMessage(r.Where)}
}

type textMessage struct {
	Type  string `json:"recipient_type" enum:"phone_number,user_list,user_group,schema_user" required:"true"`
	Phone text   `json:"phone_number" type:"string,integer"`
	recipients
	Template string `json:"template_name" minLength:"1" required:"true"`
	// The name of a signature of the SMS setting, or its index from 1.
	Signature text     `json:"signature_id" type:"string,integer,null"`
	Keywords  keywords `json:"keywords" schema:"MessageKeywords"`
}

// sendSMS serves POST /dserve/v1/message/sms/ (BaaS.sendSmsMessage).
func (g *Group) sendSMS(ctx context.Context, in textMessage) (httpapi.OK, error) {
	to := in.to(in.Type)
	to.Phone = string(in.Phone)
	return httpapi.Done, g.Messages.SMS(ctx, httpapi.Scope(ctx), httpapi.From(ctx).Run.Root, send.SMS{
		To: to, Template: in.Template, Signature: string(in.Signature), Keywords: in.Keywords,
	})
}

type templateMessage struct {
	ofVendor
	Type string  `json:"recipient_type" enum:"user_id,user_list,user_group,schema_user" required:"true"`
	User someone `json:"user_id" type:"string,integer"`
	recipients
	TemplateID string   `json:"template_id" minLength:"1" maxLength:"128" required:"true"`
	Submission string   `json:"submission_type" enum:"form_id,form,prepay_id,trade_no,payment,all,"`
	Page       string   `json:"page" maxLength:"1024"`
	Keywords   keywords `json:"keywords" schema:"MessageKeywords"`
}

// submissions maps the values of submission_type to those of form_id_source.
var submissions = map[string]string{
	"": "all", "all": "all", "form_id": "form", "form": "form",
	"prepay_id": "payment", "trade_no": "payment", "payment": "payment",
}

// sendTemplate serves POST /dserve/v1/message/template/:vendor/ (BaaS.sendTemplateMessage).
func (g *Group) sendTemplate(ctx context.Context, in templateMessage) (ok httpapi.OK, err error) {
	source, known := submissions[in.Submission]
	if !known {
		return ok, errs.Invalid("submission_type must be one of form_id, prepay_id, trade_no, all")
	}
	return g.sendByVendor(ctx, in, source)
}

// sendSubscribed serves POST /dserve/v1/message/subscribe/:vendor/ (BaaS.chat.sendSubscribeMessage).
func (g *Group) sendSubscribed(ctx context.Context, in templateMessage) (httpapi.OK, error) {
	return g.sendByVendor(ctx, in, trigger.Subscription)
}

// sendByVendor sends a template message of a vendor; source is the kind of permission it uses.
func (g *Group) sendByVendor(ctx context.Context, in templateMessage, source string) (httpapi.OK, error) {
	to := in.to(in.Type)
	to.User = in.User.ID
	return httpapi.Done, g.Messages.Template(ctx, httpapi.Scope(ctx), httpapi.From(ctx).Run.Root, send.Template{
		Vendor: in.Vendor, To: to, TemplateID: in.TemplateID, Page: in.Page, Keywords: in.Keywords, Source: source,
	})
}
