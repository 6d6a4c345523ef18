package events

import (
	"testing"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
)

// verdict holds the counts that must be zero.
type verdict struct{ lost, doubled, late int }

func (v verdict) check(t *testing.T, got *load.Line) {
	t.Helper()
	if is := (verdict{got.Lost, got.Doubled, got.Late}); is != v {
		t.Errorf("lost, doubled, late: %v, want %v; %q", is, v, got.Troubles)
	}
}

// TestRows plants rows that differ from the result of their last change.
func TestRows(t *testing.T) {
	first := map[string]any{"note": "1", "n": 3, "s": "red", "late": 3}
	second := map[string]any{"note": "2", "n": 4, "s": "blue", "late": 4}
	at := func(mark, note string, n int, s string) stored {
		return stored{ID: mark, Mark: mark, Note: note, N: n, S: s, Late: n}
	}
	a1, a2, b1 := at("a", "1", 3, "red"), at("a", "2", 4, "blue"), at("b", "1", 3, "red")
	for name, tt := range map[string]struct {
		rows   []stored
		second promise.Need
		line   string
		want   verdict
	}{
		"right":                {[]stored{a2}, client.Acknowledged, rowUpdated, verdict{}},
		"unknown, not changed": {[]stored{a1}, client.Unknown, rowUpdated, verdict{}},
		"unknown, changed":     {[]stored{a2}, client.Unknown, rowUpdated, verdict{}},
		"refused":              {[]stored{a1}, client.Refused, rowUpdated, verdict{}},
		"refused, and changed": {[]stored{a2}, client.Refused, rowUpdated, verdict{doubled: 1}},
		"a change is lost":     {[]stored{a1}, client.Acknowledged, rowUpdated, verdict{lost: 1}},
		"half a change":        {[]stored{at("a", "2", 3, "blue")}, client.Acknowledged, rowUpdated, verdict{lost: 1}},
		"a row is lost":        {nil, client.Acknowledged, rowUpdated, verdict{lost: 1}},
		"a row is doubled":     {[]stored{a2, a2}, client.Acknowledged, rowUpdated, verdict{doubled: 1}},
		"a deletion is lost":   {[]stored{a2, b1}, client.Acknowledged, rowDeleted, verdict{lost: 1}},
		"a strange row":        {[]stored{a2, at("c", "1", 3, "red")}, client.Acknowledged, rowCreated, verdict{doubled: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			e := &events{Base: load.Base{Load: &load.Load{}}}
			e.lives, e.marksOf = map[string]*life{}, map[string]string{}
			e.became("a", &life{line: rowUpdated, known: tt.second, id: "a"}, first, second)
			e.became("b", &life{line: rowDeleted, known: client.Acknowledged, id: "b"}, first, nil)
			e.compare(tt.rows)
			tt.want.check(t, e.Lines.Line(tt.line))
		})
	}
}
