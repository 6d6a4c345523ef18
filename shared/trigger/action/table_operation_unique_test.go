package action_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// unique makes a column of the goods unique.
func (p *platform) unique(column string) {
	p.Helper()
	in, _, err := p.tables.CreateIndex(p.Context(), shop, p.goods.ID, []string{column}, true)
	if err != nil {
		p.Fatal(err)
	}
	p.goods = in
}

// named returns the number of goods with each name. Each may have one row.
func (p *platform) named() map[any]int {
	p.Helper()
	names := map[any]int{}
	for _, row := range p.rows() {
		names[row.Fields["name"]]++
	}
	for name, n := range names {
		if n > 1 && name != nil {
			p.Errorf("%d rows have the name %v", n, name)
		}
	}
	return names
}

// refusedForGood reports whether an action fails and is not tried again.
func refusedForGood(err error) bool {
	f, failure := errors.AsType[*action.Failure](err)
	return failure && f.Permanent || errs.Is(err, errs.KindInvalid)
}

// TestCreationsKeepValuesUnique: of runs that create the same value at once, one creates its row and the others fail for
// good; a repeated run has done what it did.
func TestCreationsKeepValuesUnique(t *testing.T) {
	p := newPlatform(t)
	p.unique("name")
	s := creation(set("name", "ink"))
	var created atomic.Int64
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			switch got, err := p.until(p.work(fmt.Sprint("r", i), s, order)); {
			case err == nil:
				created.Add(1)
			case !refusedForGood(err):
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	wg.Wait()
	if got := p.named(); created.Load() != 1 || got["ink"] != 1 {
		t.Errorf("%d runs created %v", created.Load(), got)
	}
}

// TestRepeatedCreationIsNoViolation: an attempt whose answer is lost finds its own row, not another's value.
func TestRepeatedCreationIsNoViolation(t *testing.T) {
	p := newPlatform(t)
	p.unique("name")
	p.doer.Marks = &dying{Marks: p.doer.Marks}
	for i := range 8 {
		if got, err := p.until(p.work(fmt.Sprint("r", i), creation(set("name", fmt.Sprint("ink ", i))), order)); err != nil {
			t.Errorf("run %d: %+v, %v", i, got, err)
		}
	}
	if got := p.named(); len(got) != 8 || len(p.rows()) != 8 {
		t.Errorf("created %v", got)
	}
}

// TestUpdatesKeepValuesUnique: an action that gives one value to many rows changes one, whatever call fails, and names a
// row that it could not change.
func TestUpdatesKeepValuesUnique(t *testing.T) {
	p := newPlatform(t)
	p.unique("name")
	p.crowd(4)
	s := &trigger.TableOperationSettings{Operation: trigger.Update, Where: everything, Assign: []trigger.Assignment{set("name", "ink")}}
	dynamotest.FailEach(t, p.client.Client, func(client *dynamodb.Client) error {
		rows, tables := *p.tables.Rows.(*rowdb.Rows), *p.tables
		rows.Client = client
		tables.Rows, tables.Schemas = &rows, &rowdb.Tables{Client: client, Name: "TablesTable"}
		doer := &action.TableOperations{
			Tables: &tables, Marks: &bulkdb.Marks{Client: client, Rows: &rows}, Profiles: &profiles{}, Clock: p.time,
		}
		got, err := p.untilBy(doer, p.work("r1", s, order))
		if refusedForGood(err) {
			if got.Response != `{"updated":1,"failed":3}` {
				t.Errorf("%+v, %v", got, err)
			}
			return nil
		}
		return err
	})
	if names := p.named(); names["ink"] != 1 || len(names) != 4 {
		t.Errorf("%v", names)
	}
}

// TestConcurrentUpdatesKeepValuesUnique: runs that shift values at the same time leave each value to one row.
func TestConcurrentUpdatesKeepValuesUnique(t *testing.T) {
	p := newPlatform(t)
	p.unique("n")
	p.crowd(5)
	down := &trigger.TableOperationSettings{Operation: trigger.Update, Where: everything, Assign: []trigger.Assignment{
		{Field: "n", Operator: trigger.IncBy, Value: -1.0},
	}}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			if got, err := p.until(p.work(fmt.Sprint("down", i), down, order)); err != nil && !refusedForGood(err) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	wg.Wait()
	seen := map[any]table.RowID{}
	for _, row := range p.rows() {
		if other := seen[row.Fields["n"]]; other != "" {
			t.Errorf("rows %s and %s have n = %v", other, row.ID, row.Fields["n"])
		}
		seen[row.Fields["n"]] = row.ID
	}
}
