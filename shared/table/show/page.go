package show

import (
	"context"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Find returns the rows of a query as answers. If expanded rows make a page too large, it has fewer rows, and the query
// is made again for its cursor.
func (s Service) Find(ctx context.Context, scope tenant.Scope, f Fields, q table.Query) (answer table.ResultOf[Record], err error) {
	total := -1
	for {
		found, err := s.Tables.Find(ctx, scope, f.table, q)
		if err != nil {
			return answer, err
		}
		if q.Total {
			total, q.Total = found.Total, false
		}
		answer.Plan, answer.Scanned = found.Plan, answer.Scanned+found.Scanned

		records, err := s.rows(ctx, scope, f, found.Objects)
		if err != nil {
			return answer, err
		}
		if len(records) == len(found.Objects) {
			answer.Objects, answer.Next, answer.Total = records, found.Next, total
			return answer, nil
		}
		q.Page.Limit = len(records)
	}
}
