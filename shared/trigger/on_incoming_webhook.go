package trigger

import (
	"maps"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

var onIncomingWebhook = Definition{
	name: TypeIncomingWebhook, Source: "incoming_webhook", condition: func() Condition { return &HookCondition{} },
	Actions: VisibleNone, Keys: VisibleCall, Called: true,
	waits:  func(t Trigger) string { return hookKey(t.HookID) },
	comes:  func(e Event) string { return hookKey(e.Hook) },
	sample: sampleCall,
	past:   func(Trigger) Past { return PastCalls },
}

func hookKey(id string) string { return "hook#" + id }

// HookCall is an accepted call of an incoming webhook.
type HookCall struct {
	ID            string
	Hook          string // the hook id in the URL
	Method        string
	RemoteAddress string
	Headers       map[string]string // as hook.Headers returns them
	Payload       any               // JSON of the body; an empty body gives an empty object (D40)
	Depth         int
	Trace         trace.Link
	At            time.Time
}

// Record returns the call as shown in the log and in event.data.
func (c HookCall) Record() map[string]any {
	headers := make(map[string]any, len(c.Headers))
	for name, text := range c.Headers {
		headers[name] = text
	}
	payload := value.Plain(c.Payload)
	if payload == nil {
		payload = map[string]any{}
	}
	return map[string]any{
		"_id":     c.ID,
		"meta":    map[string]any{"headers": headers, "remote_address": c.RemoteAddress, "request_method": c.Method},
		"payload": payload,
	}
}

// HookEvent returns the event of a call.
func HookEvent(scope tenant.Scope, call HookCall) Event {
	return Event{
		ID: "hook#" + call.ID, Scope: scope, Type: TypeIncomingWebhook, Kind: OnIncomingWebhook,
		At: call.At, Depth: call.Depth, Trace: call.Trace.ID, Cause: call.Trace.Cause, Subject: call.ID,
		Key: hookKey(call.Hook), Hook: call.Hook, Payload: call.Record(),
	}
}

func sampleCall(s sampling) Event {
	call := HookCall{
		ID: s.id, Hook: s.of.HookID, Method: "POST", RemoteAddress: "192.0.2.1", At: s.at,
		Headers: map[string]string{
			"CONTENT_LENGTH": "2", "CONTENT_TYPE": "application/json", "HOST": "example.com", "USER_AGENT": "sample",
		},
		Payload: s.given,
	}
	meta, whole := s.given["meta"].(map[string]any)
	e := HookEvent(s.scope, call)
	if whole {
		call.Payload = s.given["payload"]
		e = HookEvent(s.scope, call)
		maps.Copy(e.Payload["meta"].(map[string]any), meta)
	}
	return e
}

// HookCondition matches every call of the trigger's URL.
type HookCondition struct{}

// AllRules implements Condition.
func (c *HookCondition) AllRules() (rules []Rule, one bool) { return nil, false }
