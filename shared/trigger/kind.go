package trigger

import (
	"strconv"

	"minicloud/shared/table"
)

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

// kindOf names what happened to a row.
var kindOf = map[Change]Kind{Create: OnCreate, Update: OnUpdate, Delete: OnDelete}

// sources are event.eventType and a job's source by type (D22).
var sources = map[Type]string{
	TypeTable:           "flex_schema",
	TypeChatPay:         "chat_pay_success",
	TypeAltPay:          "alt_pay_success",
	TypeTPay:            "tpay_success",
	TypeTimer:           "timer",
	TypeFileOperation:   "file_operation",
	TypeIncomingWebhook: "incoming_webhook",
	TypeChatMessage:     "chat_message",
}

// Source returns event.eventType of functions that triggers of the type start;
// it is their jobs' source, too.
func (t Type) Source() string { return sources[t] }

// IndexKey is where events find the trigger: equal to theirs.
func (t Trigger) IndexKey() string {
	switch t.Type {
	case TypeTable:
		condition := t.Condition.(*TableCondition)
		return tableKey(t.TableID(condition.Table), kindOf[condition.Event])
	case TypeTimer:
		return timerKey(t.ID)
	case TypeIncomingWebhook:
		return hookKey(t.HookID)
	}
	return string(t.Type)
}

func tableKey(id table.ID, kind Kind) string { return "table#" + id.String() + "#" + string(kind) }
func timerKey(id ID) string                  { return "timer#" + strconv.FormatInt(int64(id), 10) }
func hookKey(id string) string               { return "hook#" + id }
