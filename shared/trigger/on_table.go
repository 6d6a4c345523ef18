package trigger

import (
	"maps"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// VersionField is the member of a row's payload that counts its changes (G12).
const VersionField = "_version"

// RowEvent returns the event of a change of a row: before is nil for one that
// was created, after for one that was deleted. ok is false for a change that
// must fire nothing (G14).
func RowEvent(
	scope tenant.Scope, id string, at time.Time, in table.Table, before, after *table.Row,
) (e Event, ok bool) {
	e = Event{
		ID: id, Scope: scope, Type: TypeTable, At: at, Table: in.ID, TableName: in.Name, Dates: dateColumns(in),
	}
	var last *table.Row
	switch {
	case before == nil && after == nil:
		return Event{}, false
	case before == nil:
		e.Kind, last = OnCreate, after
	case after == nil:
		e.Kind, last = OnDelete, before
	default:
		e.Kind, last = OnUpdate, after
	}
	if last.Origin.Quiet {
		return Event{}, false
	}

	e.Depth, e.Subject = last.Origin.Depth, string(last.ID)
	e.Trace, e.Cause = last.Origin.Trace.ID, last.Origin.Trace.Cause
	e.Key = in.ID.String() + "#" + string(last.ID)
	if before != nil {
		e.Before = rowRecord(in, *before)
	}
	if after != nil {
		e.After = rowRecord(in, *after)
	}
	e.Payload = e.After
	if after == nil {
		e.Payload = e.Before
	}
	return e, true
}

// rowRecord returns a row as payloads carry it (contract, Data-table record):
// all its columns, null where they have no value, geometries as texts.
func rowRecord(in table.Table, row table.Row) map[string]any {
	record := in.Record(row)
	record[VersionField] = row.Revision
	for _, c := range in.Columns {
		record[c.Name] = c.Payload(record[c.Name])
	}
	return record
}

// dateColumns are the columns that hold dates, or lists of them.
func dateColumns(in table.Table) (names []string) {
	for _, c := range in.Columns {
		if c.Type == value.Date || c.Type == value.Array && c.Items == value.Date {
			names = append(names, c.Name)
		}
	}
	return names
}

// rowClaims turns the dates of a row into Unix seconds (D37).
func rowClaims(record map[string]any, dates []string) map[string]any {
	claims := maps.Clone(record)
	for _, name := range dates {
		switch v := claims[name].(type) {
		case string:
			claims[name] = timestamp(v)
		case []any:
			stamps := make([]any, len(v))
			for i, item := range v {
				stamps[i] = timestamp(item)
			}
			claims[name] = stamps
		}
	}
	return claims
}

func timestamp(v any) any {
	text, _ := v.(string)
	if at, ok := value.Instant(text); ok {
		return at.Unix()
	}
	return v
}
