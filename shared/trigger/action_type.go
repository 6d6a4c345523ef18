package trigger

import (
	"fmt"
	"maps"
	"slices"
)

// ActionType is the type of an action, spelled as on the wire (G6).
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

// ActionDefinition describes one type of action. A new type needs a row in actionDefinitions, a settings type here, a
// reader of the settings in package draft, and an action.Doer.
type ActionDefinition struct {
	Batched bool // a run can process a list of events (G5)
	// Delivers is true if a run sends its event to a receiver of the owner: the request is signed with a key of the
	// action (D37), retried for three days, and sent again by a replay (G27).
	Delivers bool
	Proof    Proof
	Needs    Setting // runs fail without this setting of the environment; "" = none

	name     ActionType
	settings func() Settings // returns empty settings of the type
	never    []Type          // trigger types that cannot have the action (contract, Actions)
}

// Proof is the record that tells a replay which effects a run already had.
type Proof int

// The proofs.
const (
	NoProof     Proof = iota // nothing to check: running it again has no further effect
	ProofRun                 // the run itself; after a crash the effect is unknown
	ProofMark                // the mark of the rows that it changed
	ProofJob                 // the job that it started
	ProofClaims              // the claims of the messages that it sent
)

// Setting is a setting of an environment that actions need. Template messages have one setting per vendor.
type Setting string

// The settings, apart from those of the vendors.
const (
	MailSetting Setting = "mail"
	SMSSetting  Setting = "sms"
)

// actionDefinitions lists all types in the order of the contract. tpay triggers allow the same actions as chat pay, and
// every type of trigger allows SMS (D34).
var actionDefinitions = []ActionDefinition{
	{name: Email, settings: func() Settings { return &EmailSettings{} }, Proof: ProofRun, Needs: MailSetting},
	{name: TemplateMessage, settings: func() Settings { return &TemplateMessageSettings{} }, Proof: ProofClaims},
	{
		name: Webhook, settings: func() Settings { return &WebhookSettings{} }, never: []Type{TypeTimer}, Batched: true,
		Delivers: true, Proof: ProofRun,
	},
	{
		name: TableOperation, settings: func() Settings { return &TableOperationSettings{} }, never: []Type{TypeTimer},
		Proof: ProofMark,
	},
	{name: CloudFunction, settings: func() Settings { return &CloudFunctionSettings{} }, Batched: true, Proof: ProofJob},
	{name: SMS, settings: func() Settings { return &SMSSettings{} }, Proof: ProofClaims, Needs: SMSSetting},
}

// ActionTypes lists the names of all types in the order of the contract.
var ActionTypes = func() (all []ActionType) {
	for _, d := range actionDefinitions {
		all = append(all, d.name)
	}
	return all
}()

// Definition returns the definition of the type. It returns an empty one if the type is unknown.
func (a ActionType) Definition() ActionDefinition {
	i := slices.Index(ActionTypes, a)
	if i < 0 {
		return ActionDefinition{}
	}
	return actionDefinitions[i]
}

// Settings are the parameters of one type of action, such as *EmailSettings. Their JSON is the wire form, which does
// not include the key of a webhook.
type Settings interface {
	// Templates yields every template.
	Templates(yield func(Template))
}

// Template is a text in the settings that can contain variables of the event.
type Template struct {
	Path string // path of the field, relative to the settings
	Text string
	Form Form
}

// Form is the kind of value that a template renders to.
type Form int

// The forms.
const (
	FormText    Form = iota
	FormHTML         // HTML; the values of variables are escaped
	FormLine         // one line of text
	FormAddress      // mail address, or empty
	FormPage         // page of a mini-program, without a leading slash
	FormValue        // value written into rows; a variable keeps its JSON type
	FormOperand      // value compared with rows; a variable keeps its JSON type and must exist
)

// eachTemplate yields every string in a JSON value as a template of the given form.
func eachTemplate(path string, v any, form Form, yield func(Template)) {
	EachText(path, v, func(at, text string) { yield(Template{at, text, form}) })
}

// The values of EmailSettings.Format.
const (
	FormatText = "text"
	FormatHTML = "html"
)

// EmailSettings are the settings of an action that sends a mail.
type EmailSettings struct {
	To      []string `json:"to"` // template
	Subject string   `json:"subject"`
	Body    string   `json:"body"`
	Format  string   `json:"format"`
}

// Templates implements Settings.
func (s *EmailSettings) Templates(yield func(Template)) {
	for i, to := range s.To {
		yield(Template{fmt.Sprintf("to[%d]", i), to, FormAddress})
	}
	body := FormText
	if s.Format == FormatHTML {
		body = FormHTML
	}
	yield(Template{"subject", s.Subject, FormLine})
	yield(Template{"body", s.Body, body})
}

// RecipientKind is the kind of a message's recipient.
type RecipientKind string

// The kinds. PhoneNumber is allowed for SMS only, ListedUsers only in messages that functions send, never in triggers.
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
	Where map[string]any `json:"where,omitempty"` // for SomeUsers: a filter (D26) whose values may be templates
	Group int64          `json:"group,omitempty"`
	Phone string         `json:"phone,omitempty"` // template
	Users []int64        `json:"users,omitempty"` // for ListedUsers: distinct ids, oldest first
}

// Templates yields every template with its path relative to the settings.
func (r Recipient) Templates(yield func(Template)) {
	eachTemplate("recipient.where", r.Where, FormOperand, yield)
	yield(Template{"recipient.phone", r.Phone, FormText})
}

// TemplateMessageSettings are the settings of an action that sends a template message of a vendor.
type TemplateMessageSettings struct {
	Vendor       string            `json:"vendor"` // chat, alt, tpay
	Recipient    Recipient         `json:"recipient"`
	TemplateID   string            `json:"template_id"`
	Keywords     map[string]string `json:"keywords"` // template
	Page         string            `json:"page"`     // template
	FormIDSource string            `json:"form_id_source"`
	Pace         *Pace             `json:"pace,omitempty"`
}

// Templates implements Settings.
func (s *TemplateMessageSettings) Templates(yield func(Template)) {
	s.Recipient.Templates(yield)
	eachTemplate("keywords", s.Keywords, FormText, yield)
	yield(Template{"page", s.Page, FormPage})
}

// Subscription is the form_id_source of a message that needs no form id, because its users have subscribed to its
// template. Only functions send such messages.
const Subscription = "subscription"

// Pace limits the rate to Count messages per Minutes minutes.
type Pace struct {
	Count   int `json:"count"`
	Minutes int `json:"minutes"`
}

// WebhookSettings are the settings of an action that sends the event to a URL.
type WebhookSettings struct {
	URL            string `json:"url"`
	KeyOverlapDays int    `json:"key_overlap_days"` // The number of days that an old key also signs after a rotation.
	RatePerSecond  int    `json:"rate_per_second,omitempty"`
}

// Templates implements Settings.
func (s *WebhookSettings) Templates(func(Template)) {}

// TableOperationSettings are the settings of an action that creates, updates or deletes rows.
type TableOperationSettings struct {
	Table     TableRef       `json:"table"`
	Operation Change         `json:"operation"`
	Where     map[string]any `json:"where,omitempty"` // a filter (D26) whose values may be templates
	Assign    []Assignment   `json:"assign,omitempty"`
}

// Templates implements Settings.
func (s *TableOperationSettings) Templates(yield func(Template)) {
	eachTemplate("where", s.Where, FormOperand, yield)
	for i, a := range s.Assign {
		eachTemplate(fmt.Sprintf("assign[%d].value", i), a.Value, FormValue, yield)
	}
}

// Assignment is the change of one field.
type Assignment struct {
	Field    string           `json:"field"`
	Operator AssignmentChange `json:"operator"`
	Value    any              `json:"value"` // template or JSON
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

// CloudFunctionSettings are the settings of an action that runs a function.
type CloudFunctionSettings struct {
	Function string `json:"function"`
}

// Templates implements Settings.
func (s *CloudFunctionSettings) Templates(func(Template)) {}

// SMSSettings are the settings of an action that sends a text message.
type SMSSettings struct {
	Recipient Recipient         `json:"recipient"`
	Signature string            `json:"signature"`
	Template  string            `json:"template"`
	Keywords  map[string]string `json:"keywords"` // template
}

// Templates implements Settings.
func (s *SMSSettings) Templates(yield func(Template)) {
	s.Recipient.Templates(yield)
	eachTemplate("keywords", s.Keywords, FormText, yield)
}

// EachText yields every string in a JSON value with its path, in a fixed order.
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
