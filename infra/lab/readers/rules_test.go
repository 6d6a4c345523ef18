package readers

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

var rules = flag.Int("rules", 1000, "number of random schemas whose rules are compared without a store")

// TestRandomRules compares every decision on random schemas, rows and callers with the evaluator, without a store: 10,000
// schemas (-rules 10000), each with 6 rows and 6 callers, take 10 s of processor time. TestRandomSchemas reads and writes
// such rows.
func TestRandomRules(t *testing.T) {
	decisions := 0
	for n := range *rules {
		r := &ruled{T: t, Rand: rand.New(rand.NewPCG(*seed+uint64(n), 45))}
		r.draw()
		for _, caller := range r.callers {
			r.columns(caller)
			r.creates(caller)
			for _, row := range r.rows {
				r.row(caller, row)
			}
		}
		if decisions += r.decisions; t.Failed() {
			t.Fatalf("seed %d: %+v", *seed+uint64(n), r.table)
		}
	}
	t.Logf("%d schemas, %d decisions", *rules, decisions)
}

// ruled is one random schema with its rows and callers.
type ruled struct {
	*testing.T
	*rand.Rand
	table     table.Table
	rows      []table.Row
	callers   []*permission.Subject
	decisions int
}

// same counts a decision and reports whether it is the evaluator's.
func same[V comparable](r *ruled, caller *permission.Subject, what string, got, want V) {
	r.Helper()
	if r.decisions++; got != want {
		r.Errorf("%s: %s: %v, not %v", callerName(caller), what, got, want)
	}
}

func (r *ruled) draw() {
	r.table = table.Table{ID: 99, Name: "plants", WritePerm: r.list()}
	for i := range 4 {
		c := table.Column{Column: value.Column{Name: fmt.Sprintf("c%d", i), Type: value.Integer}}
		if r.IntN(3) > 0 {
			c.ACL = &table.ACL{ClientVisible: r.IntN(3) > 0, ClientReadOnly: r.IntN(3) == 0, CreatorVisible: r.IntN(3) == 0}
		}
		r.table.Columns = append(r.table.Columns, c)
	}
	for i := range 6 {
		r.rows = append(r.rows, table.Row{
			ID: table.RowID(fmt.Sprintf("%024x", i+1)), CreatedBy: r.Int64N(6), Perm: table.RowPerm{Read: r.list(), Write: r.list()},
		})
	}
	r.callers = []*permission.Subject{nil, {}, {User: 1 + r.Int64N(5), Temporary: true, Groups: r.groups()}}
	for range 3 {
		r.callers = append(r.callers, &permission.Subject{User: 1 + r.Int64N(5), Groups: r.groups()})
	}
}

func (r *ruled) groups() (groups []int64) {
	for range r.IntN(4) {
		groups = append(groups, 1+r.Int64N(5))
	}
	return groups
}

// list returns a permission of up to four entries, also of those that mean nobody.
func (r *ruled) list() []string {
	list := []string{}
	for range r.IntN(5) {
		n := r.IntN(6)
		list = append(list, []string{
			"user:anonymous", "user:*", "user:{created_by}", fmt.Sprintf("user:%d", n), fmt.Sprintf("user:%d", n),
			fmt.Sprintf("gid:%d", n), fmt.Sprintf("gid:%d", n), "user:01", "gid:*", "gid:{created_by}", "user:", "", "USER:*",
		}[r.IntN(13)])
	}
	return list
}

// row compares reads and writes of a row, and the columns that an answer shows of it.
func (r *ruled) row(caller *permission.Subject, row table.Row) {
	same(r, caller, fmt.Sprintf("reads %+v", row), r.table.Readable(caller, row), May(caller, row.Perm.Read, row.CreatedBy))
	want := Status(caller, row, false)
	same(r, caller, fmt.Sprintf("writes %+v", row), code(r.table.PermitWrite(caller, row)), want)
	for _, field := range []string{"c0", "_read_perm", "_write_perm"} {
		if field != "c0" && want == 0 && caller != nil && (caller.User == 0 || caller.User != row.CreatedBy) {
			want = 403
		}
		operations := update.Operations{{Column: value.Column{Name: field}, Kind: update.Set}}
		same(r, caller, fmt.Sprintf("changes %s of %+v", field, row), code(r.table.PermitUpdate(caller, row, operations)), want)
	}
	for _, c := range r.table.Columns {
		shown := caller == nil || c.ACL == nil ||
			c.ACL.ClientVisible && (!c.ACL.CreatorVisible || caller.User > 0 && caller.User == row.CreatedBy)
		same(r, caller, c.Name+" is shown", c.Access().Shown(caller, r.table.CreatorOf(row)), shown)
	}
}

func (r *ruled) creates(caller *permission.Subject) {
	want := 0
	switch {
	case caller != nil && caller.User == 0:
		want = 401
	case !May(caller, r.table.WritePerm, 0):
		want = 403
	}
	same(r, caller, "creates", code(r.table.PermitCreate(caller)), want)
}

// columns compares which columns keys, where and order_by may name, and whether a query then sees own rows only.
func (r *ruled) columns(caller *permission.Subject) {
	grammar, known := r.table.GrammarOf(caller), r.table.ShownTo(caller)
	for _, c := range r.table.Columns {
		barred, own := hidden(caller, c)
		_, listed := known.Column(c.Name)
		same(r, caller, c.Name+" is known", listed, caller == nil || c.ACL == nil || c.ACL.ClientVisible)
		same(r, caller, c.Name+" is written",
			r.table.WritableBy(caller)(c.Name) == nil, caller == nil || c.ACL == nil || !c.ACL.ClientReadOnly)

		where, err := grammar.Where(`{"` + c.Name + `":1}`)
		same(r, caller, c.Name+" in where", code(err), map[bool]int{true: 400}[barred])
		order, err := grammar.OrderBy("-" + c.Name)
		same(r, caller, c.Name+" in order_by", code(err), map[bool]int{true: 400}[barred])
		if barred {
			continue
		}
		for _, q := range []struct {
			where query.Predicate
			order query.Order
		}{{where: where}, {where: query.All(), order: order}} {
			narrow, err := r.table.Narrowed(caller, q.where, q.order)
			if err != nil {
				r.Fatal(err)
			}
			same(r, caller, c.Name+" narrows to own rows", strings.Contains(narrow.String(), "created_by"), own)
		}
	}
}
