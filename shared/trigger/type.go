package trigger

import (
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// Type is the type of a trigger, spelled as on the wire (G2).
type Type string

// The types.
const (
	TypeTable           Type = "table"
	TypeChatPay         Type = "chat_pay"
	TypeAltPay          Type = "alt_pay"
	TypeTPay            Type = "tpay"
	TypeTimer           Type = "timer"
	TypeFileOperation   Type = "file_operation"
	TypeIncomingWebhook Type = "incoming_webhook"
	TypeChatMessage     Type = "chat_message"
)

// ReadText reads the type from a query. It returns errs.Invalid if the text is not a type.
func (t *Type) ReadText(text string) error {
	if *t = Type(text); !slices.Contains(Types, *t) {
		return errs.Invalid("type must be a type of trigger, such as %q", TypeTable)
	}
	return nil
}

// Definition describes one type of trigger. Each is defined in the on_*.go file of its type, with its condition and its
// events.
type Definition struct {
	// Source is the event.eventType of functions that triggers of the type start, and the source of their jobs (D22).
	Source string
	// Actions and Keys are the variables that templates of actions and of flow-control keys (G5) can use. Keys are not
	// sent to anyone, so they may use more. Webhooks and functions have no templates: they receive the whole event.
	Actions, Keys *Visibility
	// Called is true if each trigger has its own URL that others call.
	Called bool

	name      Type
	condition func() Condition // returns an empty condition of the type
	// waits and comes return the IndexKey of a trigger and of an event. They are nil if every event of the type is
	// relevant to all of its triggers.
	waits func(Trigger) string
	comes func(Event) string
	// claims returns the claims of a webhook's token; if nil, the claims are the payload.
	claims func(Event) map[string]any
	sample func(sampling) Event
	past   func(Trigger) Past // nil means PastLog
}

// definitions lists all types in the order of the contract.
var definitions = []*Definition{
	&onTable, &onChatPay, &onAltPay, &onTPay, &onTimer, &onFileOperation, &onIncomingWebhook, &onChatMessage,
}

// Types lists the names of all types in the order of the contract.
var Types = func() (all []Type) {
	for _, d := range definitions {
		all = append(all, d.name)
	}
	return all
}()

// Definition returns the definition of the type. It returns an empty one if the type is unknown.
func (t Type) Definition() *Definition {
	i := slices.IndexFunc(definitions, func(d *Definition) bool { return d.name == t })
	if i < 0 {
		return &Definition{Actions: VisibleNone, Keys: VisibleNone}
	}
	return definitions[i]
}

// Past is the source of a trigger's past events, for back-tests.
type Past int

// The sources of past events.
const (
	PastLog     Past = iota // the log of triggers with the same IndexKey
	PastMinutes             // the past minutes of the timer
	PastOrders              // the paid orders
	PastCalls               // the stored calls of the trigger's URL
	PastCreated             // current rows
	PastUpdated             // current rows that were updated
)

// Past returns the source of the trigger's past events.
func (t Trigger) Past() Past {
	if d := t.Type.Definition(); d.past != nil {
		return d.past(t)
	}
	return PastLog
}

// Allowed reports whether triggers of type t may have actions of type a.
func Allowed(t Type, a ActionType) bool {
	return slices.Contains(ActionTypes, a) && slices.Contains(Types, t) && !slices.Contains(a.Definition().never, t)
}

// Forbidden returns the error message for a combination that Allowed rejects (G8).
func Forbidden(t Type, a ActionType) string {
	return fmt.Sprintf("%s trigger cannot have %s action", WithArticle(string(t)), WithArticle(string(a)))
}

// WithArticle puts "a" or "an" before a word.
func WithArticle(word string) string {
	if word != "" && strings.ContainsRune("aeio", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// Kind is the kind of an event, spelled as in X-Service-Trigger-Event (D37).
type Kind string

// The kinds. OnTimer is never sent in the header, because timers cannot have webhooks.
const (
	OnCreate          Kind = "on_create"
	OnUpdate          Kind = "on_update"
	OnDelete          Kind = "on_delete"
	OnPayment         Kind = "on_payment"
	OnTimer           Kind = "on_timer"
	OnFile            Kind = "on_file"
	OnIncomingWebhook Kind = "on_incoming_webhook"
	OnChatMessage     Kind = "on_chat_message"
	// OnRequest is the kind of an action that a function requests directly: no trigger fires on it, see run.NewRequest.
	OnRequest Kind = "on_request"
)

// KindOf maps a row change to its kind of event.
var KindOf = map[Change]Kind{Create: OnCreate, Update: OnUpdate, Delete: OnDelete}

// IndexKey returns the key under which the trigger is indexed: the IndexKey of the events that may fire it.
func (t Trigger) IndexKey() string {
	if d := t.Type.Definition(); d.waits != nil {
		return d.waits(t)
	}
	return string(t.Type)
}
