package send

import (
	"context"
	"strings"
	"unicode/utf8"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Template is a message from a template of a vendor.
type Template struct {
	Vendor     messaging.Vendor
	To         To
	TemplateID string // id at the vendor
	Page       string // page that a tap opens, "" = none
	Keywords   map[string]string
	// Source is what permits the message: "all", "form" or "payment" form ids, or trigger.Subscription.
	Source string
}

// Limits of messages, the same as those of triggers.
const (
	maxKeywords   = 50
	maxKeyword    = 2000 // characters
	maxPage       = 1024 // characters
	maxTemplateID = 128  // characters
)

// Template accepts a template message that a function sends under a root call. It returns errs.Invalid for an invalid
// field or an incomplete message setting, and errs.TooMany if the call has reached its limit.
func (s *Service) Template(ctx context.Context, scope tenant.Scope, root id.ID, m Template) error {
	if err := m.check(); err != nil {
		return err
	}
	if err := s.Settings.CheckVendor(ctx, scope, m.Vendor); err != nil {
		return err
	}
	to, err := s.recipient(ctx, scope, m.To, userID, userList, userGroup, schemaUser)
	if err != nil {
		return err
	}

	settings := &trigger.TemplateMessageSettings{
		Vendor: string(m.Vendor), Recipient: to, TemplateID: m.TemplateID, Keywords: m.Keywords, Page: m.Page,
		FormIDSource: m.Source,
	}
	return s.ask(ctx, scope, root, string(m.Vendor), trigger.Action{Type: trigger.TemplateMessage, Settings: settings})
}

func (m Template) check() error {
	switch {
	case m.Source == trigger.Subscription && m.Vendor == messaging.Alt:
		return errs.Invalid("alt has no messages that users subscribe to")
	case m.Source == "payment" && m.Vendor == messaging.Tpay:
		return errs.Invalid("submission_type: tpay takes no form ids of payments")
	case m.TemplateID == "" || utf8.RuneCountInString(m.TemplateID) > maxTemplateID:
		return errs.Invalid("template_id must be 1 to %d characters", maxTemplateID)
	case utf8.RuneCountInString(m.Page) > maxPage:
		return errs.Invalid("page must be at most %d characters", maxPage)
	case strings.HasPrefix(m.Page, "/"):
		return errs.Invalid(`page must not begin with a slash: it is like "pages/index"`)
	}
	return checkKeywords(m.Keywords)
}

func checkKeywords(keywords map[string]string) error {
	if len(keywords) > maxKeywords {
		return errs.Invalid("keywords must have at most %d members", maxKeywords)
	}
	for name, value := range keywords {
		if utf8.RuneCountInString(name) > maxTemplateID || utf8.RuneCountInString(value) > maxKeyword {
			return errs.Invalid("keywords: a name has at most %d characters, a value %d", maxTemplateID, maxKeyword)
		}
	}
	return nil
}
