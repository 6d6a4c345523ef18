package readers

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/table/plan"
	"minicloud/shared/tenant"
)

var (
	schemas = flag.Int("schemas", 80, "number of random schemas")
	seed    = flag.Uint64("seed", 1, "seed of the first schema")
)

var scope = tenant.Scope{App: 7, Env: tenant.Production}

// TestRandomSchemas compares lists, totals, cursors, reads, writes and bulk writes of random tables with the evaluator.
func TestRandomSchemas(t *testing.T) {
	const parts = 8
	for part := range parts {
		t.Run(fmt.Sprintf("part %d", part), func(t *testing.T) {
			t.Parallel()
			for n := part; n < *schemas && !t.Failed(); n += parts {
				newPlay(t, *seed+uint64(n)).run()
			}
		})
	}
}

// play is one random table with its callers.
type play struct {
	*testing.T
	*rand.Rand
	seed    uint64
	tables  *manage.Service
	table   table.Table
	rows    []table.Row // as stored, in id order
	callers []*permission.Subject
	lists   [][]string // permissions to choose from
	now     time.Time
	worker  *queue
	ops     []string // the last steps, for messages
}

// queue holds the tasks of the table until the play runs them.
type queue struct{ list []table.Task }

func (q *queue) Submit(_ context.Context, task table.Task, _ int) error {
	q.list = append(q.list, task)
	return nil
}

func newPlay(t *testing.T, seed uint64) *play {
	p := &play{
		T: t, Rand: rand.New(rand.NewPCG(seed, 24)), seed: seed, worker: &queue{},
		now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	}
	clock := func() time.Time { return p.now }
	db := memdb.New(clock, "TablesTable", "RowsTable", "RowIndexesTable")
	client := dynamo.New(aws.Config{
		HTTPClient: db, Region: "us-east-1", BaseEndpoint: aws.String("http://memory"),
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	})
	p.tables = &manage.Service{
		Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"},
		Rows:    &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"},
		Counts:  &dynamotest.Counts{Client: client, Table: "RowsTable"},
		Worker:  p.worker, Clock: clock, IDs: &id.Source{},
		// Small limits reach every plan with few rows.
		Limits: plan.Limits{Few: 1 + p.IntN(12), Look: 1 + p.IntN(12), Segment: 4, Total: 4, Sure: 1000},
	}
	return p
}

func (p *play) run() {
	p.callers = []*permission.Subject{
		nil, {}, {User: 11, Temporary: true, Groups: p.groups(1)}, {User: 12}, {User: 13, Groups: p.groups(3)},
		{User: 14, Groups: p.groups(20)},
	}
	p.makeLists()
	p.createTable()
	for range 2 + p.IntN(4) {
		switch p.IntN(8) {
		case 0:
			p.build()
		case 1, 2:
			p.write()
		default:
			p.insert()
		}
		for range 2 {
			p.query(pick(p, p.callers))
		}
	}
	for _, caller := range p.callers {
		p.query(caller)
		p.read(caller)
	}
	p.build()
	for _, caller := range p.callers {
		p.query(caller)
		p.query(caller)
	}
	p.noOrphans()
}

func (p *play) fail(format string, args ...any) {
	p.Helper()
	p.Fatalf("seed %d: %s\ntable %+v\nsteps: %s", p.seed, fmt.Sprintf(format, args...), p.table.Readers, strings.Join(p.ops, "; "))
}

func (p *play) step(format string, args ...any) { p.ops = append(p.ops, fmt.Sprintf(format, args...)) }

func pick[T any](p *play, list []T) T { return list[p.IntN(len(list))] }

func (p *play) groups(n int) (groups []int64) {
	for range n {
		groups = append(groups, int64(1+p.IntN(25)))
	}
	return groups
}

// makeLists chooses the permissions that rows of this table get: of few kinds, so that tables with rows of one kind and
// of each pair of kinds are frequent.
func (p *play) makeLists() {
	wide := []string{}
	for i := range 26 + p.IntN(20) {
		wide = append(wide, fmt.Sprintf("gid:%d", 3+i))
	}
	all := [][]string{
		{"user:anonymous"}, {"user:*"}, {"user:*", "user:11"}, {"user:12"}, {"user:13", "gid:2"}, {"gid:3", "gid:4", "gid:5"},
		{"user:{created_by}"}, {}, {"user:99"}, wide, append([]string{"user:*"}, wide...), {"user:anonymous", "user:12"},
	}
	for range 1 + p.IntN(4) {
		p.lists = append(p.lists, pick(p, all))
	}
}

func (p *play) createTable() {
	acl := func() *table.ACL {
		if p.IntN(2) == 0 {
			return nil
		}
		return &table.ACL{ClientVisible: p.IntN(4) > 0, ClientReadOnly: p.IntN(4) == 0, CreatorVisible: p.IntN(3) == 0}
	}
	name := "plants"
	d := table.Definition{Name: &name, WritePerm: pick(p, [][]string{{"user:*"}, {"user:anonymous"}, {"gid:3"}, {}})}
	d.DefaultRowPerm = table.RowPerm{Read: pick(p, p.lists), Write: pick(p, p.lists)}
	for _, c := range []value.Column{{Name: "n", Type: value.Integer}, {Name: "s", Type: value.String}, {Name: "m", Type: value.Integer}} {
		c.Indexed = p.IntN(2) == 0
		d.Columns = append(d.Columns, table.Column{Column: c, ACL: acl()})
	}
	made, err := p.tables.Create(p.Context(), scope, d)
	if err != nil {
		p.fail("create: %v", err)
	}
	p.table = made
	if p.IntN(3) == 0 { // a table of an earlier release
		old := made
		old.Readers, old.Revision = nil, made.Revision+1
		if err := p.tables.Schemas.ReplaceTable(p.Context(), scope, made, old); err != nil {
			p.fail("%v", err)
		}
		p.step("earlier release")
	}
	p.refresh()
}

func (p *play) refresh() {
	var err error
	if p.table, err = p.tables.Table(p.Context(), scope, p.table.ID); err != nil {
		p.fail("%v", err)
	}
}

// build runs the tasks of the table, a grace later, until none is left.
func (p *play) build() {
	for len(p.worker.list) > 0 {
		p.now = p.now.Add(table.Grace + time.Second)
		list := p.worker.list
		p.worker.list = nil
		for _, task := range list {
			if err := p.tables.Work(p.Context(), task); err != nil {
				p.fail("build: %v", err)
			}
		}
	}
	p.step("build")
	p.refresh()
}

func (p *play) draft() map[string]any {
	draft := map[string]any{"n": float64(p.IntN(5)), "s": pick(p, []string{"a", "b", "c"}), "m": float64(p.IntN(4))}
	if p.IntN(4) > 0 {
		draft["_read_perm"] = anys(pick(p, p.lists))
	}
	if p.IntN(3) > 0 {
		draft["_write_perm"] = anys(pick(p, p.lists))
	}
	return draft
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, text := range list {
		out[i] = text
	}
	return out
}

// insert creates rows as some caller.
func (p *play) insert() {
	caller := pick(p, p.callers)
	by := table.Author{UserID: 36, ByFunction: true}
	if caller != nil {
		by = table.ByClient(*caller, table.Origin{})
	}
	var drafts []map[string]any
	for range 1 + p.IntN(12) {
		draft := p.draft()
		if caller == nil {
			draft["created_by"] = float64(pick(p, []int64{11, 12, 13, 99}))
		}
		drafts = append(drafts, draft)
	}
	p.step("%s inserts %d", callerName(caller), len(drafts))

	for i, o := range p.tables.Insert(p.Context(), scope, p.table, drafts, by) {
		want := 0
		switch {
		case caller != nil && caller.User == 0:
			want = 401
		case !May(caller, p.table.WritePerm, 0):
			want = 403
		case caller != nil && p.writesReadOnly(drafts[i]):
			want = 400
		}
		if got := code(o.Err); got != want {
			p.fail("%s creates a row: %d (%v), not %d", callerName(caller), got, o.Err, want)
		}
		if o.Err == nil {
			p.rows = append(p.rows, o.Row)
		}
	}
	slices.SortFunc(p.rows, byID)
	p.refresh()
}

func (p *play) writesReadOnly(fields map[string]any) bool {
	for name := range fields {
		if c, own := p.table.Column(name); own && c.ACL != nil && c.ACL.ClientReadOnly {
			return true
		}
	}
	return false
}

func code(err error) int {
	switch errs.KindOf(err) {
	case errs.KindUnauthenticated:
		return 401
	case errs.KindForbidden:
		return 403
	case errs.KindNotFound:
		return 404
	case errs.KindInvalid:
		return 400
	}
	if err != nil {
		return 500
	}
	return 0
}

// write updates or deletes one row, or a page of rows, as some caller.
func (p *play) write() {
	caller := pick(p, p.callers)
	by := table.Author{UserID: 36}
	if caller != nil {
		by = table.ByClient(*caller, table.Origin{})
	}
	body := map[string]any{"m": map[string]any{"$incr_by": 1.0}}
	if p.IntN(2) == 0 {
		body = map[string]any{"n": float64(p.IntN(5)), "_read_perm": anys(pick(p, p.lists))}
	}
	operations, err := update.FromObject(body, p.table.Writable(), nil)
	if err != nil {
		p.fail("%v", err)
	}
	if p.IntN(3) == 0 {
		p.bulk(caller, operations)
		return
	}

	row := table.Row{ID: "65e000000000000000000000"}
	if len(p.rows) > 0 && p.IntN(8) > 0 {
		row = pick(p, p.rows)
	}
	at := slices.IndexFunc(p.rows, func(r table.Row) bool { return r.ID == row.ID })
	want := Status(caller, row, at < 0)
	if p.IntN(4) == 0 {
		p.step("%s deletes %s", callerName(caller), row.ID)
		_, err := p.tables.Delete(p.Context(), scope, p.table, row.ID, by)
		if got := code(err); got != want {
			p.fail("%s deletes: %d (%v), not %d", callerName(caller), got, err, want)
		}
		if err == nil {
			p.rows = slices.Delete(p.rows, at, at+1)
		}
		return
	}
	if _, changes := body["_read_perm"]; want == 0 && changes && caller != nil && row.CreatedBy != caller.User {
		want = 403
	}
	p.step("%s updates %s: %v", callerName(caller), row.ID, body)
	got, err := p.tables.Update(p.Context(), scope, p.table, row.ID, operations, by)
	if answered := code(err); answered != want {
		p.fail("%s updates: %d (%v), not %d", callerName(caller), answered, err, want)
	}
	if err == nil {
		p.rows[at] = got
	}
	p.refresh()
}

// bulk updates a page of matching rows.
func (p *play) bulk(caller *permission.Subject, operations update.Operations) {
	q := p.random(caller)
	p.step("%s updates where %s", callerName(caller), q.Where)
	want := p.expected(caller, q)
	done, err := p.tables.UpdateMatching(p.Context(), scope, p.table, q, operations, table.Origin{})
	if err != nil {
		p.fail("bulk: %v", err)
	}
	var outcomes []table.RowID
	for _, o := range done.Outcomes {
		outcomes = append(outcomes, o.Row.ID)
		at := slices.IndexFunc(p.rows, func(r table.Row) bool { return r.ID == o.Row.ID })
		if o.Err == nil {
			p.rows[at] = o.Row
		} else if code(o.Err) != 403 || caller == nil || p.rows[at].CreatedBy == caller.User {
			p.fail("bulk: %v", o.Err)
		}
	}
	var writable []table.RowID
	for _, row := range want[:min(len(want), q.Page.Limit)] {
		if Status(caller, row, false) == 0 {
			writable = append(writable, row.ID)
		}
	}
	if !slices.Equal(outcomes, writable) {
		p.fail("%s in bulk writes %v, not %v", callerName(caller), outcomes, writable)
	}
	if q.Total && done.Total != len(want) {
		p.fail("bulk: total %d, not %d", done.Total, len(want))
	}
	p.refresh()
}

// random returns a random query of the caller, of columns that it may name.
func (p *play) random(caller *permission.Subject) (q table.Query) {
	grammar, names := p.table.GrammarOf(caller), []string{}
	for _, name := range []string{"n", "s", "m"} {
		if _, ok := grammar.Schema.Column(name); ok {
			names = append(names, name)
		}
	}
	text := "{}"
	if len(names) > 0 && p.IntN(2) == 0 {
		name := pick(p, names)
		switch {
		case name == "s":
			text = pick(p, []string{`{"s":"a"}`, `{"s":{"$in":["a","b"]}}`, `{"$or":[{"s":"a"},{"s":"c"}]}`})
		default:
			text = fmt.Sprintf(pick(p, []string{`{"%s":1}`, `{"%s":{"$gte":2}}`, `{"%s":{"$ne":3}}`}), name)
		}
	}
	order := pick(p, []string{"", "", "-created_at", "created_at", "id", "-id", "-updated_at"})
	if len(names) > 0 && p.IntN(3) == 0 {
		order = pick(p, []string{"", "-"}) + pick(p, names) + pick(p, []string{"", ",id", ",-created_at"})
	}
	var err error
	if q.Where, err = grammar.Where(text); err != nil {
		p.fail("%s: %v", text, err)
	}
	if q.Order, err = grammar.OrderBy(order); err != nil {
		p.fail("%s: %v", order, err)
	}
	q.Page = page.Request{Limit: 1 + p.IntN(8)}
	q.Total = p.IntN(2) == 0
	if caller != nil {
		q.Reader = &table.Reader{Subject: *caller, Key: []byte("a key of 32 bytes for the cursor")}
	}
	return q
}

// expected returns the rows that the caller sees of the query.
func (p *play) expected(caller *permission.Subject, q table.Query) (want []table.Row) {
	narrow := false
	text := q.Where.String() + q.Order.String()
	for _, c := range p.table.Columns {
		_, own := hidden(caller, c)
		named := strings.Contains(text, fmt.Sprintf("%q", c.Name)) || slices.Contains(strings.FieldsFunc(q.Order.String(),
			func(r rune) bool { return r == ',' || r == '-' }), c.Name)
		narrow = narrow || own && named
	}
	for _, row := range p.rows {
		if May(caller, row.Perm.Read, row.CreatedBy) && q.Where.Match(p.table.Record(row)) &&
			(!narrow || row.CreatedBy == caller.User) {
			want = append(want, row)
		}
	}
	slices.SortFunc(want, func(a, b table.Row) int { return q.Order.Compare(p.table.Record(a), p.table.Record(b)) })
	return want
}

// query walks a random list by cursors and by an offset, and tries the cursor of another caller and hidden columns.
func (p *play) query(caller *permission.Subject) {
	p.refresh()
	q := p.random(caller)
	want := p.expected(caller, q)
	p.step("%s lists where %s by %s limit %d total %v", callerName(caller), q.Where, q.Order, q.Page.Limit, q.Total)

	var got []table.RowID
	for walk := q; ; {
		found, err := p.tables.Find(p.Context(), scope, p.table, walk)
		if err != nil {
			p.fail("list: %v", err)
		}
		if q.Total && found.Total != len(want) {
			p.fail("%s counts %d, not %d (%s)", callerName(caller), found.Total, len(want), found.Plan)
		}
		for _, row := range found.Objects {
			if !May(caller, row.Perm.Read, row.CreatedBy) {
				p.fail("%s sees %v (%s)", callerName(caller), row, found.Plan)
			}
		}
		got = append(got, ids(found.Objects)...)
		if found.Next == "" {
			if !slices.Equal(got, ids(want)) {
				p.fail("%s sees\n%v, not\n%v (%s)", callerName(caller), got, ids(want), found.Plan)
			}
			break
		}
		if len(got) >= len(want) {
			p.fail("a cursor leads on after the last row (%s)", found.Plan)
		}
		p.sealed(caller, walk, found)
		walk.Page.After, walk.Page.Offset = found.Next, len(got)
	}

	q.Page.Offset = p.IntN(len(want) + 2)
	found, err := p.tables.Find(p.Context(), scope, p.table, q)
	if err != nil {
		p.fail("%v", err)
	}
	rest := want[min(q.Page.Offset, len(want)):]
	if !slices.Equal(ids(found.Objects), ids(rest[:min(len(rest), q.Page.Limit)])) {
		p.fail("%s sees at offset %d\n%v, not\n%v (%s)", callerName(caller), q.Page.Offset, ids(found.Objects), ids(rest), found.Plan)
	}
	p.hiddenColumns(caller)
}

// sealed checks that a cursor names no row and is no cursor for another caller.
func (p *play) sealed(caller *permission.Subject, q table.Query, found table.Result) {
	if caller == nil {
		return
	}
	for _, row := range p.rows {
		if strings.Contains(string(found.Next), string(row.ID)) {
			p.fail("cursor %q names a row", found.Next)
		}
	}
	other := *q.Reader
	other.User++
	q.Reader, q.Page.After = &other, found.Next
	if _, err := p.tables.Find(p.Context(), scope, p.table, q); code(err) != 400 {
		p.fail("the cursor of another caller: %v", err)
	}
}

// hiddenColumns checks that hidden columns have the errors of unknown ones.
func (p *play) hiddenColumns(caller *permission.Subject) {
	grammar := p.table.GrammarOf(caller)
	for _, c := range p.table.Columns {
		hide, _ := hidden(caller, c)
		_, err := grammar.Where(fmt.Sprintf(`{%q:1}`, c.Name))
		_, unknown := grammar.Where(`{"zz":1}`)
		_, order := grammar.OrderBy("-" + c.Name)
		_, unknownOrder := grammar.OrderBy("-zz")
		if !hide {
			if order != nil {
				p.fail("%s sorts by %s: %v", callerName(caller), c.Name, order)
			}
			continue
		}
		same := func(err, unknown error) bool {
			return err != nil && strings.ReplaceAll(err.Error(), `"`+c.Name+`"`, `"zz"`) == unknown.Error()
		}
		if !same(err, unknown) || !same(order, unknownOrder) {
			p.fail("hidden column %s: %v, %v; unknown: %v, %v", c.Name, err, order, unknown, unknownOrder)
		}
		// A program that forgets the grammar of clients is stopped by the list.
		q := table.Query{Page: page.Request{Limit: 1}, Reader: &table.Reader{Subject: *caller}}
		if q.Order, err = p.table.Grammar().OrderBy(c.Name); err != nil {
			p.fail("%v", err)
		}
		if _, err := p.tables.Find(p.Context(), scope, p.table, q); code(err) != 400 {
			p.fail("a list by hidden column %s: %v", c.Name, err)
		}
	}
}

// read reads every row by its id.
func (p *play) read(caller *permission.Subject) {
	for _, row := range p.rows {
		_, err := p.tables.ReadAs(p.Context(), scope, p.table, row.ID, caller)
		if May(caller, row.Perm.Read, row.CreatedBy) != (err == nil) || err != nil && code(err) != 404 {
			p.fail("%s reads %v: %v", callerName(caller), row, err)
		}
	}
}

// noOrphans checks that the index of readers holds exactly the entries of the rows.
func (p *play) noOrphans() {
	want := map[table.Entry]bool{}
	for _, row := range p.rows {
		for _, entry := range p.table.ReaderEntries(row) {
			want[entry] = true
		}
	}
	step, err := p.tables.Rows.ScanIndex(p.Context(), scope, p.table, table.ReadersIndex, table.IndexScan{})
	if err != nil {
		p.fail("%v", err)
	}
	for _, entry := range step.Entries {
		if !want[entry] {
			p.fail("entry %v has no row", entry)
		}
		delete(want, entry)
	}
	complete := p.table.SightOf(&permission.Subject{User: 12})
	if len(want) > 0 && (complete.Indexed || complete.All) && p.table.Readers.Indexed&table.ForNamed != 0 {
		for entry := range want {
			if entry.Value != permission.Anonymous && entry.Value != permission.Registered {
				p.fail("entry %v is missing", entry)
			}
		}
	}
}
