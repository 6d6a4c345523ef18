package update_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
)

var schema = append(value.BuiltIn(value.Integer), value.Schema{
	{Name: "name", Type: value.String, Required: true},
	{Name: "note", Type: value.String},
	{Name: "count", Type: value.Integer},
	{Name: "score", Type: value.Number},
	{Name: "born", Type: value.Date},
	{Name: "tags", Type: value.Array, Items: value.String},
	{Name: "days", Type: value.Array, Items: value.Date},
	{Name: "extra", Type: value.Object},
	{Name: "place", Type: value.Geojson},
}...)

func writable(name string) error {
	if _, builtIn := value.BuiltIn(value.Integer).Column(name); builtIn {
		return errs.Invalid("field %q is built in and cannot be updated", name)
	}
	return nil
}

// TestApply compares the row after an update; the row, the body and the result are JSON.
func TestApply(t *testing.T) {
	for _, row := range []struct{ before, body, after string }{
		{`{"name":"a"}`, `{}`, `{"name":"a"}`},
		{`{"name":"a"}`, `{"name":"b","count":3}`, `{"name":"b","count":3}`},
		{`{"name":"a","note":"x"}`, `{"note":null}`, `{"name":"a"}`},
		{`{"note":"x","count":1}`, `{"$set":{"count":2},"$unset":{"note":""}}`, `{"count":2}`},
		{`{"count":1}`, `{"$set":{"count":{"$incr_by":2}},"note":"n"}`, `{"count":3,"note":"n"}`},
		{`{}`, `{"$unset":{"note":""}}`, `{}`},
		{`{"count":1}`, `{"count":{"$incr_by":-3}}`, `{"count":-2}`},
		{`{}`, `{"count":{"$incr_by":5},"score":{"$incr_by":0.5}}`, `{"count":5,"score":0.5}`},
		{`{"tags":["a"]}`, `{"tags":{"$append":["a","b"]}}`, `{"tags":["a","a","b"]}`},
		{`{}`, `{"tags":{"$append":[]}}`, `{"tags":[]}`},
		{`{"tags":["a","a"]}`, `{"tags":{"$append_unique":["b","a","b","c"]}}`, `{"tags":["a","a","b","c"]}`},
		{`{}`, `{"tags":{"$append_unique":["b","b"]}}`, `{"tags":["b"]}`},
		{
			`{"days":["2020-01-01T08:00:00+08:00"]}`, `{"days":{"$append_unique":["2020-01-01T00:00:00Z"]}}`,
			`{"days":["2020-01-01T08:00:00+08:00"]}`,
		},
		{`{"tags":["a","b","a","c"]}`, `{"tags":{"$remove":["a","z"]}}`, `{"tags":["b","c"]}`},
		{`{}`, `{"tags":{"$remove":["a"]}}`, `{"tags":[]}`},
		{`{"tags":["a","b"]}`, `{"tags":{"$pop":1}}`, `{"tags":["a"]}`},
		{`{"tags":["a","b"]}`, `{"tags":{"$pop":-1}}`, `{"tags":["b"]}`},
		{`{"tags":["a"]}`, `{"tags":{"$pop":1}}`, `{"tags":[]}`},
		{`{"tags":[]}`, `{"tags":{"$pop":1}}`, `{"tags":[]}`},
		{`{}`, `{"tags":{"$pop":1}}`, `{}`},
		{
			`{"extra":{"a":1,"b":{"c":1}}}`, `{"extra":{"$update":{"b":{"d":2},"e":null}}}`,
			`{"extra":{"a":1,"b":{"d":2},"e":null}}`,
		},
		{`{}`, `{"extra":{"$update":{"a":1}}}`, `{"extra":{"a":1}}`},
		{`{"extra":{"a":1}}`, `{"extra":{"b":2}}`, `{"extra":{"b":2}}`},
		{`{}`, `{"place":{"type":"Point","coordinates":[1,2]}}`, `{"place":{"type":"Point","coordinates":[1,2]}}`},
		{`{}`, `{"born":"2020-01-01T08:00:00+0800"}`, `{"born":"2020-01-01T08:00:00+08:00"}`},
	} {
		operations, err := update.Parse([]byte(row.body), schema, writable)
		if err != nil {
			t.Errorf("%s: %v", row.body, err)
			continue
		}
		before := stored(t, row.before)
		after, err := operations.Apply(before)
		if err != nil {
			t.Errorf("%s on %s: %v", row.body, row.before, err)
			continue
		}
		if got := text(t, after); got != text(t, stored(t, row.after)) {
			t.Errorf("%s on %s: %s, want %s", row.body, row.before, got, row.after)
		}
		if diff := cmp.Diff(stored(t, row.before), before); diff != "" {
			t.Errorf("%s changed the row it was given: %s", row.body, diff)
		}
	}
}

func stored(t *testing.T, row string) map[string]any {
	t.Helper()
	decoded, err := value.Decode("row", []byte(row))
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := value.Schema(withoutRequired()).Row(decoded.(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	return canonical
}

func withoutRequired() value.Schema {
	loose := append(value.Schema{}, schema...)
	for i := range loose {
		loose[i].Required = false
	}
	return loose
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestParseRefuses checks the words in the error message of each refused body.
func TestParseRefuses(t *testing.T) {
	for body, words := range map[string]string{
		``:                                           "body JSON",
		`[]`:                                         "body object",
		`{"count":1,"count":2}`:                      "count twice",
		`{"other":1}`:                                "other exist",
		`{"id":1}`:                                   "id updated",
		`{"created_at":{"$incr_by":1}}`:              "created_at updated",
		`{"$unset":{"created_at":""}}`:               "created_at updated",
		`{"$set":{"id":1}}`:                          "id updated",
		`{"$set":[]}`:                                "$set object",
		`{"$unset":"note"}`:                          "$unset object",
		`{"$inc":{"count":1}}`:                       "$inc",
		`{"$incr_by":1}`:                             "$incr_by",
		`{"$set":{"$set":{"count":1}}}`:              "$set",
		`{"count":"1"}`:                              "count integer",
		`{"count":1.5}`:                              "count integer",
		`{"count":{}}`:                               "count integer",
		`{"count":{"x":1}}`:                          "count integer",
		`{"count":{"$incr_by":"1"}}`:                 "count $incr_by integer",
		`{"count":{"$incr_by":1.5}}`:                 "count $incr_by integer",
		`{"count":{"$incr_by":null}}`:                "count $incr_by null",
		`{"count":{"$incr_by":1,"$append":[]}}`:      "count single",
		`{"count":{"$incr_by":1,"x":1}}`:             "count single",
		`{"count":{"$mul":2}}`:                       "count $mul $incr_by",
		`{"tags":{"$push":1}}`:                       "tags $push $append $append_unique $pop $remove",
		`{"note":{"$inc":1}}`:                        "note $inc string",
		`{"count":{"$append":[1]}}`:                  "count $append",
		`{"count":{"$set":1}}`:                       "count $set",
		`{"note":{"$incr_by":1}}`:                    "note $incr_by",
		`{"name":null}`:                              "name required",
		`{"$unset":{"name":""}}`:                     "name required",
		`{"tags":{"$append":"a"}}`:                   "tags $append array",
		`{"tags":{"$append":[1]}}`:                   "tags $append string",
		`{"tags":{"$append":[null]}}`:                "tags $append null",
		`{"tags":{"$remove":{}}}`:                    "tags $remove array",
		`{"tags":{"$pop":2}}`:                        "tags $pop",
		`{"tags":{"$pop":"1"}}`:                      "tags $pop",
		`{"extra":{"$update":[1]}}`:                  "extra $update object",
		`{"extra":{"$update":{"$a":1}}}`:             "extra $a",
		`{"extra":{"a":{"$gt":1}}}`:                  "extra $gt",
		`{"tags":{"$update":{}}}`:                    "tags $update",
		`{"count":1,"$set":{"count":2}}`:             "count twice",
		`{"$set":{"note":"x"},"$unset":{"note":""}}`: "note twice",
		`{"born":"2020-01-01"}`:                      "born date",
		`{"place":{"type":"Point"}}`:                 "place",
	} {
		operations, err := update.Parse([]byte(body), schema, writable)
		if !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %v, %v; want Invalid", body, operations, err)
			continue
		}
		for word := range strings.FieldsSeq(words) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: message %q does not name %q", body, err, word)
			}
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, row := range []struct {
		stored map[string]any
		body   string
	}{
		{map[string]any{"count": int64(value.MaxInteger)}, `{"count":{"$incr_by":1}}`},
		{map[string]any{"count": int64(-value.MaxInteger)}, `{"count":{"$incr_by":-9007199254740991}}`},
		{map[string]any{"score": 1e308}, `{"score":{"$incr_by":1e308}}`},
		{map[string]any{"count": "7"}, `{"count":{"$incr_by":1}}`},
		{map[string]any{"tags": "a"}, `{"tags":{"$append":["a"]}}`},
		{map[string]any{"extra": []any{}}, `{"extra":{"$update":{"a":1}}}`},
	} {
		operations, err := update.Parse([]byte(row.body), schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		if after, err := operations.Apply(row.stored); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s on %v: %v, %v; want Invalid", row.body, row.stored, after, err)
		}
	}
}

// TestArrayLaws checks that $append_unique is a union and $remove a difference, and that both are idempotent.
func TestArrayLaws(t *testing.T) {
	tags := rapid.SliceOfN(
		rapid.Map(rapid.SampledFrom([]string{"a", "b", "c", "d"}), func(s string) any { return s }), 0, 4,
	)
	rapid.Check(t, func(t *rapid.T) {
		before, operand := tags.Draw(t, "before"), tags.Draw(t, "operand")
		apply := func(row map[string]any, kind update.Kind) []any {
			operations, err := update.FromObject(map[string]any{"tags": map[string]any{string(kind): operand}}, schema, nil)
			if err != nil {
				t.Fatal(err)
			}
			after, err := operations.Apply(row)
			if err != nil {
				t.Fatal(err)
			}
			return after["tags"].([]any)
		}
		row := map[string]any{"tags": before}
		for _, kind := range []update.Kind{update.AppendUnique, update.Remove} {
			once := apply(row, kind)
			if diff := cmp.Diff(once, apply(map[string]any{"tags": once}, kind)); diff != "" {
				t.Fatalf("%s %v twice differs: %s", kind, operand, diff)
			}
		}
		union := apply(row, update.AppendUnique)
		for _, tag := range []any{"a", "b", "c", "d"} {
			in := count(before, tag) > 0 || count(operand, tag) > 0
			if (count(union, tag) > 0) != in || count(union, tag) > max(1, count(before, tag)) {
				t.Fatalf("%v ∪ %v = %v", before, operand, union)
			}
		}
		rest := apply(map[string]any{"tags": union}, update.Remove)
		for _, tag := range operand {
			if count(rest, tag) > 0 {
				t.Fatalf("%v is left in %v", tag, rest)
			}
		}
		if len(apply(row, update.Append)) != len(before)+len(operand) {
			t.Fatal("$append lost an item")
		}
	})
}

func count(items []any, item any) int {
	n := 0
	for _, other := range items {
		if other == item {
			n++
		}
	}
	return n
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a"}`, `{"$set":{"count":{"$incr_by":1}},"$unset":{"note":""}}`, `{"tags":{"$append_unique":["a","a"]}}`,
		`{"tags":{"$pop":-1}}`, `{"extra":{"$update":{"a":{"b":1}}}}`, `{"extra":{"$set":1}}`,
		`{"place":"{\"type\":\"Point\",\"coordinates\":[1,2]}"}`,
	} {
		f.Add(seed)
	}
	row := map[string]any{"name": "a", "count": int64(1), "tags": []any{"a"}, "extra": map[string]any{"a": 1.0}}
	f.Fuzz(func(t *testing.T, body string) {
		operations, err := update.Parse([]byte(body), schema, writable)
		if err != nil {
			return
		}
		after, err := operations.Apply(row)
		if err != nil {
			return
		}
		for name, v := range after {
			column, _ := schema.Column(name)
			if !column.Holds(v) {
				t.Fatalf("%s leaves %s with %v", body, name, v)
			}
		}
		again, err := operations.JSON()
		if err != nil {
			t.Fatal(err)
		}
		reparsed, err := update.Parse(again, schema, writable)
		if err != nil || cmp.Diff(operations, reparsed) != "" {
			t.Fatalf("%s is written as %s and read as %v, %v", body, again, reparsed, err)
		}
	})
}
