package rowdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/dynamo"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Event is what the stream of the rows' table tells about one row.
type Event struct {
	ID        string // the same when it is delivered again
	Kind      EventKind
	Scope     tenant.Scope
	Table     table.ID
	Row       table.RowID
	Origin    table.Origin // of the change
	old, next dynamo.Item
}

// EventKind is what happened to the row, spelled as in the contract, Trigger types.
type EventKind string

// The kinds.
const (
	RowCreated EventKind = "create"
	RowUpdated EventKind = "update"
	RowDeleted EventKind = "delete"
)

// ReadRowEvent reads a stream record; ok is false for one that is no change of
// a row: the origin that a deletion leaves before it deletes.
func ReadRowEvent(record events.DynamoDBEventRecord) (e Event, ok bool, err error) {
	pk, sk := record.Change.Keys["pk"], record.Change.Keys["sk"]
	if pk.DataType() != events.DataTypeString || sk.DataType() != events.DataTypeString {
		return e, false, fmt.Errorf("row event %s: its keys are no strings", record.EventID)
	}
	scope, id, _ := strings.Cut(pk.String(), "#")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return e, false, fmt.Errorf("row event %s: key %q", record.EventID, pk.String())
	}
	e = Event{ID: record.EventID, Table: table.ID(n), Row: table.RowID(sk.String())}
	if e.Scope, err = tenant.Parse(scope); err != nil {
		return e, false, fmt.Errorf("row event %s: %w", record.EventID, err)
	}
	e.old, e.next = dynamo.Image(record.Change.OldImage), dynamo.Image(record.Change.NewImage)
	switch {
	case len(e.next) == 0:
		e.Kind, e.Origin = RowDeleted, originOf(e.old[attrDeletion])
	case e.next[attrDeletion] != nil:
		return e, false, nil
	case len(e.old) == 0:
		e.Kind, e.Origin = RowCreated, originOf(e.next[attrOrigin])
	default:
		e.Kind, e.Origin = RowUpdated, originOf(e.next[attrOrigin])
	}
	return e, true, nil
}

// Images returns the row before and after the change, nil where there was or
// is none. t is the table as it is now: columns removed since are left out.
func (e Event) Images(t table.Table) (before, after *table.Row) {
	if len(e.old) > 0 {
		row := toRow(t, e.old)
		row.ID, before = e.Row, &row
	}
	if len(e.next) > 0 {
		row := toRow(t, e.next)
		row.ID, after = e.Row, &row
	}
	return before, after
}
