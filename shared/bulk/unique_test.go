package bulk_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
)

// unique makes columns of the table unique, each alone.
func (p *platform) unique(t *testing.T, columns ...string) {
	t.Helper()
	for _, name := range columns {
		in, _, err := p.Tables.CreateIndex(t.Context(), scope, p.table.ID, []string{name}, true)
		if err != nil {
			t.Fatal(err)
		}
		p.table = in
	}
}

func (p *platform) change(t *testing.T, body string) bulk.Change {
	t.Helper()
	operations, err := update.Parse([]byte(body), p.table.Writable(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return bulk.Change{Operations: operations}
}

// TestBackgroundKeepsValuesUnique: a row whose new values another row has is an error of that row, and the others are
// changed. Values that move up by one make way for each other only in the order of the rows.
func TestBackgroundKeepsValuesUnique(t *testing.T) {
	for body, want := range map[string]struct {
		succeeded int
		rest      string // where of the rows that are as they were
	}{
		`{"n":7}`:                   {1, `{"n":{"$lt":7}}`}, // the row that has 7
		`{"n":100}`:                 {1, `{"n":{"$lt":8}}`},
		`{"n":{"$incr_by":1}}`:      {1, `{"n":{"$lt":7}}`}, // only the last one has room
		`{"n":{"$incr_by":-1}}`:     {8, `{"n":-1}`},
		`{"hits":{"$incr_by":1}}`:   {8, `{"hits":1}`},
		`{"n":null,"text":"empty"}`: {8, `{"text":"empty"}`},
	} {
		p := newPlatform(t, 8, "x")
		p.unique(t, "n")
		o := p.start(t, p.change(t, body))
		p.finish(t)
		at := p.operation(t, o)
		if at.Status != bulk.StatusSuccess || at.Succeeded != want.succeeded || at.Failed != 8-want.succeeded || len(at.Errors) != at.Failed {
			t.Errorf("%s: %+v", body, at)
		}
		for _, e := range at.Errors {
			if !e.NotUnique || e.Kind != errs.KindInvalid || e.Message != `field "n" must be unique: another row has this value` {
				t.Errorf("%s: %+v", body, e)
			}
		}
		p.distinct(t)
	}
}

// distinct checks that no two rows have the same n, and that each has its claim.
func (p *platform) distinct(t *testing.T) {
	t.Helper()
	step, err := p.Tables.Rows.ScanRows(t.Context(), scope, p.table, table.RowScan{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[any]bool{}
	for _, row := range step.Rows {
		if n := row.Fields["n"]; n != nil && seen[n] {
			t.Errorf("two rows have %v", n)
		} else if n != nil {
			seen[n] = true
		}
	}
	x := p.table.FieldIndexes[0]
	claims, err := p.Tables.Rows.ScanIndex(t.Context(), scope, p.table, x.Index.ID, table.IndexScan{CountOnly: true})
	if err != nil || claims.Count != len(seen) {
		t.Errorf("%d claims of %d values: %v", claims.Count, len(seen), err)
	}
}

// TestBackgroundDeletesClaims: deleted rows free their values, however the worker dies.
func TestBackgroundDeletesClaims(t *testing.T) {
	p := newPlatform(t, 60, "x")
	p.unique(t, "n")
	p.start(t, bulk.Change{Delete: true})
	p.finish(t)
	p.distinct(t)
	p.insert(t, 60, "again")
	p.distinct(t)
}

// TestWorkerDiesWithUniqueValues: whatever call fails, an operation gives a value to one row and counts each row once.
func TestWorkerDiesWithUniqueValues(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	p := newPlatformOver(client)
	name := "things"
	var err error
	p.table, err = p.Tables.Create(t.Context(), scope, table.Definition{
		Name: &name, Columns: []table.Column{
			{Column: value.Column{Name: "n", Type: value.Integer}}, {Column: value.Column{Name: "hits", Type: value.Integer}},
			{Column: value.Column{Name: "text", Type: value.String}},
		},
		Indexes: []table.FieldIndex{{Fields: []string{"n"}, Unique: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.insert(t, 4, "x")
	p.now = p.now.Add(5 * time.Second)
	o := p.start(t, p.change(t, `{"n":{"$incr_by":-1},"hits":{"$incr_by":1}}`))
	dynamotest.FailEach(t, client, func(failing *dynamodb.Client) error {
		w := newPlatformOver(failing)
		w.now = p.now
		return w.Work(t.Context(), scope, o, p.now.Add(10*time.Second))
	})
	if at := p.operation(t, o); at.Status != bulk.StatusSuccess || at.Succeeded != 4 || at.Failed != 0 {
		t.Errorf("%+v", at)
	}
	if got := p.count(t, `{"hits":1}`); got != 4 {
		t.Errorf("%d of 4 rows were changed once", got)
	}
	p.distinct(t)
}

// TestMergedRunsKeepValuesUnique: runs on one row of many unique indexes fit into their transactions, and of runs that want
// the same value for different rows, one gets it.
func TestMergedRunsKeepValuesUnique(t *testing.T) {
	r := newRunners(t, 3)
	var names []string
	var columns []table.Column
	for i := range 9 {
		names = append(names, fmt.Sprint("u", i))
		columns = append(columns, table.Column{Column: value.Column{Name: names[i], Type: value.String}})
	}
	in, err := r.Tables.Modify(t.Context(), scope, r.table.ID, table.Definition{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	r.table = in
	r.unique(t, names...)

	const n = 90
	body := func(i int) string {
		var sets []string
		for _, name := range names {
			sets = append(sets, fmt.Sprintf("%q:\"%d\"", name, i))
		}
		return "{" + strings.Join(sets, ",") + "}"
	}
	for i, at := range r.all(t, n, `{"n":1}`, body) {
		if at.err != nil || at.Succeeded != 1 {
			t.Errorf("run %d: %+v", i, at)
		}
	}
	if len(r.marks.joints) != 3 {
		t.Errorf("transactions of %v runs", r.marks.joints)
	}

	won := 0
	for i := range 3 {
		at, err := r.one(t, fmt.Sprint("late ", i), fmt.Sprintf(`{"n":%d}`, i), `{"u0":"same"}`)
		if err != nil || at.Succeeded+at.Failed != 1 {
			t.Errorf("%+v, %v", at, err)
		}
		won += at.Succeeded
		if at.Failed == 1 && !at.Errors[0].NotUnique {
			t.Errorf("%+v", at.Errors)
		}
	}
	if won != 1 {
		t.Errorf("%d runs gave their row the value", won)
	}
	err = r.Tables.Insert(t.Context(), scope, r.table, []map[string]any{{"u0": "same"}}, table.Author{})[0].Err
	if _, twice := errors.AsType[*table.NotUnique](err); !twice {
		t.Errorf("inserted: %v", err)
	}
}
