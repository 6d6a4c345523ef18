package trigger

import (
	"time"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// MaxDepth is the depth of an event that fires nothing more (D38, G19): what a
// caller writes has 0, what an action writes has its event's depth + 1.
const MaxDepth = 8

// Event is something that happened. What Before, After and Payload hold is JSON
// as callers see it.
type Event struct {
	ID    string       `json:"id"` // stable over redelivery
	Scope tenant.Scope `json:"scope"`
	Type  Type         `json:"type"`
	Kind  Kind         `json:"kind"`
	At    time.Time    `json:"at"`
	Depth int          `json:"depth,omitempty"`
	// Revision is of the table, as the writer of its row has seen it: what is known of a later one is as good.
	Revision int64 `json:"-"`
	// Subject is the row id, trade number, file id, hook call id, message id or
	// timer it is about.
	Subject string `json:"subject"`
	Key     string `json:"key"` // events of one key have an order
	Trace   string `json:"trace,omitempty"`
	Cause   string `json:"cause,omitempty"` // trace.Link.Cause
	// Table and TableName are of the row, Before and After its records: nil for
	// what did not exist.
	Table     table.ID       `json:"table,omitempty"`
	TableName string         `json:"table_name,omitempty"`
	Before    map[string]any `json:"before,omitempty"`
	After     map[string]any `json:"after,omitempty"`
	// Dates are the columns of the row that hold dates or lists of them, as its table was then.
	Dates []string `json:"dates,omitempty"`
	// Trigger is the only trigger a timer's event is for, Hook the hook called.
	Trigger ID     `json:"trigger,omitempty"`
	Hook    string `json:"hook,omitempty"`
	// Facts are what conditions look at where that is not the payload.
	Facts   map[string]any `json:"facts,omitempty"`
	Payload map[string]any `json:"payload"` // event.data
	// Action is what an OnRequest asks for.
	Action *Action `json:"action,omitempty"`
}

// IndexKey is equal for an event and the triggers that may care about it.
func (e Event) IndexKey() string {
	if d := e.Type.Definition(); d.comes != nil {
		return d.comes(e)
	}
	return string(e.Type)
}

// Fact returns the text that a rule on anything but a row looks at.
func (e *Event) Fact(field string) any {
	if e.Facts != nil {
		return e.Facts[field]
	}
	return e.Payload[field]
}

// Record returns the row before or after the change.
func (e *Event) Record(before bool) map[string]any {
	if before {
		return e.Before
	}
	return e.After
}

// Claims are what a webhook's token says (D37): the row or record itself and nothing else. The dates of a row become
// Unix seconds.
func (e Event) Claims() map[string]any {
	if d := e.Type.Definition(); d.claims != nil {
		return d.claims(e)
	}
	return e.Payload
}
