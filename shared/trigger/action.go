package trigger

import (
	"encoding/json"
	"fmt"
)

// ActionType says what an action does, spelled as on the wire (G6).
type ActionType string

// The types.
const (
	Email           ActionType = "email"
	TemplateMessage ActionType = "template_message"
	Webhook         ActionType = "webhook"
	TableOperation  ActionType = "table_operation"
	CloudFunction   ActionType = "cloud_function"
	SMS             ActionType = "sms"
)

// ActionTypes are all of them, in the order of the contract.
var ActionTypes = []ActionType{Email, TemplateMessage, Webhook, TableOperation, CloudFunction, SMS}

// Action is what a trigger asks for when it fires.
type Action struct {
	ID        ActionID   `json:"id"`
	Type      ActionType `json:"type"`
	Frequency Frequency  `json:"frequency"`
	Flow      Flow       `json:"flow"`
	Settings  Settings   `json:"settings"`
}

// Mode says how often an action may run (D36).
type Mode string

// The modes.
const (
	Repeatable   Mode = "repeatable"
	Intermittent Mode = "intermittent" // at most once in an interval
	Once         Mode = "once"         // ever
)

// Frequency limits an action.
type Frequency struct {
	Mode            Mode `json:"mode"`
	IntervalSeconds int  `json:"interval_seconds,omitempty"`
}

// Flow controls when an action runs, beside its frequency (G5). Zero values are
// "not asked for".
type Flow struct {
	DebounceSeconds int       `json:"debounce_seconds,omitempty"` // The number of seconds without events before the action runs.
	Batch           *Batch    `json:"batch,omitempty"`
	Throttle        *Throttle `json:"throttle,omitempty"`
	Key             string    `json:"key,omitempty"`     // T: groups what the others count; "" = the trigger
	Ordered         bool      `json:"ordered,omitempty"` // Run the actions with the same key one after the other.
}

// Batch gives an action the events of some time in one list.
type Batch struct {
	Size    int `json:"size"`
	Seconds int `json:"seconds"`
}

// Throttle lets count actions run in a period; the rest waits.
type Throttle struct {
	Count         int `json:"count"`
	PeriodSeconds int `json:"period_seconds"`
}

// Settings are what one type of action needs: *EmailSettings,
// *TemplateMessageSettings, *WebhookSettings, *TableOperationSettings,
// *CloudFunctionSettings or *SMSSettings. Their JSON is the wire form; a
// webhook's key is kept apart from it.
type Settings interface {
	// Templates yields every template with its path below the settings.
	Templates(yield func(path, text string))
}

// Texts of EmailSettings.Format.
const (
	FormatText = "text"
	FormatHTML = "html"
)

// EmailSettings send a mail.
type EmailSettings struct {
	To      []string `json:"to"` // T
	Subject string   `json:"subject"`
	Body    string   `json:"body"`
	Format  string   `json:"format"`
}

// RecipientKind says who gets a message.
type RecipientKind string

// The kinds; phone is for SMS only, and a list is what functions name, never a trigger.
const (
	TriggeringUser RecipientKind = "triggering_user"
	SomeUsers      RecipientKind = "users"
	UserGroup      RecipientKind = "group"
	PhoneNumber    RecipientKind = "phone"
	ListedUsers    RecipientKind = "list"
)

// Recipient is the recipient of a message.
type Recipient struct {
	Kind  RecipientKind  `json:"kind"`
	Where map[string]any `json:"where,omitempty"` // users: D26, with templates in its values
	Group int64          `json:"group,omitempty"`
	Phone string         `json:"phone,omitempty"` // T
	Users []int64        `json:"users,omitempty"` // list: their ids, each once, the oldest first
}

// TemplateMessageSettings send a template message of a vendor.
type TemplateMessageSettings struct {
	Vendor       string            `json:"vendor"` // chat, alt, tpay
	Recipient    Recipient         `json:"recipient"`
	TemplateID   string            `json:"template_id"`
	Keywords     map[string]string `json:"keywords"` // T
	Page         string            `json:"page"`     // T
	FormIDSource string            `json:"form_id_source"`
	Pace         *Pace             `json:"pace,omitempty"`
}

// Subscription is the form_id_source of a message that needs no form id: its users have subscribed to its template.
// Only functions send such messages.
const Subscription = "subscription"

// Pace sends at most Count messages in so many minutes.
type Pace struct {
	Count   int `json:"count"`
	Minutes int `json:"minutes"`
}

// WebhookSettings send the event to an address.
type WebhookSettings struct {
	URL            string `json:"url"`
	KeyOverlapDays int    `json:"key_overlap_days"` // The number of days that an old key also signs after a rotation.
	RatePerSecond  int    `json:"rate_per_second,omitempty"`
}

// TableOperationSettings change rows.
type TableOperationSettings struct {
	Table     TableRef       `json:"table"`
	Operation Change         `json:"operation"`
	Where     map[string]any `json:"where,omitempty"` // D26, with templates in its values
	Assign    []Assignment   `json:"assign,omitempty"`
}

// Assignment changes one field.
type Assignment struct {
	Field    string           `json:"field"`
	Operator AssignmentChange `json:"operator"`
	Value    any              `json:"value"` // T or JSON
}

// AssignmentChange is the operator of an assignment.
type AssignmentChange string

// The operators.
const (
	Assign       AssignmentChange = "="
	Append       AssignmentChange = "append"
	AppendUnique AssignmentChange = "append_unique"
	Remove       AssignmentChange = "remove"
	IncBy        AssignmentChange = "inc_by"
)

// CloudFunctionSettings run a function.
type CloudFunctionSettings struct {
	Function string `json:"function"`
}

// SMSSettings send a text message.
type SMSSettings struct {
	Recipient Recipient         `json:"recipient"`
	Signature string            `json:"signature"`
	Template  string            `json:"template"`
	Keywords  map[string]string `json:"keywords"` // T
}

// newSettings returns empty settings of the type, nil for an unknown one.
func newSettings(t ActionType) Settings {
	switch t {
	case Email:
		return &EmailSettings{}
	case TemplateMessage:
		return &TemplateMessageSettings{}
	case Webhook:
		return &WebhookSettings{}
	case TableOperation:
		return &TableOperationSettings{}
	case CloudFunction:
		return &CloudFunctionSettings{}
	case SMS:
		return &SMSSettings{}
	}
	return nil
}

// UnmarshalJSON reads the stored form, which is the wire form.
func (a *Action) UnmarshalJSON(text []byte) error {
	type plain Action
	stored := struct {
		*plain
		Settings json.RawMessage `json:"settings"`
	}{plain: (*plain)(a)}
	if err := json.Unmarshal(text, &stored); err != nil {
		return err
	}

	if a.Settings = newSettings(a.Type); a.Settings == nil {
		return fmt.Errorf("action %d has unknown type %q", a.ID, a.Type)
	}
	return json.Unmarshal(stored.Settings, a.Settings)
}
