package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/messaging"
)

// mailView is the setting of mail.
type mailView struct {
	Sender          string `json:"sender"`
	ReplyTo         string `json:"reply_to"`
	ListUnsubscribe string `json:"list_unsubscribe"`
}

// smsView is the setting of SMS.
type smsView struct {
	Enabled    bool                  `json:"enabled"`
	Signatures []messaging.Signature `json:"signatures"`
	Templates  []messaging.Template  `json:"templates"`
}

func showSMS(s messaging.SMS) smsView {
	v := smsView{Enabled: s.Enabled, Signatures: s.Signatures, Templates: s.Templates}
	if v.Signatures == nil {
		v.Signatures = []messaging.Signature{}
	}
	if v.Templates == nil {
		v.Templates = []messaging.Template{}
	}
	return v
}

// readMailSetting serves GET /oserve/v3/mail-setting/ (G26).
func (g *Group) readMailSetting(w http.ResponseWriter, r *http.Request) error {
	setting, err := g.Settings.Mail(r.Context(), httpapi.ScopeOf(r))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, mailView(setting))
	return nil
}

// putMailSetting serves PUT /oserve/v3/mail-setting/: given members replace.
func (g *Group) putMailSetting(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Sender          *string `json:"sender"`
		ReplyTo         *string `json:"reply_to"`
		ListUnsubscribe *string `json:"list_unsubscribe"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	setting, err := g.Settings.PutMail(r.Context(), httpapi.ScopeOf(r), messaging.MailPatch(body))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, mailView(setting))
	return nil
}

// readSMSSetting serves GET /oserve/v3/sms-setting/ (G26).
func (g *Group) readSMSSetting(w http.ResponseWriter, r *http.Request) error {
	setting, err := g.Settings.SMS(r.Context(), httpapi.ScopeOf(r))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showSMS(setting))
	return nil
}

// putSMSSetting serves PUT /oserve/v3/sms-setting/: given members replace, lists as a whole.
func (g *Group) putSMSSetting(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Enabled    *bool                  `json:"enabled"`
		Signatures *[]messaging.Signature `json:"signatures"`
		Templates  *[]messaging.Template  `json:"templates"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	setting, err := g.Settings.PutSMS(r.Context(), httpapi.ScopeOf(r), messaging.SMSPatch(body))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showSMS(setting))
	return nil
}
