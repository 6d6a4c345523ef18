package rowdb

import (
	"context"
	"slices"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// attrRow is the id of the row that has a claim.
const attrRow = "row_id"

// unclaimed is the condition that no other row has a claim.
const unclaimed = "attribute_not_exists(pk) OR #row_id = :row"

// claim is the part of a change that takes or frees the values of a row in a unique index (C28).
type claim struct {
	index table.FieldIndex
	key   string
	frees bool
	part  dynamo.Part
}

// name identifies the item of the claim in its table.
func (c claim) name() string { return c.index.Index.ID + table.Separator + c.key }

// claim adds claims to the parts of a write.
func (w *write) claim(claims []claim) {
	w.first, w.claims = len(w.parts), claims
	for _, c := range claims {
		w.parts = append(w.parts, c.part)
	}
}

// claims returns the claims that a change of a row moves. Unchanged values cost nothing.
func (s *Rows) claims(scope tenant.Scope, t table.Table, old, next *table.Row) (claims []claim) {
	for _, x := range t.FieldIndexes {
		if !x.Claims() {
			continue
		}
		var before, after string
		if old != nil {
			before = t.Claim(x, *old)
		}
		if next != nil {
			after = t.Claim(x, *next)
		}
		if before == after {
			continue
		}
		pk := indexPK(scope, t.ID, x.Index.ID)
		if before != "" {
			part := dynamo.Delete(s.Indexes, pk, before, unclaimed, dynamo.Item{":row": dynamo.Text(string(old.ID))})
			claims = append(claims, claim{x, before, true, part})
		}
		if after != "" {
			claims = append(claims, claim{x, after, false, s.claimPart(pk, after, *next)})
		}
	}
	return claims
}

// claimPart returns the write of a claim. A repeated write finds that of its own row.
func (s *Rows) claimPart(pk, key string, row table.Row) dynamo.Part {
	it := dynamo.Key(pk, key)
	it[attrRow], it[attrRevision] = dynamo.Text(string(row.ID)), dynamo.Number(row.Revision)
	return dynamo.Put(s.Indexes, it, unclaimed, dynamo.Item{":row": it[attrRow]})
}

// settle decides about the claims of a write that prevented a transaction; at is the index of the write's first part in
// it. It returns a *table.NotUnique if another row has the values. settled reports that the write can be tried again:
//
//   - A write with an earlier schema left a claim of values that its row no longer has. It is deleted.
//   - A row has no claim for its old values, because the index is not built yet, and another row has the same ones. Then
//     the write frees nothing.
func (s *Rows) settle(
	ctx context.Context, scope tenant.Scope, t table.Table, w *write, err error, at int,
) (settled bool, reason error) {
	for i := len(w.claims) - 1; i >= 0; i-- {
		part := at + w.first + i
		if !dynamo.ConditionFailedAt(err, part) {
			continue
		}
		if c := w.claims[i]; !c.frees {
			if err := s.release(ctx, scope, t, c, dynamo.ItemAt(err, part)); err != nil {
				return false, err
			}
		} else {
			w.claims = slices.Delete(slices.Clone(w.claims), i, i+1)
			w.parts = slices.Delete(slices.Clone(w.parts), w.first+i, w.first+i+1)
		}
		settled = true
	}
	return settled, nil
}

// release deletes the claim taken of a row that does not have its values. It returns a *table.NotUnique if the row has
// them.
func (s *Rows) release(ctx context.Context, scope tenant.Scope, t table.Table, c claim, taken dynamo.Item) error {
	owner := table.RowID(dynamo.TextOf(taken[attrRow]))
	rows, err := s.ReadRows(ctx, scope, t, []table.RowID{owner})
	if err != nil {
		return err
	}
	row, there := rows[owner]
	if there && t.Claim(c.index, row) == c.key {
		return &table.NotUnique{Fields: c.index.Fields}
	}

	// A row that takes the values again writes its claim again, with its new revision.
	err = dynamo.Write(ctx, s.Client, dynamo.Delete(s.Indexes, indexPK(scope, t.ID, c.index.Index.ID), c.key,
		"#row_id = :row AND #revision = :revision",
		dynamo.Item{":row": taken[attrRow], ":revision": taken[attrRevision]}))
	if dynamo.ConditionFailed(err) { // the next try finds out what has changed
		return nil
	}
	return dynamo.Wrap("release a claim", err)
}

// writeApart writes others in transactions, up to atOnce at a time, and stores the errors of changes in failed. Writes
// that touch the same claim follow one another.
func (s *Rows) writeApart(
	ctx context.Context, scope tenant.Scope, t table.Table, others []write, atOnce int, failed []error,
) {
	for len(others) > 0 {
		some, rest := apart(others)
		s.writeGroups(ctx, scope, t, transactions(some), atOnce, failed)
		others = taken(some, rest, failed)
	}
}

// apart returns the writes of which no two touch the same claim, and the others. A transaction cannot write an item
// twice, and of the rows that take the same values the first one gets them.
func apart(writes []write) (some, rest []write) {
	seen := map[string]bool{}
	for _, w := range writes {
		free := true
		for _, c := range w.claims {
			free = free && !seen[c.name()]
			seen[c.name()] = true
		}
		if free {
			some = append(some, w)
		} else {
			rest = append(rest, w)
		}
	}
	return some, rest
}

// taken stores in failed the errors of writes that take what the finished ones have taken, and returns the others.
// Without it, a thousand rows with the same value would be a thousand transactions, one after the other.
func taken(finished, writes []write, failed []error) (rest []write) {
	has := map[string]bool{}
	for _, w := range finished {
		for _, c := range w.claims {
			if !c.frees && failed[w.place] == nil {
				has[c.name()] = true
			}
		}
	}
	for _, w := range writes {
		i := slices.IndexFunc(w.claims, func(c claim) bool { return !c.frees && has[c.name()] })
		if i < 0 {
			rest = append(rest, w)
		} else {
			failed[w.place] = &table.NotUnique{Fields: w.claims[i].index.Fields}
		}
	}
	return rest
}

// Claim writes each claim on the condition that the row still has the values. It reads a row again if it has changed.
func (s *Rows) Claim(
	ctx context.Context, scope tenant.Scope, t table.Table, x table.FieldIndex, rows []table.Row,
) error {
	pk := indexPK(scope, t.ID, x.Index.ID)
	return s.reindexAll(ctx, scope, t, rows, func(w *write, row table.Row) error {
		if key := t.Claim(x, row); key != "" {
			check := dynamo.Check(
				s.Table, partition.Of(scope, t, row.ID), string(row.ID), dynamo.IsRevision, dynamo.RevisionOf(row.Revision),
			)
			w.parts = []dynamo.Part{check}
			w.claim([]claim{{index: x, key: key, part: s.claimPart(pk, key, row)}})
		}
		return nil
	})
}
