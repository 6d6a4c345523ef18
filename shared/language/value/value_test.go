package value_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

func column(kind value.Type) value.Column { return value.Column{Name: "x", Type: kind} }

func list(items value.Type) value.Column {
	return value.Column{Name: "x", Type: value.Array, Items: items}
}

const (
	square     = `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}`
	squareText = `"{\"type\":\"Point\",\"coordinates\":[116.5,39.9]}"`
)

// TestConvert compares the canonical value of JSON in a column, as JSON; "" means refused.
func TestConvert(t *testing.T) {
	for _, row := range []struct {
		column     value.Column
		json, want string
	}{
		{column(value.String), `"a"`, `"a"`},
		{column(value.String), `""`, `""`},
		{column(value.String), `1`, ``},
		{column(value.String), `{"$gt":""}`, ``},
		{column(value.String), `["a"]`, ``},
		{column(value.String), `null`, `null`},
		{column(value.Integer), `7`, `7`},
		{column(value.Integer), `-0`, `0`},
		{column(value.Integer), `1.0`, `1`},
		{column(value.Integer), `1e3`, `1000`},
		{column(value.Integer), `9007199254740991`, `9007199254740991`},
		{column(value.Integer), `-9007199254740991`, `-9007199254740991`},
		{column(value.Integer), `9007199254740992`, ``},
		{column(value.Integer), `9007199254740993`, ``},
		{column(value.Integer), `1.5`, ``},
		{column(value.Integer), `"1"`, ``},
		{column(value.Integer), `true`, ``},
		{column(value.Number), `1.5`, `1.5`},
		{column(value.Number), `1e308`, `1e308`},
		{column(value.Number), `1e309`, ``},
		{column(value.Number), `"1.5"`, ``},
		{column(value.Boolean), `true`, `true`},
		{column(value.Boolean), `1`, ``},
		{column(value.Boolean), `"true"`, ``},
		{column(value.Date), `"2018-09-01T18:31:02.631000+08:00"`, `"2018-09-01T18:31:02.631+08:00"`},
		{column(value.Date), `"2018-09-01T18:31:02Z"`, `"2018-09-01T18:31:02Z"`},
		{column(value.Date), `"2018-09-01T18:31:02+0800"`, `"2018-09-01T18:31:02+08:00"`},
		{column(value.Date), `"2018-09-01T18:31+08:00"`, `"2018-09-01T18:31:00+08:00"`},
		{column(value.Date), `"2018-09-01T18:31:02"`, ``},
		{column(value.Date), `"2018-09-01"`, ``},
		{column(value.Date), `"2018-02-30T00:00:00Z"`, ``},
		{column(value.Date), `"2018-09-01T18:31:02,5Z"`, ``},
		{column(value.Date), `1535797862`, ``},
		{list(value.String), `["a","b"]`, `["a","b"]`},
		{list(value.String), `[]`, `[]`},
		{list(value.String), `["a",1]`, ``},
		{list(value.String), `["a",null]`, ``},
		{list(value.String), `"a"`, ``},
		{list(value.Integer), `[1,2.0]`, `[1,2]`},
		{list(value.Date), `["2018-09-01T18:31:02+0800"]`, `["2018-09-01T18:31:02+08:00"]`},
		{list(value.Object), `[{"a":1}]`, `[{"a":1}]`},
		{list(value.Geojson), `[` + square + `]`, `[` + square + `]`},
		{column(value.Object), `{"a":{"b":[1,null,"c"]}}`, `{"a":{"b":[1,null,"c"]}}`},
		{column(value.Object), `{}`, `{}`},
		{column(value.Object), `{"$set":1}`, ``},
		{column(value.Object), `{"a":[{"b":{"$gt":1}}]}`, ``},
		{column(value.Object), `[]`, ``},
		{column(value.Object), `{"a":1e400}`, ``},
		{
			column(value.File), `{"id":"5a","name":"x.png","size":3,"path":null}`,
			`{"id":"5a","name":"x.png","size":3,"path":null}`,
		},
		{column(value.File), `{"name":"x.png"}`, ``},
		{column(value.File), `{"id":"5a","size":"3"}`, ``},
		{column(value.File), `{"id":"5a","name":3}`, ``},
		{
			column(value.Pointer), `{"_table":"t","id":"5bfe000ce74243582bf2979f"}`,
			`{"_table":"t","id":"5bfe000ce74243582bf2979f"}`,
		},
		{column(value.Pointer), `{"_table":"_userprofile","id":36395395}`, `{"_table":"_userprofile","id":36395395}`},
		{column(value.Pointer), `{"_table":"t","id":1.5}`, ``},
		{value.Column{Name: "x", Type: value.Pointer, Target: "t"}, `"5bfe000ce74243582bf2979f"`, `{"_table":"t","id":"5bfe000ce74243582bf2979f"}`},
		{value.Column{Name: "x", Type: value.Pointer, Target: "t"}, `5`, ``},
		{value.Column{Name: "x", Type: value.Pointer, Target: "t"}, `{"id":5}`, ``},
		{value.Column{Name: "x", Type: value.Pointer, Target: "_userprofile"}, `"5"`, `{"_table":"_userprofile","id":5}`},
		{column(value.Pointer), `{"_table":"t"}`, ``},
		{column(value.Pointer), `{"_table":"t","id":"a","x":1}`, ``},
		{column(value.Geojson), square, square},
		{column(value.Geojson), squareText, `{"type":"Point","coordinates":[116.5,39.9]}`},
		{column(value.Geojson), `{"type":"Point","coordinates":[181,0]}`, ``},
		{column(value.Geojson), `{"type":"Point","coordinates":[0,91]}`, ``},
		{column(value.Geojson), `{"type":"Point","coordinates":[0]}`, ``},
		{column(value.Geojson), `{"type":"Point","coordinates":["0",0]}`, ``},
		{column(value.Geojson), `{"type":"LineString","coordinates":[[0,0],[1,1]]}`, ``},
		{column(value.Geojson), `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}`, ``},
		{column(value.Geojson), `{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}`, ``},
		{column(value.Geojson), `{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,2],[0,0]]]}`, ``},
		{column(value.Geojson), `{"type":"Polygon","coordinates":[]}`, ``},
		{column(value.Geojson), `"nonsense"`, ``},
	} {
		in, err := value.Decode("test", []byte(row.json))
		if err != nil {
			t.Fatalf("%s: %v", row.json, err)
		}
		got, err := row.column.Convert(in)
		if row.want == "" {
			if !errs.Is(err, errs.KindInvalid) || !strings.Contains(err.Error(), `"x"`) {
				t.Errorf("%s %s: %v, %v; want Invalid naming the field", row.column.Type, row.json, got, err)
			}
			continue
		}
		var want any
		json.Unmarshal([]byte(row.want), &want)
		text, _ := json.Marshal(got)
		var have any
		json.Unmarshal(text, &have)
		if err != nil || cmp.Diff(want, have) != "" {
			t.Errorf("%s %s: %s, %v; want %s", row.column.Type, row.json, text, err, row.want)
		}
		again, err := row.column.Convert(got)
		if err != nil || cmp.Diff(got, again) != "" {
			t.Errorf("%s %s: canonical value %v is not stable: %v, %v", row.column.Type, row.json, got, again, err)
		}
	}
}

func TestRequiredNull(t *testing.T) {
	c := value.Column{Name: "x", Type: value.String, Required: true}
	if _, err := c.Convert(nil); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("null in a required column: %v", err)
	}
}

func TestCompare(t *testing.T) {
	for _, row := range []struct {
		column value.Column
		a, b   any
		want   int
	}{
		{column(value.Integer), nil, int64(-5), -1},
		{column(value.Integer), nil, nil, 0},
		{column(value.Integer), int64(2), 2.0, 0},
		{column(value.Integer), int64(2), json.Number("10"), -1},
		{column(value.Number), -1.5, 0.0, -1},
		{column(value.String), "a", "B", 1},
		{column(value.String), "", nil, 1},
		{column(value.Boolean), false, true, -1},
		{column(value.Date), "2018-01-01T08:00:00+08:00", "2018-01-01T00:00:00Z", 0},
		{column(value.Date), "2018-01-01T08:00:00+08:00", "2018-01-01T07:00:00Z", -1},
		{column(value.Date), "not a date", "0001-01-01T00:00:00Z", -1},
		{list(value.Date), []any{"2018-01-01T08:00:00+08:00"}, []any{"2018-01-01T00:00:00Z"}, 0},
		{list(value.Integer), []any{int64(1)}, []any{int64(1), int64(0)}, -1},
		{column(value.Object), map[string]any{"a": 1.0, "b": nil}, map[string]any{"b": nil, "a": int64(1)}, 0},
		{column(value.Object), map[string]any{"a": nil}, map[string]any{}, 1},
	} {
		if got := row.column.Compare(row.a, row.b); got != row.want {
			t.Errorf("%s: Compare(%v, %v) = %d, want %d", row.column.Type, row.a, row.b, got, row.want)
		}
		if got := row.column.Compare(row.b, row.a); got != -row.want {
			t.Errorf("%s: Compare(%v, %v) = %d, want %d", row.column.Type, row.b, row.a, got, -row.want)
		}
	}
}

// anyValue draws values of every kind, including values that a column must not hold.
func anyValue() *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Int64Range(-3, 3), func(n int64) any { return n }),
		rapid.Map(rapid.Float64Range(-3, 3), func(n float64) any { return math.Round(n) / 2 }),
		rapid.Map(
			rapid.SampledFrom([]string{
				"", "a", "b", "2018-01-01T08:00:00+08:00", "2018-01-01T00:00:00Z", "2018-01-01T00:00:00.5Z", "2018",
			}),
			func(s string) any { return s },
		),
	)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(leaf, 0, 2), func(items []any) any { return items }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), leaf, 0, 2), func(m map[string]any) any { return m }),
	)
}

func TestCompareIsATotalOrder(t *testing.T) {
	columns := []value.Column{
		column(value.String), column(value.Integer), column(value.Date), column(value.Object), list(value.Date),
		list(value.Integer),
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(columns).Draw(t, "column")
		a, b, d := anyValue().Draw(t, "a"), anyValue().Draw(t, "b"), anyValue().Draw(t, "c")
		if c.Compare(a, b) != -c.Compare(b, a) {
			t.Fatalf("Compare(%v, %v) is not antisymmetric", a, b)
		}
		if c.Compare(a, a) != 0 || !c.Equal(a, a) {
			t.Fatalf("%v differs from itself", a)
		}
		if c.Compare(a, b) <= 0 && c.Compare(b, d) <= 0 && c.Compare(a, d) > 0 {
			t.Fatalf("%v ≤ %v ≤ %v is not transitive", a, b, d)
		}
	})
}

func TestSchemaValidate(t *testing.T) {
	good := value.Schema{
		{Name: "name", Type: value.String, Default: "x", Indexed: true},
		{Name: "tags", Type: value.Array, Items: value.String, Default: []any{"a"}},
		{Name: "count", Type: value.Integer, Default: 3.0},
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	if good[2].Default != int64(3) {
		t.Errorf("default %T is not canonical", good[2].Default)
	}
	for name, bad := range map[string]value.Schema{
		"no name":       {{Type: value.String}},
		"underscore":    {{Name: "_x", Type: value.String}},
		"digit":         {{Name: "1x", Type: value.String}},
		"unicode":       {{Name: "größe", Type: value.String}},
		"newline":       {{Name: "x\n", Type: value.String}},
		"too long":      {{Name: strings.Repeat("x", 65), Type: value.String}},
		"built in":      {{Name: "created_at", Type: value.Integer}},
		"twice":         {{Name: "x", Type: value.String}, {Name: "x", Type: value.Integer}},
		"type":          {{Name: "x", Type: "text"}},
		"no items":      {{Name: "x", Type: value.Array}},
		"nested array":  {{Name: "x", Type: value.Array, Items: value.Array}},
		"items":         {{Name: "x", Type: value.String, Items: value.String}},
		"default":       {{Name: "x", Type: value.Integer, Default: "1"}},
		"indexed array": {{Name: "x", Type: value.Array, Items: value.String, Indexed: true}},
	} {
		if err := bad.Validate(); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %v, want Invalid", name, err)
		}
	}
}

func TestSchemaRow(t *testing.T) {
	schema := value.Schema{
		{Name: "name", Type: value.String, Required: true},
		{Name: "count", Type: value.Integer, Default: int64(3)},
		{Name: "note", Type: value.String},
	}
	got, err := schema.Row(map[string]any{"name": "a", "note": nil})
	if want := (map[string]any{"name": "a", "count": int64(3)}); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, bad := range []map[string]any{{}, {"name": nil}, {"name": "a", "other": 1}, {"name": 1}} {
		if _, err := schema.Row(bad); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%v: %v, want Invalid", bad, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{
		``, `{`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":1}}`, `{} {}`, `1 2`, `[1,]`, `{"a"}`, `{a:1}`, `nul`, `"`, `]`,
		"\"\xff\"",
		strings.Repeat("[", 100) + strings.Repeat("]", 100), strings.Repeat(`{"a":`, 100),
	} {
		if v, err := value.Decode("body", []byte(text)); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%.20q: %v, %v; want Invalid", text, v, err)
		}
	}
}

func FuzzConvert(f *testing.F) {
	for _, seed := range []string{
		`1`, `"2018-09-01T18:31:02Z"`, square, `{"id":"x"}`, `[1,null]`, `{"a":{"b":[{}]}}`, `1e999`,
	} {
		f.Add(seed)
	}
	columns := []value.Column{
		column(value.String), column(value.Integer), column(value.Number), column(value.Boolean), column(value.Date),
		column(value.Object),
		column(value.File), column(value.Pointer), column(value.Geojson), list(value.Integer), list(value.Geojson),
		list(value.Object),
	}
	f.Fuzz(func(t *testing.T, text string) {
		in, err := value.Decode("x", []byte(text))
		if err != nil {
			return
		}
		for _, c := range columns {
			got, err := c.Convert(in)
			if err != nil || got == nil {
				continue
			}
			if again, err := c.Convert(got); err != nil || !c.Equal(got, again) || !c.Holds(got) {
				t.Fatalf("%s %s: %v is not canonical: %v %v", c.Type, text, got, again, err)
			}
		}
	})
}
