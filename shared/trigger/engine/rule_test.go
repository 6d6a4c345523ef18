package engine_test

import (
	"strings"
	"testing"
	"time"

	"minicloud/shared/language/query"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// matcherOf returns a matcher with one rule on created rows.
func matcherOf(field string, op trigger.Operator, operand any) (*engine.Matcher, error) {
	c := &trigger.TableCondition{
		Table: "12", Event: trigger.Create, Rules: []trigger.Rule{{Field: field, Operator: op, Value: operand}},
	}
	return engine.NewMatcher(trigger.Trigger{Type: trigger.TypeTable, Condition: c}, &books)
}

// TestChecksOperands checks operands on both sides of every limit.
func TestChecksOperands(t *testing.T) {
	const century = 100 * 365 * 24 * 3600.0
	ago := func(members ...any) map[string]any {
		object := map[string]any{}
		for i := 0; i < len(members); i += 2 {
			object[members[i].(string)] = members[i+1]
		}
		return object
	}

	for _, c := range []struct {
		field   string
		op      trigger.Operator
		operand any
		why     string // "" = the operand is valid
	}{
		{"title", "=", "a", ""}, {"title", "=", nil, "is required"}, {"title", "=", 1.0, "must be"}, {"title", "??", "a", "operator"},
		{"title", "isempty", true, ""}, {"title", "isempty", false, ""}, {"title", "isempty", nil, "must be true or false"},
		{"title", "isempty", "true", "must be true or false"},
		{"extra", "has_key", "k", ""}, {"extra", "has_key", "", "name of a key"}, {"extra", "has_key", 1.0, "name of a key"},
		{"author", "=", "x", ""}, {"author", "=", strings.Repeat("x", 64), ""}, {"author", "=", strings.Repeat("x", 65), "id of a row"},
		{"author", "=", "", "id of a row"}, {"author", "=", true, "id of a row"}, {"author", "=", 1.0, ""}, {"author", "=", 0.0, "id of a row"},
		{"author", "=", -1.0, "id of a row"}, {"author", "=", 1.5, "id of a row"}, {"author", "=", float64(1<<53 - 1), ""},
		{"author", "=", float64(1 << 53), "id of a row"},
		{"out", "<", "2026-11-21T12:00:00Z", ""}, {"out", "<", "yesterday", "ago_seconds"}, {"out", "<", ago("ago_seconds", 60.0), ""},
		{"out", "<", ago("ago_seconds", -60.0), ""}, {"out", "<", ago("ago_seconds", 1.5), "hundred years"},
		{"out", "<", ago("ago_seconds", century), ""}, {"out", "<", ago("ago_seconds", century+1), "hundred years"},
		{"out", "<", ago("ago_seconds", -century), ""}, {"out", "<", ago("ago_seconds", -century-1), "hundred years"},
		{"out", "<", ago("ago_seconds", "60"), "hundred years"}, {"out", "<", ago(), "hundred years"},
		{"out", "<", ago("ago_seconds", 60.0, "x", 1.0), "hundred years"}, {"pages", "<", ago("ago_seconds", 60.0), "must be"},
		{"pages", "range", []any{1.0, 2.0}, ""}, {"pages", "range", []any{nil, 2.0}, ""}, {"pages", "range", []any{nil, nil}, ""},
		{"pages", "range", []any{1.0}, "[from, to]"}, {"pages", "range", []any{1.0, 2.0, 3.0}, "[from, to]"}, {"pages", "range", 1.0, "[from, to]"},
		{"pages", "range", []any{"a", 2.0}, "from"}, {"pages", "range", []any{1.0, "b"}, "[from, to]: to"},
		{"tags", "contains", "a", ""}, {"tags", "contains", 1.0, "one item of the array"},
		{"title", "regex", "^a", ""}, {"title", "regex", "", "regular expression"}, {"title", "regex", 1.0, "regular expression"},
		{"title", "regex", strings.Repeat("a", query.MaxPattern), ""}, {"title", "regex", strings.Repeat("a", query.MaxPattern+1), "is longer"},
		{"title", "regex", "(", "RE2"}, {"title", "regex", "(?=a)", "RE2"},
	} {
		_, err := matcherOf(c.field, c.op, c.operand)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s %s %.70v: %v, want %q", c.field, c.op, c.operand, err, c.why)
		}
	}
}

// TestRangeIncludesLowerEnd checks that a range includes its lower end but not its upper end. An absent value is in no
// range.
func TestRangeIncludesLowerEnd(t *testing.T) {
	for _, c := range []struct {
		field   string
		op      trigger.Operator
		operand any
		fields  map[string]any
		held    bool
	}{
		{"pages", "range", []any{1.0, 2.0}, map[string]any{"pages": int64(1)}, true},
		{"pages", "range", []any{1.0, 2.0}, map[string]any{"pages": int64(2)}, false},
		{"pages", "range", []any{nil, 2.0}, map[string]any{"pages": int64(-9)}, true},
		{"pages", "range", []any{1.0, nil}, map[string]any{"pages": int64(9)}, true},
		{"pages", "range", []any{nil, nil}, map[string]any{}, false},
		{"pages", "range", []any{nil, nil}, map[string]any{"pages": int64(9)}, true},
		{"out", ">=", map[string]any{"ago_seconds": 60.0}, map[string]any{"out": "2026-11-21T11:59:00Z"}, true},
		{"out", ">", map[string]any{"ago_seconds": 60.0}, map[string]any{"out": "2026-11-21T11:59:00Z"}, false},
		{"out", "<", map[string]any{"ago_seconds": 60.0}, map[string]any{}, false},
		{"author", "=", "7", map[string]any{"author": map[string]any{"id": "7"}}, true},
		{"author", "=", 7.0, map[string]any{"author": map[string]any{"id": "7"}}, true},
		{"author", "=", "7", map[string]any{}, false},
		{"author", "!=", "7", map[string]any{}, true},
		{"title", "regex", "a?", map[string]any{}, false},
		{"title", "regex", "a?", map[string]any{"title": ""}, true},
		{"tags", "contains", "a", map[string]any{"tags": []any{"b", "a"}}, true},
		{"tags", "contains", "a", map[string]any{}, false},
		{"extra", "has_key", "k", map[string]any{"extra": map[string]any{"k": nil}}, true},
		{"extra", "has_key", "k", map[string]any{}, false},
	} {
		m, err := matcherOf(c.field, c.op, c.operand)
		if err != nil {
			t.Errorf("%s %s %v: %v", c.field, c.op, c.operand, err)
			continue
		}
		e, _ := trigger.RowEvent(scope, "e", noon, books, nil, &table.Row{ID: "0153c04a2d4042022c6dc14f", Fields: c.fields})
		if got := m.Holds(e); got != c.held {
			t.Errorf("%s %s %v of %v: %v", c.field, c.op, c.operand, c.fields, got)
		}
	}
}

func TestSaysWhatRunWaitsFor(t *testing.T) {
	later := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for want, r := range map[string]run.Run{
		"": {Status: run.Pending, NextAttempt: later},
		"runs behind those of its key that came before: ordered": {Status: run.Pending, Flow: &run.Flow{Gate: run.GateOrdered}},
		"waits until 2026-11-22T12:00:00Z: debounce":             {Status: run.Pending, NextAttempt: later, Flow: &run.Flow{Gate: "debounce"}},
	} {
		if got := r.Waits(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if r.Status = run.Running; r.Waits() != "" {
			t.Errorf("a run under way waits: %q", r.Waits())
		}
	}
}
