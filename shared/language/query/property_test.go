package query

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// drawRow draws a row with few distinct values, so that conditions often match.
func drawRow(t *rapid.T, name string) map[string]any {
	row := map[string]any{"id": int64(rapid.IntRange(1, 5).Draw(t, name+" id"))}
	put := func(field string, v any) {
		if rapid.IntRange(0, 3).Draw(t, name+" has "+field) > 0 {
			row[field] = v
		}
	}
	put("name", drawName(t))
	put("age", int64(rapid.IntRange(0, 4).Draw(t, name+" age")))
	put("born", drawDate(t))
	put("tags", drawTags(t))
	put("extra", map[string]any{drawName(t): 1.0})
	return row
}

func drawName(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "ab", "B", "b"}).Draw(t, "name")
}

func drawDate(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"2020-01-01T08:00:00+08:00", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.001Z", "2019-12-31T23:00:00-02:00",
	}).Draw(t, "date")
}

func drawTags(t *rapid.T) []any {
	return rapid.SliceOfN(
		rapid.Map(rapid.SampledFrom([]string{"a", "b", "c"}), func(s string) any { return s }), 0, 3,
	).Draw(t, "tags")
}

// drawOperand draws a scalar field and a generator of values for it.
func drawOperand(t *rapid.T) (field string, draw func(*rapid.T) any) {
	field = rapid.SampledFrom([]string{"name", "age", "born"}).Draw(t, "field")
	return field, map[string]func(*rapid.T) any{
		"name": func(t *rapid.T) any { return drawName(t) },
		"age":  func(t *rapid.T) any { return rapid.IntRange(0, 4).Draw(t, "age") },
		"born": func(t *rapid.T) any { return drawDate(t) },
	}[field]
}

func where(t *rapid.T, object map[string]any) Predicate {
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	p, err := people.Where(string(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

type doc = map[string]any

func op(field string, op Op, operand any) doc { return doc{field: doc{string(op): operand}} }

func TestBooleanLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := drawRow(t, "row")
		field, draw := drawOperand(t)
		a, b, null := draw(t), draw(t), row[field] == nil
		same := func(law string, left, right bool) {
			t.Helper()
			if left != right {
				t.Fatalf("%s: %v ≠ %v for %s, %v, %v on %v", law, left, right, field, a, b, row)
			}
		}
		holds := func(o doc) bool { return where(t, o).Match(row) }
		same("$in is $or of $eq", holds(op(field, OpIn, []any{a, b, nil})),
			holds(doc{"$or": []any{op(field, OpEq, a), op(field, OpEq, b), op(field, OpEq, nil)}}))
		same("$nin is not $in", holds(op(field, OpNin, []any{a, b})), !holds(op(field, OpIn, []any{a, b})))
		same("$ne is not $eq", holds(op(field, OpNe, a)), !holds(op(field, OpEq, a)))
		same("$range is $gte and $lt", holds(op(field, OpRange, []any{a, b})),
			holds(doc{field: doc{"$gte": a, "$lt": b}}))
		same("$lte is $lt or $eq", holds(op(field, OpLte, a)), holds(op(field, OpLt, a)) || holds(op(field, OpEq, a)))
		same("not null: $gt is not $lte", holds(op(field, OpGt, a)), !null && !holds(op(field, OpLte, a)))
		same("not null: $gte is not $lt", holds(op(field, OpGte, a)), !null && !holds(op(field, OpLt, a)))
		same("$isnull", holds(op(field, OpIsNull, true)), null)
		same("$exists is not $isnull", holds(op(field, OpExists, true)), !holds(op(field, OpIsNull, true)))
		same("$eq null is $isnull", holds(op(field, OpEq, nil)), null)
		same("De Morgan", holds(doc{"$and": []any{op(field, OpNe, a), op(field, OpNe, b)}}),
			!holds(doc{"$or": []any{op(field, OpEq, a), op(field, OpEq, b)}}))
	})
}

func TestArrayLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := drawRow(t, "row")
		wanted := drawTags(t)
		var each, some []any
		for _, tag := range wanted {
			each = append(each, op("tags", OpIn, []any{tag}))
			some = append(some, op("tags", OpIn, []any{tag}))
		}
		each = append(each, op("tags", OpIsNull, false))
		if where(t, op("tags", OpAll, wanted)).Match(row) != where(t, doc{"$and": each}).Match(row) {
			t.Fatalf("$all %v is not $in of each on %v", wanted, row)
		}
		if len(some) > 0 && where(t, op("tags", OpIn, wanted)).Match(row) != where(t, doc{"$or": some}).Match(row) {
			t.Fatalf("$in %v is not $in of any on %v", wanted, row)
		}
		if where(t, op("tags", OpNin, wanted)).Match(row) == where(t, op("tags", OpIn, wanted)).Match(row) {
			t.Fatalf("$nin %v is not the opposite of $in on %v", wanted, row)
		}
	})
}

func TestPrefixAgreesWithRegex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`\^?[ab.]{0,3}[*$]?`).Draw(t, "pattern")
		text := rapid.StringMatching(`[abc]{0,4}`).Draw(t, "text")
		p, err := people.Term("name", OpRegex, pattern)
		if err != nil {
			t.Skip("not a pattern")
		}
		prefix, exact, ok := p.(*Term).Prefix()
		has := len(text) >= len(prefix) && text[:len(prefix)] == prefix
		match := p.Match(map[string]any{"name": text})
		if ok && (match && !has || exact && has && !match) {
			t.Fatalf("%q on %q: match %v, prefix %q exact %v", pattern, text, match, prefix, exact)
		}
	})
}

func TestOrderIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "name", "-name", "age,-born", "-born,name"}).Draw(t, "order")
		order, err := people.OrderBy(text)
		if err != nil {
			t.Fatal(err)
		}
		a, b, c := drawRow(t, "a"), drawRow(t, "b"), drawRow(t, "c")
		if order.Compare(a, b) != -order.Compare(b, a) || order.Compare(a, a) != 0 {
			t.Fatal("not antisymmetric")
		}
		if order.Compare(a, b) <= 0 && order.Compare(b, c) <= 0 && order.Compare(a, c) > 0 {
			t.Fatal("not transitive")
		}
		if order.Compare(a, b) == 0 && a["id"] != b["id"] {
			t.Fatal("rows with different ids are equal")
		}
	})
}

// reparse checks that a printed predicate parses to the same predicate. The printed form may exceed the length and
// nesting limits for callers.
func reparse(t interface {
	Fatalf(string, ...any)
	Helper()
}, p Predicate) {
	t.Helper()
	printed := p.String()
	again, err := people.where(printed, math.MaxInt, math.MaxInt)
	if err != nil {
		t.Fatalf("printed %s does not parse: %v", printed, err)
	}
	if diff := cmp.Diff(p, again, cmpopts.IgnoreUnexported(Term{})); diff != "" || again.String() != printed {
		t.Fatalf("%s is parsed to %s: %s", printed, again, diff)
	}
}

func FuzzWhere(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"name":"Ann"}`, `{"age":{"$gt":1,"$lt":2}}`, `{"$or":[{"age":1},{"$and":[{"name":null},{"tags":["a"]}]}]}`,
		`{"name":{"$regex":"^a","$options":"i"}}`,
		`{"born":{"$range":["2020-01-01T00:00:00Z","2021-01-01T00:00:00+08:00"]}}`,
		`{"extra":{"a":{"b":[1,2]}}}`, `{"friend":{"$in":[1,"a",{"_table":"t","id":"x"}]}}`, `{"_group":{"$in":[1]}}`,
		`{"place":{"$within":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}}`,
		`{"place":{"$center":{"radius":1.5,"coordinates":[1,2]}}}`,
		`{"place":{"$nearsphere":{"geometry":{"type":"Point","coordinates":[1,2]},"min_distance":3}}}`,
		`{"photo":{"id":"x"}}`, `{"name":{"$eq":{"$gt":""}}}`, `{"score":1e300}`, `{"name":"<\u2028\ud800"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := people.Where(text)
		if err != nil {
			return
		}
		p.Match(ann)
		p.Match(nobody)
		if len(Terms(p)) > MaxTerms {
			t.Fatalf("%d terms", len(Terms(p)))
		}
		reparse(t, p)
	})
}

func BenchmarkParse(b *testing.B) {
	const text = `{"age":{"$gte":18,"$lt":65},"name":{"$contains":"nn"},"$or":[{"member":true},{"tags":{"$in":["a","b"]}}]}`
	for b.Loop() {
		if _, err := people.Where(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for name, text := range map[string]string{
		"equal":  `{"name":"Ann Ö"}`,
		"number": `{"age":{"$gte":18}}`,
		"date":   `{"born":{"$lt":"2000-01-01T00:00:00Z"}}`,
		"mixed":  `{"age":{"$gte":18,"$lt":65},"name":{"$contains":"nn"},"$or":[{"member":false},{"tags":{"$in":["a","b"]}}]}`,
		"regex":  `{"name":{"$regex":"^A.n"}}`,
		"within": `{"place":{"$within":{"type":"Polygon","coordinates":[[[116,39],[117,39],[117,40],[116,40],[116,39]]]}}}`,
	} {
		p, err := people.Where(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if !p.Match(ann) {
					b.Fatal("no match")
				}
			}
		})
	}
}

// TestPrintedQueriesParseAgain checks that queries built from operators rather than text can be printed and parsed.
func TestPrintedQueriesParseAgain(t *testing.T) {
	var tree func(depth int) *rapid.Generator[Predicate]
	leaf := rapid.Custom(func(t *rapid.T) Predicate {
		field, draw := drawOperand(t)
		a := draw(t)
		kind := rapid.SampledFrom([]Op{OpEq, OpNe, OpGt, OpIn, OpRange, OpIsNull}).Draw(t, "op")
		operand := map[Op]any{OpEq: a, OpNe: a, OpGt: a, OpIn: []any{a, nil}, OpRange: []any{a, a}, OpIsNull: true}[kind]
		p, err := people.Term(field, kind, operand)
		if err != nil {
			t.Fatal(err)
		}
		return p
	})
	tree = func(depth int) *rapid.Generator[Predicate] {
		if depth == 0 {
			return leaf
		}
		parts := rapid.SliceOfN(tree(depth-1), 1, 3)
		return rapid.OneOf(leaf,
			rapid.Map(parts, func(parts []Predicate) Predicate { return All(parts...) }),
			rapid.Map(parts, either))
	}
	rapid.Check(t, func(t *rapid.T) {
		p := tree(3).Draw(t, "tree")
		reparse(t, p)
		row := drawRow(t, "row")
		again, _ := people.where(p.String(), math.MaxInt, math.MaxInt)
		if p.Match(row) != again.Match(row) {
			t.Fatalf("%s matches %v differently", p, row)
		}
	})
}
