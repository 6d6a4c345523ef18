package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
)

var (
	scope = tenant.Scope{App: 7, Env: tenant.Production}
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

// books has a column of every type.
var books = table.Table{ID: 12, Name: "books", Columns: []table.Column{
	column("title", value.String), column("pages", value.Integer), column("price", value.Number),
	column("sold", value.Boolean),
	column("out", value.Date), arrayOf("tags", value.String), arrayOf("days", value.Date),
	arrayOf("spots", value.Geojson),
	column("extra", value.Object), column("cover", value.File), column("author", value.Pointer),
	column("place", value.Geojson),
}}

func column(name string, t value.Type) table.Column {
	return table.Column{Column: value.Column{Name: name, Type: t}, Key: name}
}

func arrayOf(name string, items value.Type) table.Column {
	c := column(name, value.Array)
	c.Items = items
	return c
}

// domain lists the values, as canonical JSON, from which random rows and operands are made. They are few, so that equal
// values are frequent.
var domain = map[string][]string{
	"title": {`""`, `"a"`, `"ab"`, `"b\nc"`, `"ß"`},
	"pages": {`-1`, `0`, `1`, `2`, `9007199254740991`},
	"price": {`-0.5`, `0`, `1`, `1.5`, `1e300`},
	"sold":  {`true`, `false`},
	"out": {
		`"2026-11-21T12:00:00Z"`, `"2026-11-21T20:00:00+08:00"`, `"2026-11-21T11:59:00Z"`, `"2026-11-21T11:00:00Z"`,
		`"1969-12-31T23:59:59.5Z"`,
	},
	"tags": {`[]`, `["a"]`, `["a","b"]`, `["ab"]`},
	"days": {`[]`, `["2026-11-21T12:00:00Z"]`, `["2026-11-21T20:00:00+08:00","1999-01-01T00:00:00Z"]`},
	"spots": {
		`[]`, `[{"type":"Point","coordinates":[1,2]}]`,
		`[{"type":"Point","coordinates":[3,4]},{"type":"Point","coordinates":[1,2]}]`,
	},
	"extra":  {`{}`, `{"a":1}`, `{"a":null,"b":{"a":2}}`},
	"cover":  {`{"id":"1"}`, `{"id":"2","name":"x"}`},
	"author": {`{"_table":"authors","id":"12"}`, `{"_table":"_userprofile","id":12}`, `{"_table":"authors","id":"ab"}`},
	"place":  {`{"type":"Point","coordinates":[1,2]}`, `{"type":"Point","coordinates":[3,4]}`},
}

// operands lists the operands of rules, by operator and column.
var operands = map[string][]string{
	"contains tags":  {`"a"`, `"b"`, `"zz"`},
	"contains days":  {`"2026-11-21T12:00:00Z"`, `"2026-11-21T13:00:00+01:00"`, `"2000-01-01T00:00:00Z"`},
	"contains spots": {`{"coordinates":[1,2],"type":"Point"}`, `{"type":"Point","coordinates":[9,9]}`},
	"has_key extra":  {`"a"`, `"b"`, `"c"`}, "regex title": {`"a"`, `"^b.c$"`, `"(?s)^b.c$"`, `"^$"`, `"A|ß"`},
	"= author": {`"12"`, `12`, `"ab"`}, "!= author": {`"12"`, `12`, `"cd"`},
}

var dates = []string{`{"ago_seconds":0}`, `{"ago_seconds":60}`, `{"ago_seconds":3600}`, `{"ago_seconds":-5}`}

var allowed = map[value.Type]string{
	value.Array: "contains isempty", value.Boolean: "= != isempty", value.String: "regex = != isempty",
	value.Object: "has_key isempty",
	value.Date:   "= != > >= < <= isempty range", value.Integer: "= != > >= < <= isempty range",
	value.Number:  "= != > >= < <= isempty range",
	value.Pointer: "= !=", value.File: "isempty", value.Geojson: "isempty",
}

func pickOne(r *rand.Rand, list []string) any {
	var v any
	if err := json.Unmarshal([]byte(list[r.IntN(len(list))]), &v); err != nil {
		panic(err)
	}
	return v
}

func randomRow(t *testing.T, r *rand.Rand) *table.Row {
	row := &table.Row{
		ID: "0153c04a2d4042022c6dc14f", UpdatedAt: 1000 + int64(r.IntN(3)), CreatedBy: 12, Revision: int64(1 + r.IntN(3)),
		Fields: map[string]any{},
	}
	for _, c := range books.Columns {
		if r.IntN(4) == 0 {
			continue
		}
		v, err := c.Convert(pickOne(r, domain[c.Name]))
		if err != nil {
			t.Fatal(err)
		}
		row.Fields[c.Name] = v
	}
	return row
}

func randomRule(r *rand.Rand, event trigger.Change) trigger.Rule {
	c := books.Columns[r.IntN(len(books.Columns))]
	words := strings.Fields(allowed[c.Type])
	if event == trigger.Update {
		words = append(words, "changed")
	}
	op := words[r.IntN(len(words))]
	rule := trigger.Rule{Field: c.Name, Operator: trigger.Operator(op)}
	if op == "changed" {
		return rule
	}
	if event != trigger.Create && r.IntN(4) == 0 {
		rule.Field = "before." + c.Name
	} else if event != trigger.Delete && r.IntN(4) == 0 {
		rule.Field = "after." + c.Name
	}

	list := operands[op+" "+c.Name]
	switch {
	case list != nil:
	case c.Type == value.Date:
		list = append(append([]string{}, domain[c.Name]...), dates...)
	default:
		list = domain[c.Name]
	}
	switch op {
	case "isempty":
		rule.Value = r.IntN(2) == 0
	case "range":
		ends := []any{pickOne(r, list), pickOne(r, list)}
		if n := r.IntN(6); n < 2 {
			ends[n] = nil
		}
		rule.Value = ends
	default:
		rule.Value = pickOne(r, list)
	}
	return rule
}

// oracle is a second implementation of the specification to compare with: it reads stored rows and uses neither records
// nor bounds.
func oracle(rule trigger.Rule, event trigger.Change, before, after *table.Row) bool {
	name, side := rule.Field, after
	if event == trigger.Delete {
		side = before
	}
	if rest, ok := strings.CutPrefix(name, "before."); ok {
		name, side = rest, before
	}
	name = strings.TrimPrefix(name, "after.")
	c, _ := books.Column(name)
	v, present := side.Fields[name]

	switch rule.Operator {
	case "changed":
		return fingerprint(before.Fields[name], c) != fingerprint(v, c)
	case "isempty":
		text := fmt.Sprint(v)
		nothing := !present || text == "" || text == "[]" || text == "map[]"
		return nothing == rule.Value
	case "contains":
		for _, item := range asList(v) {
			if fingerprint(item, c) == fingerprint(rule.Value, c) {
				return true
			}
		}
		return false
	case "has_key":
		if !present {
			return false
		}
		_, has := v.(map[string]any)[rule.Value.(string)]
		return has
	case "regex":
		return present && regexp.MustCompile(rule.Value.(string)).MatchString(v.(string))
	case "=", "!=":
		same := present && same(v, rule.Value, c)
		return same == (rule.Operator == "=")
	case "range":
		ends := rule.Value.([]any)
		return present && (ends[0] == nil || number(v) >= number(ends[0])) && (ends[1] == nil || number(v) < number(ends[1]))
	}
	if !present {
		return false
	}
	x, y := number(v), number(rule.Value)
	return map[trigger.Operator]bool{">": x > y, ">=": x >= y, "<": x < y, "<=": x <= y}[rule.Operator]
}

func asList(v any) []any { list, _ := v.([]any); return list }

func same(v, operand any, c table.Column) bool {
	switch c.Type {
	case value.String, value.Boolean:
		return v == operand
	case value.Pointer:
		return fmt.Sprint(v.(map[string]any)["id"]) == fmt.Sprint(operand)
	}
	return number(v) == number(operand)
}

// number returns a number unchanged, and a date or ago_seconds as Unix seconds.
func number(v any) float64 {
	switch v := v.(type) {
	case string:
		at, err := time.Parse(time.RFC3339, v)
		if err != nil {
			panic(err)
		}
		return float64(at.UnixMilli()) / 1000
	case map[string]any:
		return float64(noon.Unix()) - v["ago_seconds"].(float64)
	case int64:
		return float64(v)
	}
	return v.(float64)
}

// fingerprint returns a text that is the same for equal values.
func fingerprint(v any, c table.Column) string {
	if text, ok := v.(string); ok && (c.Type == value.Date || c.Items == value.Date) {
		return fmt.Sprint(number(text))
	}
	var parts []string
	if list, ok := v.([]any); ok {
		for _, item := range list {
			parts = append(parts, fingerprint(item, c))
		}
		return fmt.Sprintf("%q", parts)
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func TestConditionsMatchOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 7))
	held, rules := 0, 0
	for n := range 10000 {
		event := []trigger.Change{trigger.Create, trigger.Update, trigger.Delete}[r.IntN(3)]
		var before, after *table.Row
		if event != trigger.Create {
			before = randomRow(t, r)
		}
		if event != trigger.Delete {
			after = randomRow(t, r)
		}
		c := &trigger.TableCondition{Table: "12", Event: event, Match: []trigger.Match{"all", "any"}[r.IntN(2)]}
		for range r.IntN(5) {
			c.Rules = append(c.Rules, randomRule(r, event))
		}

		m, err := engine.NewMatcher(
			trigger.Trigger{Type: trigger.TypeTable, Condition: c, Tables: map[string]table.ID{"12": 12}}, &books,
		)
		if err != nil {
			t.Fatalf("%d: %+v: %v", n, c.Rules, err)
		}
		e, ok := trigger.RowEvent(scope, "e", noon, books, before, after)
		if !ok || m.Trigger.IndexKey() != e.IndexKey() {
			t.Fatalf("%d: no event", n)
		}
		if n%2 == 0 { // as decoded from a message
			e = throughJSON(t, e)
		}

		got := m.Evaluate(e)
		all, some := true, false
		for i, rule := range c.Rules {
			want := oracle(rule, event, before, after)
			all, some = all && want, some || want
			if got.Rules[i].Held != want {
				t.Fatalf(
					"%d: %s %s %v on %v → %v: held %v, want %v", n, rule.Field, rule.Operator, rule.Value, before, after,
					got.Rules[i].Held, want,
				)
			}
		}
		want := all
		if c.Match == "any" && len(c.Rules) > 0 {
			want = some
		}
		if got.Held != want || m.Holds(e) != want {
			t.Fatalf("%d: %s of %v: held %v, want %v", n, c.Match, c.Rules, got.Held, want)
		}
		rules += len(c.Rules)
		if want {
			held++
		}
	}

	t.Logf("10,000 events, %d rules, %d held", rules, held)
}

func throughJSON(t *testing.T, e trigger.Event) (out trigger.Event) {
	t.Helper()
	text, err := json.Marshal(e)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRulesSeeSystemColumns(t *testing.T) {
	row := table.Row{
		ID: "0153c04a2d4042022c6dc14f", UpdatedAt: 1795268460, CreatedBy: 77, Revision: 3,
		Perm: table.RowPerm{Read: []string{"user:*"}},
	}
	older := row
	older.Revision, older.UpdatedAt = 2, 1795268450
	e, _ := trigger.RowEvent(scope, "e", noon, books, &older, &row)

	for _, line := range []struct {
		field, operator string
		operand         any
		held            bool
	}{
		{"id", "=", "0153c04a2d4042022c6dc14f", true},
		{"id", "regex", "^0153", true},
		{"created_by", "=", 77.0, true},
		{"before.updated_at", "<", 1795268460.0, true},
		{"updated_at", "changed", nil, true},
		{"created_by", "changed", nil, false},
		{"_version", "range", []any{3.0, 4.0}, true},
		{"before._version", "=", 3.0, false},
		{"_read_perm", "contains", "user:*", true},
		{"_write_perm", "isempty", true, true},
	} {
		c := &trigger.TableCondition{
			Table: "12", Event: trigger.Update,
			Rules: []trigger.Rule{{Field: line.field, Operator: trigger.Operator(line.operator), Value: line.operand}},
		}
		m, err := engine.NewMatcher(trigger.Trigger{Type: trigger.TypeTable, Condition: c}, &books)
		if err != nil {
			t.Errorf("%s %s: %v", line.field, line.operator, err)
			continue
		}
		if got := m.Evaluate(e); got.Held != line.held {
			t.Errorf("%s %s %v: %+v", line.field, line.operator, line.operand, got)
		}
	}
}

func TestEvaluationMasksAndClipsValues(t *testing.T) {
	users := table.Table{
		ID: 5, Name: "u",
		Columns: []table.Column{
			column("api_token", value.String), column("note", value.String), column("extra", value.Object),
		},
	}

	long := strings.Repeat("ß", 300)
	row := table.Row{
		ID:     "0153c04a2d4042022c6dc14f",
		Fields: map[string]any{"api_token": "s3cret", "note": long, "extra": map[string]any{"k": long}},
	}
	e, _ := trigger.RowEvent(scope, "e", noon, users, nil, &row)
	c := &trigger.TableCondition{Table: "5", Event: trigger.Create, Rules: []trigger.Rule{
		{Field: "api_token", Operator: "=", Value: "s3cret"}, {Field: "after.note", Operator: "regex", Value: "ß"},
		{Field: "extra", Operator: "has_key", Value: "k"},
	}}
	m, err := engine.NewMatcher(trigger.Trigger{Type: trigger.TypeTable, Condition: c}, &users)
	if err != nil {
		t.Fatal(err)
	}

	got := m.Evaluate(e)
	text, _ := json.Marshal(got)
	if !got.Held || strings.Contains(string(text), "s3cret") || len(text) > 1500 {
		t.Errorf("%s", text)
	}
	if seen, ok := got.Rules[2].Seen.(string); !ok || len(seen) > 500 || !strings.HasPrefix(seen, `{"k":"ß`) {
		t.Errorf("%+v", got.Rules[2])
	}
	if want := strings.Repeat("ß", 199) + "…"; got.Rules[1].Seen != want || got.Rules[1].Path != "after.note" {
		t.Errorf("%+v", got.Rules[1])
	}
}

func TestRefusesBrokenTriggers(t *testing.T) {
	c := &trigger.TableCondition{
		Table: "12", Event: trigger.Delete, Rules: []trigger.Rule{{Field: "before.x", Operator: "isempty", Value: true}},
	}
	saved := trigger.Trigger{Type: trigger.TypeTable, Condition: c}
	if _, err := engine.NewMatcher(saved, &books); err == nil || err.Error() != `column "x" of table 12 was removed` {
		t.Errorf("%v", err)
	}
	zone := trigger.Trigger{Type: trigger.TypeTimer, Condition: &trigger.TimerCondition{Cron: "* * * * *"}, Timezone: "x"}
	if _, err := zone.Between(noon, noon); err == nil {
		t.Error("a timer of no zone has minutes")
	}

	for event, field := range map[trigger.Change]string{trigger.Create: "title", trigger.Delete: "title"} {
		changed := &trigger.TableCondition{
			Table: "12", Event: event, Rules: []trigger.Rule{{Field: field, Operator: trigger.Changed}},
		}
		if _, err := engine.NewMatcher(trigger.Trigger{Type: trigger.TypeTable, Condition: changed}, &books); err == nil {
			t.Errorf("%s sees a change", event)
		}
	}

	if _, err := engine.NewMatcher(saved, nil); err == nil || err.Error() != "table 12 was removed" {
		t.Errorf("%v", err)
	}
}
