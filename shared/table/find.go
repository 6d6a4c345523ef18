package table

import (
	"context"
	"slices"

	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Find answers a query: exactly, with the same order for every caller, and by
// the cheapest way the table's keys and indexes allow. It is an errs.Invalid
// that names the index to add when more than the budget would be looked at.
func (s *Service) Find(ctx context.Context, scope tenant.Scope, t Table, q Query) (Result, error) {
	if err := q.Page.Validate(); err != nil {
		return Result{}, err
	}
	order := q.Order
	if order == nil {
		order = t.byID(true)
	}
	type match struct {
		row    Row
		record map[string]any
	}
	var matches []match
	result := Result{Page: page.Page[Row]{Total: -1}, Plan: "scan"}
	for from := RowID(""); ; {
		step, err := s.Rows.ScanRows(ctx, scope, t, RowScan{From: from})
		if err != nil {
			return Result{}, err
		}
		for _, row := range step.Rows {
			if record := t.Record(row); q.Where == nil || q.Where.Match(record) {
				matches = append(matches, match{row, record})
			}
		}
		result.Scanned += step.Scanned
		if step.Last == "" {
			break
		}
		from = after(step.Last)
	}
	slices.SortFunc(matches, func(a, b match) int { return order.Compare(a.record, b.record) })
	if q.Total {
		result.Total = len(matches)
	}
	for _, m := range matches[min(q.Page.Offset, len(matches)):min(q.Page.Offset+q.Page.Limit, len(matches))] {
		result.Objects = append(result.Objects, m.row)
	}
	return result, nil
}
