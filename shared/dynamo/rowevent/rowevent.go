// Package rowevent reads the stream of the rows' table (rowdb) as events of triggers.
package rowevent

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
)

// Event is a stream record of a row change that fires triggers.
type Event struct {
	ID       string // same for every delivery
	At       time.Time
	Scope    tenant.Scope
	Table    table.ID
	Row      table.RowID
	Depth    int
	Revision int64 // revision of the table that the writer read
	Trace    trace.Link

	old, next dynamo.Item
}

// Read converts a stream record; ok is false if it fires nothing. It returns errs.Invalid for an unreadable record.
func Read(record dynamo.Record) (e Event, ok bool, err error) {
	e = Event{ID: record.EventID, At: record.Change.ApproximateCreationDateTime.UTC()}
	e.old, e.next = dynamo.Image(record.Change.OldImage), dynamo.Image(record.Change.NewImage)
	fires := rowdb.Fires(e.old, e.next)
	if fires == "" {
		return e, false, nil
	}

	key := dynamo.Image(record.Change.Keys)
	scope, n, _ := strings.Cut(string(partition.Collection(dynamo.TextOf(key["pk"]))), "#")
	number, err := strconv.ParseInt(n, 10, 64)
	if err != nil {
		return e, false, errs.Invalid("row event %s: key %q", record.EventID, dynamo.TextOf(key["pk"]))
	}
	e.Table, e.Row = table.ID(number), table.RowID(dynamo.TextOf(key["sk"]))
	if e.Scope, err = tenant.Parse(scope); err != nil {
		return e, false, errs.Invalid("row event %s: %v", record.EventID, err)
	}
	parts := strings.SplitN(fires+"#", "#", 3) // the last part may contain "#"
	if _, err := fmt.Sscanf(fires, "%d#%d", &e.Depth, &e.Revision); err != nil {
		return e, false, errs.Invalid("row event %s: it fires %q", record.EventID, fires)
	}
	e.Trace = trace.Parse(strings.TrimSuffix(parts[2], "#"))
	return e, true, nil
}

// Of returns the event for triggers. t is the current table, without columns that were removed since the change. ok is
// false if trigger.RowEvent makes no event of it.
func (e Event) Of(t table.Table) (seen trigger.Event, ok bool) {
	row := func(it dynamo.Item) *table.Row {
		if len(it) == 0 {
			return nil
		}
		r := rowdb.ToRow(t, it)
		r.ID, r.Origin = e.Row, table.Origin{Depth: e.Depth, Trace: e.Trace}
		return &r
	}
	seen, ok = trigger.RowEvent(e.Scope, e.ID, e.At, t, row(e.old), row(e.next))
	seen.Revision = e.Revision
	return seen, ok
}

// Stream converts records of the rows' stream into events. It caches tables, and reads a table again if a writer has
// read a later revision.
type Stream struct {
	Tables *rowdb.Tables

	kept cache.Map[tableName, table.Table]
}

type tableName struct {
	scope tenant.Scope
	id    table.ID
}

// Read converts a stream record and reads its table. ok is false if the record fires nothing or the table was deleted. It
// returns errs.Invalid for an unreadable record.
func (s *Stream) Read(ctx context.Context, record dynamo.Record) (fired trigger.Event, ok bool, err error) {
	e, ok, err := Read(record)
	if !ok || err != nil {
		return fired, false, err
	}
	t, err := s.table(ctx, e)
	switch {
	case errs.Is(err, errs.KindNotFound): // the table may have been deleted since the write
		return fired, false, nil
	case err != nil:
		return fired, false, err
	}
	fired, ok = e.Of(t)
	return fired, ok, nil
}

func (s *Stream) table(ctx context.Context, e Event) (table.Table, error) {
	fresh := func(t table.Table) bool { return t.Revision >= e.Revision }
	return s.kept.Load(tableName{e.Scope, e.Table}, fresh, func() (table.Table, error) {
		return s.Tables.Table(ctx, e.Scope, e.Table)
	})
}
