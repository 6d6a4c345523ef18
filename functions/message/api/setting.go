package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/messaging"
)

// MailSetting is the setting of mail.
type MailSetting struct {
	Sender          string `json:"sender"`
	ReplyTo         string `json:"reply_to"`
	ListUnsubscribe string `json:"list_unsubscribe"`
}

// readMailSetting serves GET /oserve/v3/mail-setting/ (G26).
func (g *Group) readMailSetting(ctx context.Context, _ httpapi.None) (MailSetting, error) {
	setting, err := g.Settings.Mail(ctx, httpapi.Scope(ctx))
	return MailSetting(setting), err
}

type mailChange struct {
	Sender          *string `json:"sender" maxLength:"320"`
	ReplyTo         *string `json:"reply_to" maxLength:"320"`
	ListUnsubscribe *string `json:"list_unsubscribe" maxLength:"800"`
}

// putMailSetting serves PUT /oserve/v3/mail-setting/: given members replace the old ones.
func (g *Group) putMailSetting(ctx context.Context, in mailChange) (MailSetting, error) {
	setting, err := g.Settings.PutMail(ctx, httpapi.Scope(ctx), messaging.MailPatch(in))
	return MailSetting(setting), err
}

// SMSSetting is the setting of SMS.
type SMSSetting struct {
	Enabled    bool        `json:"enabled"`
	Signatures []signature `json:"signatures"`
	Templates  []template  `json:"templates"`
}

type signature struct {
	Name   string           `json:"name" required:"true" minLength:"1" maxLength:"20"`
	Status messaging.Status `json:"status" schema:"AuditStatus"`
}

type template struct {
	Name   string           `json:"name" required:"true" minLength:"1" maxLength:"64"`
	Text   string           `json:"text" required:"true" minLength:"1" maxLength:"500"`
	Status messaging.Status `json:"status" schema:"AuditStatus"`
}

func showSMS(s messaging.SMS) SMSSetting {
	return SMSSetting{
		Enabled:    s.Enabled,
		Signatures: each(s.Signatures, func(one messaging.Signature) signature { return signature(one) }),
		Templates:  each(s.Templates, func(one messaging.Template) template { return template(one) }),
	}
}

// each applies of to every item; the result is never nil.
func each[A, B any](list []A, of func(A) B) []B {
	made := make([]B, len(list))
	for i, item := range list {
		made[i] = of(item)
	}
	return made
}

// readSMSSetting serves GET /oserve/v3/sms-setting/ (G26).
func (g *Group) readSMSSetting(ctx context.Context, _ httpapi.None) (SMSSetting, error) {
	setting, err := g.Settings.SMS(ctx, httpapi.Scope(ctx))
	return showSMS(setting), err
}

type smsChange struct {
	Enabled    *bool        `json:"enabled"`
	Signatures *[]signature `json:"signatures" maxItems:"100"`
	Templates  *[]template  `json:"templates" maxItems:"100"`
}

// putSMSSetting serves PUT /oserve/v3/sms-setting/: given members replace the old ones, lists as a whole.
func (g *Group) putSMSSetting(ctx context.Context, in smsChange) (SMSSetting, error) {
	patch := messaging.SMSPatch{Enabled: in.Enabled}
	if in.Signatures != nil {
		list := each(*in.Signatures, func(one signature) messaging.Signature { return messaging.Signature(one) })
		patch.Signatures = &list
	}
	if in.Templates != nil {
		list := each(*in.Templates, func(one template) messaging.Template { return messaging.Template(one) })
		patch.Templates = &list
	}
	setting, err := g.Settings.PutSMS(ctx, httpapi.Scope(ctx), patch)
	return showSMS(setting), err
}
