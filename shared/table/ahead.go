package table

import (
	"context"

	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Ahead is a read that has begun before the query is known, while the schema of
// its table is still being read.
type Ahead struct {
	counters func() ([]Node, error)       // nil = not read
	rows     func(Table) (RowStep, error) // nil = not read
	limit    int                          // of rows
}

// Ahead begins to read what a page of the table's whole list, newest first,
// will need: its rows, or for a deep page the counters that lead to them.
func (s *Service) Ahead(ctx context.Context, scope tenant.Scope, table ID, req page.Request) *Ahead {
	if req.Offset <= firstStep {
		scan := RowScan{Descending: true, Limit: min(req.Offset+req.Limit+1, maxStep)}
		return &Ahead{rows: s.Rows.BeginRows(ctx, scope, table, scan), limit: scan.Limit}
	}
	var nodes []Node
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		nodes, err = s.Rows.Counters(ctx, scope, table)
	}()
	return &Ahead{counters: func() ([]Node, error) {
		<-done
		return nodes, err
	}}
}

// scanRows is one step over rows, perhaps one that has begun before.
func (f *finder) scanRows(ctx context.Context, scan RowScan) (RowStep, error) {
	first := scan.From == "" && scan.To == "" && scan.Descending && !scan.IDsOnly && scan.Only == nil && len(scan.Filter) == 0
	if a := f.q.Ahead; first && a != nil && a.rows != nil && a.limit == scan.Limit {
		return a.rows(f.table)
	}
	return f.store().ScanRows(ctx, f.scope, f.table, scan)
}
