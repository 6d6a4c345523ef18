package send

import (
	"context"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action/sms"
)

// SMS is a text message from a template.
type SMS struct {
	To        To
	Template  string // name in the sms-setting
	Signature string // see messaging.SMS.Choose
	Keywords  map[string]string
}

// SMS accepts a text message that a function sends under a root call. It returns errs.Invalid for an invalid field or
// an incomplete sms-setting, and errs.TooMany if the call has reached its limit.
func (s *Service) SMS(ctx context.Context, scope tenant.Scope, root id.ID, m SMS) error {
	if m.Template == "" {
		return errs.Invalid("template_name must be the name of a template of the sms-setting")
	}
	if err := checkKeywords(m.Keywords); err != nil {
		return err
	}
	own, err := s.Settings.SMS(ctx, scope)
	if err != nil {
		return err
	}

	if !own.Enabled {
		return errs.Invalid("no SMS can be sent: enable it with PUT /oserve/v3/sms-setting/")
	}
	signature, err := own.Choose(m.Signature)
	if err != nil {
		return err
	}
	if _, err := sms.Text(own, signature.Name, m.Template, m.Keywords, time.UTC); err != nil {
		return refused(err)
	}

	to, err := s.recipient(ctx, scope, m.To, phoneNumber, userList, userGroup, schemaUser)
	if err != nil {
		return err
	}
	return s.ask(ctx, scope, root, "SMS", trigger.Action{Type: trigger.SMS, Settings: &trigger.SMSSettings{
		Recipient: to, Signature: signature.Name, Template: m.Template, Keywords: m.Keywords,
	}})
}
