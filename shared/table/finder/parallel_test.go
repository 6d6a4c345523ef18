package finder

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

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
