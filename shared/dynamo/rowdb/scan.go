package rowdb

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// ScanRows makes one Query for each shard, at the same time. An unsharded table has one.
func (s *Rows) ScanRows(
	ctx context.Context, scope tenant.Scope, t table.Table, scan table.RowScan,
) (all table.RowStep, err error) {
	pieces := partition.Pieces(scope, t, scan.From, scan.To)
	if scan.Descending {
		slices.Reverse(pieces)
	}
	all.Rows = []table.Row{}
	for _, piece := range pieces {
		part := scan
		part.From, part.To = piece.From, piece.To
		if part.Limit = max(scan.Limit-len(all.Rows), 0); scan.Limit > 0 && part.Limit == 0 {
			all.Last = all.Rows[len(all.Rows)-1].ID // the next piece may have more
			break
		}
		step, err := s.scanPiece(ctx, t, piece.Partitions, part)
		if err != nil {
			return all, err
		}
		all.Rows = append(all.Rows, step.Rows...)
		all.Scanned += step.Scanned
		if all.Last = step.Last; step.Last != "" {
			break
		}
	}
	return all, nil
}

// scanPiece scans partitions that have the rows of a range together.
func (s *Rows) scanPiece(
	ctx context.Context, t table.Table, partitions []string, scan table.RowScan,
) (table.RowStep, error) {
	if len(partitions) == 1 {
		return s.scanPartition(ctx, t, partitions[0], scan)
	}

	part := scan
	part.Limit = share(cmp.Or(scan.Limit, mostRows), len(partitions))
	steps := make([]table.RowStep, len(partitions))
	group, ctx := errgroup.WithContext(ctx)
	for i, pk := range partitions {
		group.Go(func() (err error) {
			steps[i], err = s.scanPartition(ctx, t, pk, part)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return table.RowStep{}, err
	}
	return merged(steps, scan), nil
}

// share returns how many rows to read of each shard for a step of limit rows. Ids spread like dice: two standard
// deviations more than the mean are seldom too few.
func share(limit, shards int) int {
	mean := float64(limit) / float64(shards)
	return min(limit, int(mean+2*math.Sqrt(mean))+1)
}

// merged merges the steps of shards. It ends where the first shard ended that has more rows: others may have read
// further, but what lies between is not known.
func merged(steps []table.RowStep, scan table.RowScan) (all table.RowStep) {
	before := func(a, b table.RowID) int {
		if scan.Descending {
			return cmp.Compare(b, a)
		}
		return cmp.Compare(a, b)
	}
	for _, step := range steps {
		all.Rows = append(all.Rows, step.Rows...)
		all.Scanned += step.Scanned
		if step.Last != "" && (all.Last == "" || before(step.Last, all.Last) < 0) {
			all.Last = step.Last
		}
	}
	slices.SortFunc(all.Rows, func(a, b table.Row) int { return before(a.ID, b.ID) })
	if all.Last != "" {
		all.Rows = slices.DeleteFunc(all.Rows, func(r table.Row) bool { return before(r.ID, all.Last) > 0 })
	}
	if scan.Limit > 0 && len(all.Rows) > scan.Limit {
		all.Rows = all.Rows[:scan.Limit]
		all.Last = all.Rows[scan.Limit-1].ID
	}
	return all
}

// scanPartition makes one Query.
func (s *Rows) scanPartition(ctx context.Context, t table.Table, pk string, scan table.RowScan) (table.RowStep, error) {
	to := string(scan.To)
	// BETWEEN includes its upper end. Without its last "0" the end sorts before the id that it may be, and after all
	// smaller ids.
	if less := strings.TrimSuffix(to, "0"); scan.From != "" && less >= string(scan.From) {
		to = less
	}
	in := dynamo.Query(s.Table, pk, string(scan.From), to, scan.Descending, cmp.Or(scan.Limit, mostRows))
	if scan.IDsOnly {
		in.ProjectionExpression = new("sk")
	}
	addFilter(in, scan.Filter)
	if scan.Only != nil {
		addProjection(in, scan.Only)
	}

	out, err := s.Client.Query(ctx, in)
	if err != nil {
		return table.RowStep{}, dynamo.Wrap("scan rows", err)
	}
	step := table.RowStep{
		Rows: make([]table.Row, 0, len(out.Items)), Scanned: int(out.ScannedCount),
		Last: table.RowID(dynamo.TextOf(out.LastEvaluatedKey["sk"])),
	}
	for _, it := range out.Items {
		row := ToRow(t, it)
		if scan.To != "" && row.ID >= scan.To {
			continue // BETWEEN includes the upper end
		}
		step.Rows = append(step.Rows, row)
	}
	return step, nil
}
