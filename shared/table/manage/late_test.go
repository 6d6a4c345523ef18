package manage_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/table/plan"
	"minicloud/shared/tenant"
)

// endless is a table without an end; each read returns a row and takes a second.
type endless struct{ table.RowStore }

// uncounted is a counter reader without any counters.
type uncounted struct{}

func (uncounted) Node(context.Context, count.Collection, count.NodeID) ([]count.Node, error) {
	return nil, nil
}

func (endless) ScanRows(
	ctx context.Context, _ tenant.Scope, _ table.Table, scan table.RowScan,
) (table.RowStep, error) {
	select {
	case <-ctx.Done():
		return table.RowStep{}, ctx.Err()
	case <-time.After(time.Second):
		return table.RowStep{Scanned: 1, Last: scan.From + "0"}, nil
	}
}

// TestRefusesLateQueriesInTime checks that a query that takes too long is refused with a hint before the gateway
// times out.
func TestRefusesLateQueriesInTime(t *testing.T) {
	in := table.Table{
		ID: 5, Name: "things", Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}},
	}
	where, err := in.Grammar().Where(`{"n": 5}`)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 29*time.Second)
		defer cancel()
		s := &manage.Service{Rows: endless{}, Counts: uncounted{}}
		_, err := s.Find(ctx, scope, in, table.Query{Where: where, Total: true, Page: page.Request{Limit: 1}})
		if !errs.Is(err, errs.KindInvalid) || !strings.Contains(errs.Message(err), `an index on field "n" would help`) {
			t.Errorf("got %v", err)
		}
		if ctx.Err() != nil {
			t.Error("the answer came too late")
		}
	})
}

// abandoned is a table of many segments whose caller cancels after the first segments were read.
type abandoned struct {
	table.RowStore
	mu     sync.Mutex
	reads  int
	goAway func()
}

// Node returns counters of twenty rows in separate segments.
func (a *abandoned) Node(context.Context, count.Collection, count.NodeID) ([]count.Node, error) {
	root := count.Node{Sum: 20, Children: map[int]int{}}
	for i := range 20 {
		root.Children[i] = 1
	}
	return []count.Node{root}, nil
}

func (a *abandoned) ScanRows(
	ctx context.Context, _ tenant.Scope, _ table.Table, _ table.RowScan,
) (table.RowStep, error) {
	// Scans are serialized: the fourth one cancels the context before a fifth reads.
	a.mu.Lock()
	defer a.mu.Unlock()
	if ctx.Err() != nil {
		return table.RowStep{}, ctx.Err()
	}
	if a.reads++; a.reads == 4 {
		a.goAway()
	}
	return table.RowStep{Scanned: 1}, nil
}

// TestQueryEndsWhenTheCallerLeaves checks that a canceled search stops without reading the remaining segments. Which
// goroutine notices the cancellation first is random.
func TestQueryEndsWhenTheCallerLeaves(t *testing.T) {
	in := table.Table{
		ID: 5, Name: "things", Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n"}},
	}
	where, err := in.Grammar().Where(`{"n": 5}`)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			rows := &abandoned{goAway: cancel}
			s := &manage.Service{Rows: rows, Counts: rows}
			s.Limits = plan.Limits{Few: 1, Look: 1, Segment: 1, Total: 20, Sure: 60}
			if got, err := s.Find(
				ctx, scope, in, table.Query{Where: where, Total: true, Page: page.Request{Limit: 1}},
			); err == nil {
				t.Errorf("answered %+v", got)
			}
		})
	}
}
