package api

import (
	"encoding/json"
	"net/http"

	"minicloud/shared/action/send"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/messaging"
	"minicloud/shared/trigger"
)

// messageBody is what functions send to many: its recipients, then what text messages and what vendors want.
type messageBody struct {
	RecipientType string          `json:"recipient_type"`
	PhoneNumber   json.RawMessage `json:"phone_number"`
	UserID        json.RawMessage `json:"user_id"`
	UserList      json.RawMessage `json:"user_list"`
	UserGroupName json.RawMessage `json:"user_group_name"`
	SchemaName    string          `json:"schema_name"`
	Filters       json.RawMessage `json:"user_profile_filters"`
	Keywords      json.RawMessage `json:"keywords"`

	TemplateName string          `json:"template_name"`
	SignatureID  json.RawMessage `json:"signature_id"`

	TemplateID     string `json:"template_id"`
	SubmissionType string `json:"submission_type"`
	Page           string `json:"page"`
}

// to is who gets it.
func (b messageBody) to() (to send.To, err error) {
	to = send.To{Type: b.RecipientType, Schema: b.SchemaName}
	if to.Phone, err = textGiven("phone_number", b.PhoneNumber); err != nil {
		return to, err
	}
	if to.User, err = userGiven("user_id", b.UserID); err != nil {
		return to, err
	}

	list, err := listGiven("user_list", b.UserList, false)
	if err != nil {
		return to, err
	}
	for _, item := range list {
		one, err := userGiven("user_list", item)
		if err != nil || one == 0 {
			return to, errs.Invalid("user_list must be an array of ids of users")
		}
		to.Users = append(to.Users, one)
	}

	names, err := listGiven("user_group_name", b.UserGroupName, true)
	if err != nil {
		return to, err
	}
	for _, item := range names {
		var name string
		if json.Unmarshal(item, &name) != nil || name == "" {
			return to, errs.Invalid("user_group_name must be the name of a group of users, or an array of such names")
		}
		to.Groups = append(to.Groups, name)
	}

	to.Where, err = conditionGiven(b.Filters)
	return to, err
}

// conditionGiven is an object, or the text of one.
func conditionGiven(raw json.RawMessage) (json.RawMessage, error) {
	if absent(raw) {
		return nil, nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return nil, errs.Invalid("user_profile_filters must be an object")
	}
	return raw, nil
}

// sendSMS serves POST /dserve/v1/message/sms/ (BaaS.sendSmsMessage).
func (g *Group) sendSMS(w http.ResponseWriter, r *http.Request) error {
	var body messageBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	to, err := body.to()
	if err != nil {
		return err
	}
	signature, err := textGiven("signature_id", body.SignatureID)
	if err != nil {
		return err
	}
	keywords, err := keywordsGiven(body.Keywords)
	if err != nil {
		return err
	}

	err = g.Messages.SMS(r.Context(), httpapi.ScopeOf(r), httpapi.CallerOf(r).Run.Root, send.SMS{
		To: to, Template: body.TemplateName, Signature: signature, Keywords: keywords,
	})
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, sent)
	return nil
}

// submissions are the values of submission_type, as form_id_source says them.
var submissions = map[string]string{
	"": "all", "all": "all", "form_id": "form", "form": "form",
	"prepay_id": "payment", "trade_no": "payment", "payment": "payment",
}

// sendTemplate serves POST /dserve/v1/message/template/:vendor/ (BaaS.sendTemplateMessage).
func (g *Group) sendTemplate(w http.ResponseWriter, r *http.Request) error {
	return g.sendByVendor(w, r, func(b messageBody) (string, error) {
		source, ok := submissions[b.SubmissionType]
		if !ok {
			return "", errs.Invalid("submission_type must be one of form_id, prepay_id, trade_no, all")
		}
		return source, nil
	})
}

// sendSubscribed serves POST /dserve/v1/message/subscribe/:vendor/ (BaaS.chat.sendSubscribeMessage).
func (g *Group) sendSubscribed(w http.ResponseWriter, r *http.Request) error {
	return g.sendByVendor(w, r, func(messageBody) (string, error) { return trigger.Subscription, nil })
}

// sendByVendor takes a message of a template of a vendor; source is what allows it.
func (g *Group) sendByVendor(
	w http.ResponseWriter, r *http.Request, source func(messageBody) (string, error),
) error {
	vendor, err := messaging.ParseVendor(r.PathValue("vendor"))
	if err != nil {
		return err
	}
	var body messageBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	to, err := body.to()
	if err != nil {
		return err
	}
	keywords, err := keywordsGiven(body.Keywords)
	if err != nil {
		return err
	}

	m := send.Template{
		Vendor: vendor, To: to, TemplateID: body.TemplateID, Page: body.Page, Keywords: keywords,
	}
	if m.Source, err = source(body); err != nil {
		return err
	}
	if err := g.Messages.Template(r.Context(), httpapi.ScopeOf(r), httpapi.CallerOf(r).Run.Root, m); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, sent)
	return nil
}
