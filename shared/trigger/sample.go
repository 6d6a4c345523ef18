package trigger

import (
	"maps"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// sampleID is the id of sample rows and files.
const sampleID = "5f3e5f3e5f3e5f3e5f3e5f3e"

// sampleUser is who made them.
const sampleUser = 1001

// sampling is what a sample of an event is made from.
type sampling struct {
	scope tenant.Scope
	id    string
	at    time.Time
	of    Trigger
	in    *table.Table   // of a table trigger
	given map[string]any // nil where the caller gave nothing
}

// SampleEvent returns an event for a test-fire: what the caller gave as payload,
// realistic values where it gave nothing. in is the table of a table trigger.
//
//	table             a record, or {"before": record, "after": record}
//	payments          an order
//	file_operation    a file record
//	incoming_webhook  the body of a call, or a whole record with meta and payload
//	chat_message      a message
func SampleEvent(scope tenant.Scope, id string, at time.Time, t Trigger, in *table.Table, given map[string]any) Event {
	if given != nil { // nil asks for samples
		given = value.Plain(given).(map[string]any)
	}
	e := t.Type.Definition().sample(sampling{scope, id, at, t, in, given})
	e.ID = id
	return e
}

// overlaid returns base with the given members.
func overlaid(base, given map[string]any) map[string]any {
	maps.Copy(base, given)
	return base
}
