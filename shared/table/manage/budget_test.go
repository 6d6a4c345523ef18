package manage_test

import (
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/plan"
)

func TestBudgetNamesTheIndexThatWouldHelp(t *testing.T) {
	s, _, _ := start(t)
	s.Limits = plan.Limits{Few: 256, Look: 1500, Segment: 30, Total: 20, Sure: 60}
	in := create(t, s, "things", column("n", value.Integer, false), column("s", value.String, true))
	var drafts []map[string]any
	for i := range 200 {
		drafts = append(drafts, map[string]any{"n": i, "s": "same"})
	}
	insert(t, s, in, drafts...)
	for _, c := range []struct {
		where, order, want string
		total              bool
		budget             int
	}{
		{`{"n": 5}`, "", `an index on field "n" would help`, true, 0},
		{`{"n": {"$gt": 500}}`, "", `an index on field "n" would help`, false, 0},
		{`{}`, "n", `an index on field "n" would help`, false, 0},
		{`{"s": {"$contains": "x"}}`, "", `narrow it by created_at`, true, 0},
		{`{}`, "s", "", true, 0},
		{`{"s": "same"}`, "", "", false, 0},
		{`{"n": {"$gte": 100}}`, "", "", true, 200}, // as many as there are rows
	} {
		s.Budget = max(c.budget, 150)
		where, err := in.Grammar().Where(c.where)
		if err != nil {
			t.Fatal(err)
		}
		order, err := in.Grammar().OrderBy(c.order)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Find(
			t.Context(), scope, in, table.Query{Where: where, Order: order, Total: c.total, Page: page.Request{Limit: 10}},
		)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s by %q: %v", c.where, c.order, err)
		case c.want != "" && (!errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), c.want)):
			t.Errorf("%s by %q: %v, want %s", c.where, c.order, err, c.want)
		}
	}
}

// TestAbandonedIndexPlanCostsNoBudget checks that a query that a scan can answer is not refused because an index plan
// was tried first.
func TestAbandonedIndexPlanCostsNoBudget(t *testing.T) {
	s, clock, _ := start(t)
	s.Limits = plan.Limits{Few: 5, Look: 20, Segment: 30, Total: 20, Sure: 60}
	in := create(t, s, "things", column("n", value.Integer, true), column("m", value.Integer, false))
	const rows = 200
	for i := range rows {
		if i%10 == 0 {
			clock.move(time.Second)
		}
		insert(t, s, in, map[string]any{"n": i % 2, "m": i})
	}
	s.Budget = rows + rows/10 // a row at the boundary of two reads counts twice
	for _, c := range []struct{ where, order string }{
		{`{"n": 1}`, "m"}, {`{"n": {"$gte": 1}, "m": {"$lt": 2}}`, ""}, {`{"m": 1}`, "n"},
		{`{"n": 1, "m": {"$lt": 3}}`, "created_at"}, {`{"n": {"$gte": 0}, "m": 5}`, "-m"},
	} {
		where, err := in.Grammar().Where(c.where)
		if err != nil {
			t.Fatal(err)
		}
		order, err := in.Grammar().OrderBy(c.order)
		if err != nil {
			t.Fatal(err)
		}
		for _, total := range []bool{false, true} {
			q := table.Query{Where: where, Order: order, Total: total, Page: page.Request{Limit: 10}}
			got, err := s.Find(t.Context(), scope, in, q)
			if err != nil || len(got.Objects) == 0 {
				t.Errorf("%s by %q, total %v: %d rows by %q, %v", c.where, c.order, total, len(got.Objects), got.Plan, err)
			}
		}
	}
}
