package trigger

import (
	"fmt"
	"maps"
	"slices"
)

// Templates implements Settings.
func (s *EmailSettings) Templates(yield func(path, text string)) {
	for i, to := range s.To {
		yield(fmt.Sprintf("to[%d]", i), to)
	}
	yield("subject", s.Subject)
	yield("body", s.Body)
}

// Templates implements Settings.
func (s *TemplateMessageSettings) Templates(yield func(path, text string)) {
	s.Recipient.Templates(yield)
	EachText("keywords", s.Keywords, yield)
	yield("page", s.Page)
}

// Templates implements Settings.
func (s *WebhookSettings) Templates(func(path, text string)) {}

// Templates implements Settings.
func (s *TableOperationSettings) Templates(yield func(path, text string)) {
	EachText("where", s.Where, yield)
	for i, a := range s.Assign {
		EachText(fmt.Sprintf("assign[%d].value", i), a.Value, yield)
	}
}

// Templates implements Settings.
func (s *CloudFunctionSettings) Templates(func(path, text string)) {}

// Templates implements Settings.
func (s *SMSSettings) Templates(yield func(path, text string)) {
	s.Recipient.Templates(yield)
	EachText("keywords", s.Keywords, yield)
}

// Templates yields every template with its path below the settings.
func (r Recipient) Templates(yield func(path, text string)) {
	EachText("recipient.where", r.Where, yield)
	yield("recipient.phone", r.Phone)
}

// EachText yields every text in a JSON value, in a fixed order.
func EachText(path string, v any, yield func(path, text string)) {
	switch v := v.(type) {
	case string:
		yield(path, v)
	case map[string]string:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			yield(path+"."+name, v[name])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			EachText(path+"."+name, v[name], yield)
		}
	case []any:
		for i, item := range v {
			EachText(fmt.Sprintf("%s[%d]", path, i), item, yield)
		}
	}
}
