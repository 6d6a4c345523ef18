package plan

import (
	"testing"

	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// TestPlans compares the plans of queries, given the estimates, with the expected plans.
func TestPlans(t *testing.T) {
	column := func(name string, kind value.Type, indexed bool) table.Column {
		c := table.Column{Column: value.Column{Name: name, Type: kind, Indexed: indexed}, Key: name}
		if indexed {
			c.Index = &table.Index{ID: name}
		}
		return c
	}
	in := Table{Table: table.Table{ID: 5, Columns: []table.Column{
		column("age", value.Integer, true), column("score", value.Integer, true),
		column("name", value.String, true), column("city", value.String, false),
	}}}
	type known = map[string]int
	some, many := known{"score": 256}, known{"score": 1001}
	const (
		all    = 100_000
		above  = `{"score": {"$gt": 5}}`
		two    = `{"score": {"$gt": 5}, "name": {"$gt": "x"}}`
		inName = "index name in order"
	)

	for _, c := range []struct {
		where, order string
		need         Need
		entries      known
		looked       bool
		want         string
	}{
		// Queries that need no scan: no row can match, or the ids are given.
		{where: `{"age": {"$lt": 3, "$gt": 5}}`, want: "nothing can match"},
		{where: `{"id": "000102030405060708090a0b"}`, want: "ids"},
		{where: `{"id": {"$in": ["000102030405060708090a0b"]}, "age": 5}`, order: "age", want: "ids"},

		// Row ranges in id order.
		{want: "rows"},
		{order: "id", want: "rows"},
		{order: "created_at,name", need: Need{Total: true}, want: "rows, total by counters"},
		{where: `{"created_at": {"$gte": 1795262452}}`, need: Need{Total: true}, want: "rows, total by counters"},

		// An index whose entries have list order.
		{where: `{"age": 5}`, want: "index age in order"},
		{where: `{"age": 5, "city": "x"}`, want: "index age in order"},
		{where: `{"age": 5}`, need: Need{Total: true}, want: "index age in order, total by index age"},
		{where: above, order: "-score,name", want: "index score in order"},
		{order: "-age", want: "index age in order"},
		{order: "-age", need: Need{Total: true}, want: "index age in order, total by counters"},

		// An index with few entries is tried first.
		{where: above, want: "index score up to 1000"},
		{where: above, need: Need{Total: true}, want: "index score up to 1000"},
		{where: `{"name": {"$regex": "^a"}}`, order: "age", want: "index name up to 1000"},
		{where: `{"age": 5, "city": "x"}`, need: Need{Total: true}, want: "index age up to 1000"},

		// Among several indexes, the one with the fewest entries.
		{where: two, entries: known{"score": 20, "name": 10}, want: "index name up to 1000"},
		{where: two, entries: known{"score": 10, "name": 20}, want: "index score up to 1000"},
		{where: `{"score": {"$gt": 5}, "name": "x"}`, entries: known{"score": 256, "name": 256}, want: inName},

		// Many entries: list order, if the page may be found within the limit.
		{where: above, entries: some, want: "index score up to 1000"},
		{where: above, entries: many, want: "scan in order up to 1000"},
		{where: above, entries: many, need: Need{Total: true}, want: "scan in order up to 1000, total by index score"},
		{where: above, order: "age", entries: many, want: "index age in order up to 333"},
		{where: above, entries: many, looked: true, want: "index score up to 33333"},
		{where: above, entries: many, need: Need{Enough: 2000}, want: "index score up to 33333"},
		{where: `{"score": {"$gt": 5}, "city": "x"}`, entries: many, need: Need{Total: true},
			want: "index score up to 33333"},
		{where: above, order: "city", entries: many, want: "index score up to 33333"},

		// Entries of a large share of the rows.
		{where: above, entries: known{"score": 33334}, looked: true, want: "scan in order"},
		{where: above, order: "city", entries: known{"score": 33334}, want: "scan"},

		// No index for the condition.
		{where: `{"city": "x"}`, want: "scan in order"},
		{where: `{"city": "x"}`, need: Need{Total: true}, want: "scan"},
		{where: `{"city": "x"}`, order: "age", want: "index age in order up to 333"},
		{where: `{"city": "x"}`, order: "age", looked: true, want: "scan"},
		{where: `{"city": "x"}`, order: "age", need: Need{Total: true}, want: "scan"},
		{order: "city", want: "scan"},
		{where: `{"$or": [{"age": 5}, {"score": 6}]}`, want: "scan in order"},
	} {
		where, err := in.Grammar().Where(c.where)
		if err != nil {
			t.Fatal(err)
		}
		order, err := in.Grammar().OrderBy(c.order)
		if err != nil {
			t.Fatal(err)
		}
		e := Estimates{Limits: Measured, Rows: all, Entries: c.entries, looked: c.looked}
		if got := in.Of(where, order, c.need, e).String(); got != c.want {
			t.Errorf("%s by %q, %+v, entries %v, looked %v: %q, want %q",
				c.where, c.order, c.need, c.entries, c.looked, got, c.want)
		}
	}
}
