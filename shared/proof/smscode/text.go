package smscode

import (
	"context"
	"errors"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/sms"
)

// TemplateName is the name of the template of the sms-setting for codes, used if it is approved. Its keywords are code
// and minutes.
const TemplateName = "verification_code"

// plainText is the text for applications without an approved template.
const plainText = "{{ code }} is your verification code, valid for {{ minutes }} minutes."

// setting returns the SMS setting and the name of the signature. It returns errs.Invalid that names what is missing.
func (s *Codes) setting(ctx context.Context, scope tenant.Scope, given string) (messaging.SMS, string, error) {
	own, err := s.Settings.SMS(ctx, scope)
	if err != nil {
		return own, "", err
	}
	if !own.Enabled {
		return own, "", errs.Invalid("no SMS can be sent: enable it with PUT /oserve/v3/sms-setting/")
	}
	signature, err := own.Choose(given)
	if err != nil {
		return own, "", err
	}

	err = sms.Usable(own, signature.Name)
	// Usable returns the failure of an action; here it is an error of the request.
	if f, ok := errors.AsType[*action.Failure](err); ok {
		err = errs.Invalid("signature_id: %s", f.Message)
	}
	return own, signature.Name, err
}

// text returns the text of the message.
func text(own messaging.SMS, signature, code string) (string, error) {
	template := plainText
	if own, ok := own.Template(TemplateName); ok && own.Status == messaging.Approved {
		template = own.Text
	}
	keywords := map[string]string{"code": code, "minutes": "10"}
	filled, err := sms.Fill(signature, template, keywords, time.UTC)
	if err != nil {
		return "", errs.Invalid("template %q: %s", TemplateName, errs.Message(err))
	}
	return filled, nil
}
