package trigger

import (
	"time"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// MaxDepth is the depth at which an event fires nothing more, to stop loops of triggers (D38, G19). The writes of a
// caller have depth 0; the writes of an action have the depth of its event + 1.
const MaxDepth = 8

// Event is a change or call that can fire triggers. Before, After and Payload hold JSON as callers see it.
type Event struct {
	ID    string       `json:"id"` // the same in every redelivery
	Scope tenant.Scope `json:"scope"`
	Type  Type         `json:"type"`
	Kind  Kind         `json:"kind"`
	At    time.Time    `json:"at"`
	Depth int          `json:"depth,omitempty"`
	// Revision is the revision of the table that the writer of the row has read, 0 if unknown. Data cached at this or a
	// later revision is fresh enough for the event.
	Revision int64 `json:"-"`
	// Subject is the id of the row, file, hook call, chat message or timer, or the trade number of the order.
	Subject string `json:"subject"`
	Key     string `json:"key"` // events with the same key are processed in order
	Trace   string `json:"trace,omitempty"`
	Cause   string `json:"cause,omitempty"` // trace.Link.Cause
	// Table and TableName identify the table of a row event. Before and After are the records of the row: Before is nil
	// for a created row, After for a deleted one.
	Table     table.ID       `json:"table,omitempty"`
	TableName string         `json:"table_name,omitempty"`
	Before    map[string]any `json:"before,omitempty"`
	After     map[string]any `json:"after,omitempty"`
	// Dates are the columns that held dates or lists of dates when the event was made.
	Dates []string `json:"dates,omitempty"`
	// Trigger is the only trigger that a timer event fires. Hook is the id of the called hook.
	Trigger ID     `json:"trigger,omitempty"`
	Hook    string `json:"hook,omitempty"`
	// Facts are the values that rules compare. If nil, rules read the payload.
	Facts   map[string]any `json:"facts,omitempty"`
	Payload map[string]any `json:"payload"` // event.data
	// Action is the action that a function requested; set for OnRequest only.
	Action *Action `json:"action,omitempty"`
}

// IndexKey returns the key under which the candidate triggers of the event are indexed.
func (e Event) IndexKey() string {
	if d := e.Type.Definition(); d.comes != nil {
		return d.comes(e)
	}
	return string(e.Type)
}

// Fact returns the value that a rule on anything but a row compares.
func (e *Event) Fact(field string) any {
	if e.Facts != nil {
		return e.Facts[field]
	}
	return e.Payload[field]
}

// Record returns the row before or after the change, nil if it did not exist.
func (e *Event) Record(before bool) map[string]any {
	if before {
		return e.Before
	}
	return e.After
}

// Claims returns the claims of a webhook's token (D37): the row or record itself and nothing else. The dates of a row
// become Unix seconds.
func (e Event) Claims() map[string]any {
	if d := e.Type.Definition(); d.claims != nil {
		return d.claims(e)
	}
	return e.Payload
}
