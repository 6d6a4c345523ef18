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

// sampleUser is the creator of sample rows and files.
const sampleUser = 1001

// sampling is the input of a sample event.
type sampling struct {
	scope tenant.Scope
	id    string
	at    time.Time
	of    Trigger
	in    *table.Table   // the table of a table trigger, nil if it is unknown
	given map[string]any // nil if the caller gave no payload
}

// SampleEvent returns an event for a test-fire. Its payload is the given one; members that are not given have sample
// values, but the columns of a given row are null. in is the table of a table trigger. given has this form, by type of
// trigger:
//
//	table             a record, or {"before": record, "after": record}
//	payments          an order
//	file_operation    a file record
//	incoming_webhook  the body of a call, or a whole record with meta and payload
//	chat_message      a message
func SampleEvent(scope tenant.Scope, id string, at time.Time, t Trigger, in *table.Table, given map[string]any) Event {
	if given != nil { // keep nil: it means sample values
		given = value.Plain(given).(map[string]any)
	}
	e := t.Type.Definition().sample(sampling{scope, id, at, t, in, given})
	e.ID = id
	return e
}

// overlaid copies the given members into base and returns it.
func overlaid(base, given map[string]any) map[string]any {
	maps.Copy(base, given)
	return base
}
