package table

import (
	"context"

	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Ahead is a read of rows that has begun before the query is known, while the
// schema of its table is still being read.
type Ahead struct {
	rows  func(Table) (RowStep, error)
	limit int // of rows
}

// Ahead begins to read the rows that a page of the table's whole list, newest
// first, will need; nil where others have to be passed first.
func (s *Service) Ahead(ctx context.Context, scope tenant.Scope, table ID, req page.Request) *Ahead {
	if req.Offset > firstStep {
		return nil
	}

	scan := RowScan{Descending: true, Limit: min(req.Offset+req.Limit+1, maxStep)}
	return &Ahead{rows: s.Rows.BeginRows(ctx, scope, table, scan), limit: scan.Limit}
}

// scanRows is one step over rows, perhaps one that has begun before.
func (f *finder) scanRows(ctx context.Context, scan RowScan) (RowStep, error) {
	first := scan.From == "" && scan.To == "" && scan.Descending && !scan.IDsOnly && scan.Only == nil && len(scan.Filter) == 0
	if a := f.q.Ahead; first && a != nil && a.limit == scan.Limit {
		return a.rows(f.table)
	}
	return f.store().ScanRows(ctx, f.scope, f.table, scan)
}
