package query_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/errs"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
)

var inner = value.Schema{
	{Name: "id", Type: value.String}, {Name: "extra", Type: value.Object}, {Name: "name", Type: value.String},
	{Name: "place", Type: value.Geojson},
}

// TestWhereInsideObjects: values inside objects are compared by their own types; missing levels are null.
func TestWhereInsideObjects(t *testing.T) {
	row := map[string]any{"name": "x", "extra": map[string]any{
		"n": 5.0, "s": "Text", "b": true, "null": nil, "list": []any{1.0, "a"}, "o": map[string]any{"p": map[string]any{"q": map[string]any{"r": 1.0}}},
	}}
	for where, want := range map[string]bool{
		`{"extra.n":5}`: true, `{"extra.n":5.0}`: true, `{"extra.n":"5"}`: false, `{"extra.n":{"$eq":6}}`: false,
		`{"extra.n":{"$ne":6}}`: true, `{"extra.n":{"$ne":5}}`: false, `{"extra.n":{"$gt":4,"$lte":5}}`: true,
		`{"extra.n":{"$gt":"4"}}`: false, `{"extra.n":{"$lt":true}}`: false, `{"extra.n":{"$range":[5,6]}}`: true,
		`{"extra.n":{"$range":[4,5]}}`: false, `{"extra.n":{"$in":[1,5,"x"]}}`: true, `{"extra.n":{"$nin":[1,5]}}`: false,
		`{"extra.s":{"$gte":"Text"}}`: true, `{"extra.s":{"$contains":"ex"}}`: true, `{"extra.s":{"$icontains":"TE"}}`: true,
		`{"extra.s":{"$regex":"^te","$options":"i"}}`: true, `{"extra.s":{"$regex":"^te"}}`: false,
		`{"extra.n":{"$contains":"5"}}`: false, `{"extra.b":true}`: true, `{"extra.b":{"$lt":true}}`: false,
		`{"extra.null":null}`: true, `{"extra.null":{"$isnull":true}}`: true, `{"extra.none":{"$exists":false}}`: true,
		`{"extra.none":null}`: true, `{"extra.none":{"$ne":5}}`: true, `{"extra.none":{"$lt":5}}`: false,
		`{"extra.none":{"$in":[null]}}`: true, `{"extra.none":{"$nin":[5]}}`: true, `{"extra.n.deep":{"$isnull":true}}`: true,
		`{"extra.list":[1,"a"]}`: true, `{"extra.list":["a",1]}`: false, `{"extra.o":{"p":{"q":{"r":1}}}}`: true,
		`{"extra.o":{"$has_key":"p"}}`: true, `{"extra.o.p.q.r":1}`: true, `{"extra.o.p.q":{"r":1}}`: true,
		`{"extra.o":{}}`: false, `{"$or":[{"extra.n":1},{"extra.s":"Text"}]}`: true,
	} {
		p, err := (query.Grammar{Schema: inner}).Where(where)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		if p.Match(row) != want {
			t.Errorf("%s: %v", where, !want)
		}
		again, err := (query.Grammar{Schema: inner}).Where(p.String())
		if err != nil || again.String() != p.String() || again.Match(row) != want {
			t.Errorf("%s is printed as %s: %v", where, p, err)
		}
		if strings.Contains(where, "extra") && !strings.Contains(strings.Join(query.Columns(p), " "), "extra") {
			t.Errorf("%s reads the columns %v", where, query.Columns(p))
		}
		for _, term := range query.Conjuncts(p) {
			if !term.Virtual() {
				t.Errorf("%s: an index or a filter of the column would be used", where)
			}
		}
	}

	for where, words := range map[string]string{
		`{"extra.a.b.c.d.e":1}`: "extra.a.b.c.d.e 5", `{"extra..a":1}`: "extra..a", `{"extra.":1}`: "extra.", `{"extra.$a":1}`: "extra.$a",
		`{"name.a":1}`: "name.a exist", `{"other.a":1}`: "other.a exist", `{"place.type":"Point"}`: "place.type exist",
		`{"extra.a":{"$lt":null}}`: "$lt extra.a", `{"extra.a":{"$lt":[1]}}`: "$lt extra.a number", `{"extra.a":{"$range":[1]}}`: "$range extra.a",
		`{"extra.a":{"$range":[]}}`: "$range extra.a", `{"extra.a":{"$range":[1,"b"]}}`: "$range extra.a", `{"extra.a":{"$in":1}}`: "$in extra.a array",
		`{"extra.a":{"$all":[1]}}`: "$all extra.a", `{"extra.a":{"$none":1}}`: "$none extra.a", `{"extra.a":{"$gt":1,"b":2}}`: "extra.a mixes",
		`{"extra.a":{"b":{"$gt":1}}}`: "extra.a $gt", `{"extra.a":{"$within":{"type":"Point","coordinates":[1,2]}}}`: "$within extra.a",
		`{"extra.a":{"$isnull":1}}`: "extra.a true",
	} {
		_, err := (query.Grammar{Schema: inner}).Where(where)
		for word := range strings.FieldsSeq(words) {
			if !errs.Is(err, errs.KindInvalid) || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v, want %s", where, err, word)
			}
		}
	}
	if _, err := (query.Grammar{Schema: inner}).OrderBy("extra.n"); err == nil {
		t.Error("ordered by a value inside an object")
	}
}

// FuzzDottedNames: what an update sets at a path, a condition at the same path finds, and nothing else of the object
// changes.
func FuzzDottedNames(f *testing.F) {
	for _, seed := range [][3]string{
		{"extra.a", `{"a":1}`, `2`}, {"extra.a.b.c.d", `{}`, `"x"`}, {"extra.a.b", `{"a":{"c":1}}`, `{"n":[1,null]}`}, {"extra.a.b", `{"a":5}`, `1`},
		{"extra.a.b.c.d.e", `{}`, `1`}, {"extra..b", `{}`, `1`}, {"extra.$a", `{}`, `1`}, {"name.a", `{}`, `1`}, {"extra.a", `{}`, `{"$incr_by":3}`},
		{"extra. .é", `{" ":null}`, `true`}, {"extra.a", `{"a":{"b":1}}`, `null`}, {"extra.a", `{}`, `{"b":{"$gt":1}}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, name, object, set string) {
		stored, err := value.Decode("object", []byte(object))
		if err != nil || !utf8.ValidString(name) { // names come from JSON
			return
		}
		before, err := (value.Column{Name: "extra", Type: value.Object}).Convert(stored)
		if err != nil || before == nil {
			return
		}
		v, err := value.Decode("value", []byte(set))
		if err != nil {
			return
		}
		row := map[string]any{"extra": before}
		operations, err := update.FromObject(map[string]any{"$set": map[string]any{name: v}}, inner, nil)
		if err != nil {
			if !errs.Is(err, errs.KindInvalid) {
				t.Fatal(err)
			}
			return
		}
		after, err := operations.Apply(row)
		if err != nil {
			if !errs.Is(err, errs.KindInvalid) {
				t.Fatal(err)
			}
			return
		}
		path := operations[0].Path
		if operations[0].Column.Name != "extra" || len(path) == 0 || len(path) >= value.MaxPath {
			return
		}

		condition, err := json.Marshal(map[string]any{name: map[string]any{"$eq": value.At(after["extra"], path)}})
		if err != nil {
			t.Fatal(err)
		}
		found, err := (query.Grammar{Schema: inner}).Where(string(condition))
		if err != nil {
			t.Fatalf("%s: %v", condition, err)
		}
		if !found.Match(after) {
			t.Errorf("%s does not find %v", condition, after)
		}
		// Without the value at the path, and the levels made for it, the object is as before.
		if diff := cmp.Diff(without(before.(map[string]any), path), without(after["extra"].(map[string]any), path)); diff != "" {
			t.Errorf("%s = %s changed other parts: %s", name, set, diff)
		}
	})
}

// without returns a copy of the object without the value at the path and levels that are empty then.
func without(object map[string]any, path []string) map[string]any {
	copied := map[string]any{}
	for key, v := range object {
		inner, isObject := v.(map[string]any)
		switch {
		case key != path[0]:
			copied[key] = v
		case len(path) > 1 && isObject:
			if rest := without(inner, path[1:]); len(rest) > 0 {
				copied[key] = rest
			}
		}
	}
	return copied
}
