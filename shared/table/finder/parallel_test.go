package finder

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"minicloud/shared/count"
	"minicloud/shared/table"
	"minicloud/shared/table/plan"
	"minicloud/shared/tenant"
)

// steps is a fake store of one row per read, which counts the reads.
type steps struct {
	table.RowStore
	rows  int
	reads atomic.Int64
}

func (s *steps) ScanRows(
	_ context.Context, _ tenant.Scope, _ table.Table, scan table.RowScan,
) (step table.RowStep, err error) {
	n := int(s.reads.Add(1))
	step.Rows, step.Scanned = []table.Row{{ID: table.RowID(fmt.Sprintf("%024x", n))}}, 1
	if n < s.rows {
		step.Last = step.Rows[0].ID
	}
	return step, nil
}

// Node implements count.Reader without any counter.
func (s *steps) Node(context.Context, count.Collection, count.NodeID) ([]count.Node, error) {
	return nil, nil
}

// TestParallelReadsLittleAhead counts the reads before rows are taken: each may be a megabyte.
func TestParallelReadsLittleAhead(t *testing.T) {
	for _, most := range []int{100, 7} {
		store := &steps{rows: 100}
		f := &search{Finder: Finder{Rows: store, Limits: plan.Measured, Budget: 1000}, tree: count.Tree{Reader: store}}
		taken := 0
		complete, err := f.parallel(t.Context(), f.scanner(nil, []plan.Span{{}}, false), func(rows []table.Row) bool {
			taken += len(rows)
			if ahead := int(store.reads.Load()) - taken; ahead > 3 {
				t.Errorf("%d reads when %d rows were taken", store.reads.Load(), taken)
			}
			return taken < most
		})
		if err != nil || taken != most || !complete {
			t.Errorf("%d rows, complete %v, %v; want %d", taken, complete, err, most)
		}
	}
}

// broken is a table of two segments. Reading the first one fails when the second one was read.
type broken struct{ table.RowStore }

// Node returns the counters of the segments.
func (b broken) Node(context.Context, count.Collection, count.NodeID) ([]count.Node, error) {
	return []count.Node{{Sum: 2, Children: map[int]int{0: 1, 1: 1}}}, nil
}

func (b broken) ScanRows(
	_ context.Context, _ tenant.Scope, _ table.Table, scan table.RowScan,
) (step table.RowStep, err error) {
	if scan.From == "" {
		synctest.Wait()
		return step, errors.New("unavailable")
	}
	return table.RowStep{Rows: []table.Row{{ID: "2"}}, Scanned: 1}, nil
}

// TestParallelTakesNoRowsInPlaceOfUnreadOnes checks that a list fails if its first segment cannot be read: the rows of
// the second segment fill the page, but they are not the first ones of the list.
func TestParallelTakesNoRowsInPlaceOfUnreadOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &search{Finder: Finder{Rows: broken{}, Limits: plan.Limits{Segment: 1}, Budget: 1000}}
		f.tree = count.Tree{Reader: broken{}}
		complete, err := f.parallel(t.Context(), f.scanner(nil, []plan.Span{{}}, false), func(rows []table.Row) bool {
			t.Errorf("took %v", rows)
			return false
		})
		if err == nil || complete {
			t.Errorf("complete %v, %v", complete, err)
		}
	})
}
