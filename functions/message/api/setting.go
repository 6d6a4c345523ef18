package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
)

// MailSetting is the setting of mail.
type MailSetting struct {
	Sender          string `json:"sender"`
	ReplyTo         string `json:"reply_to"`
	ListUnsubscribe string `json:"list_unsubscribe"`
	// The recipients a day that the application may write to, at most the budget of the deployment.
	DailyBudget int        `json:"daily_budget" minimum:"0"`
	SentToday   int        `json:"sent_today" minimum:"0"` // The recipients of today, in UTC.
	State       MailSender `json:"sender_state"`
}

// showMail returns a setting with the state of its sender and its budget, which the application's environments share.
func (g *Group) showMail(ctx context.Context, m messaging.Mail) (shown MailSetting, err error) {
	shown = MailSetting{
		Sender: m.Sender, ReplyTo: m.ReplyTo, ListUnsubscribe: m.ListUnsubscribe,
		DailyBudget: allowance.Limit(g.Senders.Budgets.Mails, m.DailyBudget),
	}
	app := httpapi.Scope(ctx).App
	if shown.SentToday, err = g.Senders.Spent(ctx, app, allowance.Mails); err != nil {
		return shown, err
	}
	state, err := g.Senders.State(ctx, app, m.Sender)
	shown.State = showSender(state)
	return shown, err
}

// readMailSetting serves GET /oserve/v3/mail-setting/ (G26).
func (g *Group) readMailSetting(ctx context.Context, _ httpapi.None) (MailSetting, error) {
	setting, err := g.Settings.Mail(ctx, httpapi.Scope(ctx))
	if err != nil {
		return MailSetting{}, err
	}
	return g.showMail(ctx, setting)
}

type mailChange struct {
	Sender          *string `json:"sender" maxLength:"320"`
	ReplyTo         *string `json:"reply_to" maxLength:"320"`
	ListUnsubscribe *string `json:"list_unsubscribe" maxLength:"800"`
	// Null for the budget of the deployment.
	DailyBudget httpapi.Nullable[int] `json:"daily_budget" minimum:"0" maximum:"10000000"`
}

// putMailSetting serves PUT /oserve/v3/mail-setting/: given members replace the old ones.
func (g *Group) putMailSetting(ctx context.Context, in mailChange) (MailSetting, error) {
	setting, err := g.Settings.PutMail(ctx, httpapi.Scope(ctx), messaging.MailPatch{
		Sender: in.Sender, ReplyTo: in.ReplyTo, ListUnsubscribe: in.ListUnsubscribe,
		DailyBudget: messaging.Budget(in.DailyBudget),
	})
	if err != nil {
		return MailSetting{}, err
	}
	return g.showMail(ctx, setting)
}

// SMSSetting is the setting of SMS.
type SMSSetting struct {
	Enabled    bool        `json:"enabled"`
	Signatures []signature `json:"signatures"`
	Templates  []template  `json:"templates"`
	// The parts of SMS a day that the application may send, at most the budget of the deployment.
	DailyBudget int `json:"daily_budget" minimum:"0"`
	SentToday   int `json:"sent_today" minimum:"0"` // The parts of today, in UTC.
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

// showSMS returns a setting with its budget, which the application's environments share.
func (g *Group) showSMS(ctx context.Context, s messaging.SMS) (SMSSetting, error) {
	spent, err := g.Senders.Spent(ctx, httpapi.Scope(ctx).App, allowance.Texts)
	return SMSSetting{
		Enabled:     s.Enabled,
		Signatures:  each(s.Signatures, func(one messaging.Signature) signature { return signature(one) }),
		Templates:   each(s.Templates, func(one messaging.Template) template { return template(one) }),
		DailyBudget: allowance.Limit(g.Senders.Budgets.Texts, s.DailyBudget), SentToday: spent,
	}, err
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
	if err != nil {
		return SMSSetting{}, err
	}
	return g.showSMS(ctx, setting)
}

type smsChange struct {
	Enabled    *bool        `json:"enabled"`
	Signatures *[]signature `json:"signatures" maxItems:"100"`
	Templates  *[]template  `json:"templates" maxItems:"100"`
	// Null for the budget of the deployment.
	DailyBudget httpapi.Nullable[int] `json:"daily_budget" minimum:"0" maximum:"10000000"`
}

// putSMSSetting serves PUT /oserve/v3/sms-setting/: given members replace the old ones, lists as a whole.
func (g *Group) putSMSSetting(ctx context.Context, in smsChange) (SMSSetting, error) {
	patch := messaging.SMSPatch{Enabled: in.Enabled, DailyBudget: messaging.Budget(in.DailyBudget)}
	if in.Signatures != nil {
		list := each(*in.Signatures, func(one signature) messaging.Signature { return messaging.Signature(one) })
		patch.Signatures = &list
	}
	if in.Templates != nil {
		list := each(*in.Templates, func(one template) messaging.Template { return messaging.Template(one) })
		patch.Templates = &list
	}
	setting, err := g.Settings.PutSMS(ctx, httpapi.Scope(ctx), patch)
	if err != nil {
		return SMSSetting{}, err
	}
	return g.showSMS(ctx, setting)
}
