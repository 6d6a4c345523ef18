package trigger

import (
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// Type says what a trigger waits for, spelled as on the wire (G2).
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

// ReadText reads the type from a query: errs.Invalid for what is none.
func (t *Type) ReadText(text string) error {
	if *t = Type(text); !slices.Contains(Types, *t) {
		return errs.Invalid("type must be a type of trigger, such as %q", TypeTable)
	}
	return nil
}

// Definition is what a type is, in one value. The values stand in one on_*.go per type, with their conditions and
// events.
type Definition struct {
	// Source is event.eventType of functions that triggers of the type start; it is their jobs' source, too (D22).
	Source string
	// Actions and Keys are what templates can name: those of actions, and those of a flow's key (G5), which sends nothing
	// and so may name more. Webhooks and functions have no templates: they get the event whole.
	Actions, Keys *Visibility
	// Called says that each trigger has an address of its own, which others call.
	Called bool

	name      Type
	condition func() Condition // an empty one
	// waits and comes are the IndexKey of a trigger and of an event. They are nil where all triggers of the type may care
	// about all of its events.
	waits func(Trigger) string
	comes func(Event) string
	// claims are what a webhook's token says of an event, nil for its payload.
	claims func(Event) map[string]any
	sample func(sampling) Event
	past   func(Trigger) Past // nil is PastLog
}

// definitions are all types, in the order of the contract.
var definitions = []*Definition{
	&onTable, &onChatPay, &onAltPay, &onTPay, &onTimer, &onFileOperation, &onIncomingWebhook, &onChatMessage,
}

// Types are all of them, in the order of the contract.
var Types = func() (all []Type) {
	for _, d := range definitions {
		all = append(all, d.name)
	}
	return all
}()

// conditionOf returns an empty condition of a kind.
func conditionOf[C any, P interface {
	*C
	Condition
}]() Condition {
	return P(new(C))
}

// Definition returns the value of the type, an empty one for an unknown type.
func (t Type) Definition() *Definition {
	i := slices.IndexFunc(definitions, func(d *Definition) bool { return d.name == t })
	if i < 0 {
		return &Definition{Actions: VisibleNone, Keys: VisibleNone}
	}
	return definitions[i]
}

// Past says where the past events of a trigger are found again.
type Past int

// The sources of past events.
const (
	PastLog     Past = iota // the log of triggers that wait for the same
	PastMinutes             // of a timer
	PastOrders              // that are paid
	PastCalls               // of the trigger's address
	PastCreated             // rows as they are now
	PastUpdated             // rows that have changed, as they are now
)

// Past returns where the past events of the trigger are found again.
func (t Trigger) Past() Past {
	if d := t.Type.Definition(); d.past != nil {
		return d.past(t)
	}
	return PastLog
}

// Allowed reports whether a trigger of the type may have such an action.
func Allowed(t Type, a ActionType) bool {
	return slices.Contains(ActionTypes, a) && slices.Contains(Types, t) && !slices.Contains(a.Definition().never, t)
}

// Forbidden is the sentence of G8.
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

// Kind says what happened, spelled as in X-Service-Trigger-Event (D37).
type Kind string

// The kinds. A timer's is never sent, for timers have no webhooks.
const (
	OnCreate          Kind = "on_create"
	OnUpdate          Kind = "on_update"
	OnDelete          Kind = "on_delete"
	OnPayment         Kind = "on_payment"
	OnTimer           Kind = "on_timer"
	OnFile            Kind = "on_file"
	OnIncomingWebhook Kind = "on_incoming_webhook"
	OnChatMessage     Kind = "on_chat_message"
	// OnRequest is of what a function asks for itself: no trigger waits for it, see NewRequest.
	OnRequest Kind = "on_request"
)

// KindOf names what happened to a row.
var KindOf = map[Change]Kind{Create: OnCreate, Update: OnUpdate, Delete: OnDelete}

// IndexKey is where events find the trigger: equal to theirs.
func (t Trigger) IndexKey() string {
	if d := t.Type.Definition(); d.waits != nil {
		return d.waits(t)
	}
	return string(t.Type)
}
