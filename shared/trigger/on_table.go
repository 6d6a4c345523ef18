package trigger

import (
	"encoding/json"
	"maps"
	"strconv"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

var onTable = Definition{
	name: TypeTable, Source: "flex_schema", condition: func() Condition { return &TableCondition{} },
	Actions: VisibleRow, Keys: VisibleRow,
	waits: func(t Trigger) string {
		c := t.Condition.(*TableCondition)
		return TableKey(t.TableID(c.Table), KindOf[c.Event])
	},
	comes:  func(e Event) string { return TableKey(e.Table, e.Kind) },
	claims: func(e Event) map[string]any { return rowClaims(e.Payload, e.Dates) },
	sample: sampleRow,
	// Deleted rows can be found only in the log, so deletes have no entry: the zero value is PastLog.
	past: func(t Trigger) Past {
		return map[Change]Past{Create: PastCreated, Update: PastUpdated}[t.Condition.(*TableCondition).Event]
	},
}

// TableKey returns the IndexKey of row events of one kind in a table.
func TableKey(id table.ID, kind Kind) string { return "table#" + id.String() + "#" + string(kind) }

// VersionField is the member of a row's payload that holds its revision (G12).
const VersionField = "_version"

// RowEvent returns the event of a row change. before is nil for a created row, after for a deleted one. ok is false for
// a change that must fire nothing (G14).
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

// rowRecord returns a row as it appears in payloads (contract, Data-table record): with all its columns, null where
// they have no value, and geometries as texts.
func rowRecord(in table.Table, row table.Row) map[string]any {
	record := in.Record(row)
	record[VersionField] = row.Revision
	for _, c := range in.Columns {
		record[c.Name] = c.Payload(record[c.Name])
	}
	return record
}

// dateColumns returns the columns that hold dates or lists of dates.
func dateColumns(in table.Table) (names []string) {
	for _, c := range in.Columns {
		if c.Type == value.Date || c.Type == value.Array && c.Items == value.Date {
			names = append(names, c.Name)
		}
	}
	return names
}

// rowClaims returns the record with its dates as Unix seconds (D37).
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

func sampleRow(s sampling) Event {
	c, in := s.of.Condition.(*TableCondition), s.in
	e := Event{
		Scope: s.scope, Type: TypeTable, Kind: KindOf[c.Event], At: s.at, Subject: sampleID, Table: s.of.TableID(c.Table),
	}
	if in == nil {
		in = &table.Table{ID: e.Table}
	}
	e.TableName, e.Dates = in.Name, dateColumns(*in)

	before, after := s.given, s.given
	if oldRow, ok := s.given["before"].(map[string]any); ok {
		before = oldRow
	}
	if newRow, ok := s.given["after"].(map[string]any); ok {
		after = newRow
	}
	if c.Event != Create {
		e.Before = sampleRecord(*in, s.at, 1, before)
	}
	if c.Event != Delete {
		e.After = sampleRecord(*in, s.at, 2, after)
	}

	e.Payload = e.After
	if e.Payload == nil {
		e.Payload = e.Before
	}
	if text, ok := e.Payload["id"].(string); ok {
		e.Subject = text
	}
	e.Key = e.Table.String() + "#" + e.Subject
	return e
}

// sampleRecord returns a row as it appears in payloads. If given is nil, every column has a sample value.
func sampleRecord(in table.Table, at time.Time, version int, given map[string]any) map[string]any {
	record := map[string]any{
		"id": sampleID, "created_at": float64(at.Unix()), "updated_at": float64(at.Unix()),
		"created_by": float64(sampleUser), "_read_perm": []any{"user:*"}, "_write_perm": []any{"user:*"},
		VersionField: float64(version),
	}
	for _, c := range in.Columns {
		v := given[c.Name]
		if given == nil {
			v = varied(c.Column, version)
		}
		record[c.Name] = c.Column.Payload(v)
	}

	for name := range record {
		if v, ok := given[name]; ok && v != nil && record[name] != nil {
			if _, own := in.Column(name); !own {
				record[name] = v
			}
		}
	}

	return record
}

// varied returns a sample value that depends on the version, so that rules on changes hold for sample updates.
func varied(c value.Column, version int) any {
	sample := c.Sample()
	switch v := sample.(type) {
	case string:
		if c.Type == value.String && version > 1 {
			return v + " changed"
		}
	case float64:
		return v + float64(version-1)
	case bool:
		return version > 1
	}
	return sample
}

// TableCondition matches changes of one kind to the rows of one table.
type TableCondition struct {
	Table TableRef `json:"table"`
	Event Change   `json:"event"`
	Match Match    `json:"match"`
	Rules []Rule   `json:"rules"`
}

// Change is a kind of row change.
type Change string

// The changes.
const (
	Create Change = "create"
	Update Change = "update"
	Delete Change = "delete"
)

// TableRef is the id or the name of a table, as the caller wrote it.
type TableRef string

// MarshalJSON writes an id as a number and a name as a string.
func (r TableRef) MarshalJSON() ([]byte, error) {
	if _, err := strconv.ParseInt(string(r), 10, 64); err == nil {
		return []byte(r), nil
	}
	return json.Marshal(string(r))
}

// UnmarshalJSON reads a string as a name and a number as an id.
func (r *TableRef) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		*r = TableRef(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(r))
}

// AllRules implements Condition.
func (c *TableCondition) AllRules() (rules []Rule, one bool) { return c.Rules, c.Match == MatchAny }
