package trigger

import (
	"strings"
	"time"

	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// HookCall is a call of an incoming webhook.
type HookCall struct {
	ID            string
	Hook          string // the id in the address
	Method        string
	RemoteAddress string
	Headers       map[string]string // as HookHeaders returns them
	Payload       any               // the JSON of the body, an empty object without one (D40)
	Depth         int
	Trace         trace.Link
	At            time.Time
}

// customHeader is how headers begin that a caller may send along.
const customHeader = "X_SERVICE_"

// HookHeaders returns the headers that a call's record keeps (G17), by the names
// of the contract: upper case, "_" for "-". header returns one of the call's
// headers, names are all of them.
func HookHeaders(names []string, header func(name string) string) map[string]string {
	kept := map[string]string{
		"CONTENT_LENGTH": header("Content-Length"), "CONTENT_TYPE": header("Content-Type"),
		"HOST": header("Host"), "USER_AGENT": header("User-Agent"),
	}
	for _, name := range names {
		converted := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if strings.HasPrefix(converted, customHeader) {
			kept[converted] = header(name)
		}
	}
	return kept
}

// Record returns the call as the log and event.data show it.
func (c HookCall) Record() map[string]any {
	headers := make(map[string]any, len(c.Headers))
	for name, text := range c.Headers {
		headers[name] = text
	}
	payload := Plain(c.Payload)
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
