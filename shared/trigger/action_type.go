package trigger

import (
	"fmt"
	"maps"
	"slices"
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

// ActionDefinition is one type of action. A new type is a row of actionDefinitions and its settings here, a reader of
// them in package draft, and an action.Doer.
type ActionDefinition struct {
	Batched bool // a run can take a list of events (G5)
	// Delivers says that a run sends its event to a receiver of the owner: signed with a key of the action (D37), tried
	// for three days, and sent again by a replay (G27).
	Delivers bool
	Proof    Proof
	Needs    Setting // without which runs fail, "" for none

	name     ActionType
	settings func() Settings // empty ones
	never    []Type          // the types of triggers that cannot have the action (contract, Actions)
}

// Proof says by what a replay knows the effects of a run.
type Proof int

// The proofs.
const (
	NoProof     Proof = iota // a second run has no further effect
	ProofRun                 // only the run itself, which may not know
	ProofMark                // the mark of the rows that it has changed
	ProofJob                 // the job that it has started
	ProofClaims              // the claims of the messages that it has sent
)

// Setting is a setting of an environment that actions need. Those of template messages have one for each vendor.
type Setting string

// The settings, beside those of vendors.
const (
	MailSetting Setting = "mail"
	SMSSetting  Setting = "sms"
)

// actionDefinitions are all types, in the order of the contract. tpay is like chat pay, and SMS go everywhere (D34).
var actionDefinitions = []ActionDefinition{
	{name: Email, settings: settingsOf[EmailSettings], Proof: ProofRun, Needs: MailSetting},
	{name: TemplateMessage, settings: settingsOf[TemplateMessageSettings], Proof: ProofClaims},
	{
		name: Webhook, settings: settingsOf[WebhookSettings], never: []Type{TypeTimer}, Batched: true, Delivers: true,
		Proof: ProofRun,
	},
	{name: TableOperation, settings: settingsOf[TableOperationSettings], never: []Type{TypeTimer}, Proof: ProofMark},
	{name: CloudFunction, settings: settingsOf[CloudFunctionSettings], Batched: true, Proof: ProofJob},
	{name: SMS, settings: settingsOf[SMSSettings], Proof: ProofClaims, Needs: SMSSetting},
}

// ActionTypes are the names of all types, in the order of the contract.
var ActionTypes = func() (all []ActionType) {
	for _, d := range actionDefinitions {
		all = append(all, d.name)
	}
	return all
}()

// settingsOf returns empty settings of a kind.
func settingsOf[S any, P interface {
	*S
	Settings
}]() Settings {
	return P(new(S))
}

// Definition returns the row of the type, an empty one for an unknown type.
func (a ActionType) Definition() ActionDefinition {
	i := slices.Index(ActionTypes, a)
	if i < 0 {
		return ActionDefinition{}
	}
	return actionDefinitions[i]
}

// Settings are the parameters of one type of action, such as *EmailSettings. Their JSON is the wire form; a webhook's
// key is kept apart from it.
type Settings interface {
	// Templates yields every template.
	Templates(yield func(Template))
}

// Template is a text of settings that names variables of the event.
type Template struct {
	Path string // below the settings
	Text string
	Form Form
}

// Form says what a template becomes when it is rendered.
type Form int

// The forms.
const (
	FormText    Form = iota
	FormHTML         // values are escaped
	FormLine         // a text on one line
	FormAddress      // a mail address, or empty
	FormPage         // a page of a mini-program, without a slash before it
	FormValue        // a value that is written into rows: it keeps its type
	FormOperand      // a value that is compared with rows: it keeps its type, and must be there
)

// eachTemplate yields every text in a JSON value as a template of a form.
func eachTemplate(path string, v any, form Form, yield func(Template)) {
	EachText(path, v, func(at, text string) { yield(Template{at, text, form}) })
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

// Templates yields every template with its path below the settings.
func (r Recipient) Templates(yield func(Template)) {
	eachTemplate("recipient.where", r.Where, FormOperand, yield)
	yield(Template{"recipient.phone", r.Phone, FormText})
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

// Templates implements Settings.
func (s *TemplateMessageSettings) Templates(yield func(Template)) {
	s.Recipient.Templates(yield)
	eachTemplate("keywords", s.Keywords, FormText, yield)
	yield(Template{"page", s.Page, FormPage})
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

// Templates implements Settings.
func (s *WebhookSettings) Templates(func(Template)) {}

// TableOperationSettings change rows.
type TableOperationSettings struct {
	Table     TableRef       `json:"table"`
	Operation Change         `json:"operation"`
	Where     map[string]any `json:"where,omitempty"` // D26, with templates in its values
	Assign    []Assignment   `json:"assign,omitempty"`
}

// Templates implements Settings.
func (s *TableOperationSettings) Templates(yield func(Template)) {
	eachTemplate("where", s.Where, FormOperand, yield)
	for i, a := range s.Assign {
		eachTemplate(fmt.Sprintf("assign[%d].value", i), a.Value, FormValue, yield)
	}
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

// Templates implements Settings.
func (s *CloudFunctionSettings) Templates(func(Template)) {}

// SMSSettings send a text message.
type SMSSettings struct {
	Recipient Recipient         `json:"recipient"`
	Signature string            `json:"signature"`
	Template  string            `json:"template"`
	Keywords  map[string]string `json:"keywords"` // T
}

// Templates implements Settings.
func (s *SMSSettings) Templates(yield func(Template)) {
	s.Recipient.Templates(yield)
	eachTemplate("keywords", s.Keywords, FormText, yield)
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
