package rowdb

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// write is a planned change.
type write struct {
	place  int // index in the caller's list
	change table.Change
	parts  []dynamo.Part  // the first one is the row's write, with the condition on the row
	claims []claim        // in parts, from firstClaim on
	first  int            // index of the first claim in parts
	id     dynamo.WriteID // only for a single write
	err    error          // the error that prevented planning
}

// planners is the number of changes planned concurrently: for some of them planning includes a write.
const planners = 8

// plan translates changes into writes. If single is set, changes of one part become single writes with a WriteID.
func (s *Rows) plan(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, single bool,
) []write {
	writes := make([]write, len(changes))
	t, err := s.note(ctx, scope, t, changes)
	if err != nil {
		for i, change := range changes {
			writes[i] = write{place: i, change: change, err: err}
		}
		return writes
	}

	var group errgroup.Group
	group.SetLimit(planners)

	for i, change := range changes {
		w := write{place: i, change: change, parts: make([]dynamo.Part, 1)}
		w.parts = append(w.parts, s.entryParts(scope, t, change.Old, change.New)...)
		w.claim(s.claims(scope, t, change.Old, change.New))
		if change.Token != "" {
			w.parts = append(w.parts, s.tokenPart(scope, t.ID, change.Token))
		}
		// DynamoDB recognizes a repeated transaction by its client token; a single write needs a WriteID for that.
		if single && len(w.parts) == 1 {
			w.id = dynamo.NewWriteID()
		}

		group.Go(func() error {
			w.parts[0], w.err = s.rowPart(ctx, scope, t, change, w.id)
			writes[i] = w
			return nil
		})
	}
	_ = group.Wait()

	return writes
}

// Plan translates changes into parts of a transaction. failed has the error of each change that cannot be translated,
// by index. The first part of a change is the row's write, with the condition on the row.
func (s *Rows) Plan(
	ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change,
) (parts [][]dynamo.Part, failed map[int]error) {
	failed = map[int]error{}
	for i, w := range s.plan(ctx, scope, t, changes, false) {
		parts = append(parts, w.parts)
		if w.err != nil {
			failed[i] = w.err
		}
	}
	return parts, failed
}

// WriteWith makes the writes in first and the changes in one transaction. refused has the changes that prevented it, by
// index: errs.Conflict if the row has changed since Old was read, as table.Stale if it still exists; otherwise the
// reason why the row cannot be stored, or a table.NotUnique. No two changes may have the same values of a unique index,
// before or after. err is DynamoDB's error, whose first parts are those of first. WriteWith does
// not retry a transaction conflict, because the caller may have to read again.
func (s *Rows) WriteWith(
	ctx context.Context, scope tenant.Scope, t table.Table, first []dynamo.Part, changes []table.Change,
) (refused map[int]error, err error) {
	// An error of the note refuses no row.
	if t, err = s.note(ctx, scope, t, changes); err != nil {
		return nil, err
	}
	refused = map[int]error{}
	writes := s.plan(ctx, scope, t, changes, false)
	for i, w := range writes {
		if w.err != nil {
			refused[i] = w.err
		}
	}
	for again := len(refused) == 0; again; {
		parts, rowParts := slices.Clone(first), make([]int, len(writes))
		for i, w := range writes {
			rowParts[i] = len(parts)
			parts = append(parts, w.parts...)
		}

		_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts}, dynamo.NoConflictRetries)
		for i := range first {
			if dynamo.ConditionFailedAt(err, i) {
				return nil, err
			}
		}
		again = false
		for i, part := range rowParts {
			settled, reason := s.refusal(ctx, scope, t, &writes[i], err, part)
			if reason != nil {
				refused[i] = reason
			}
			again = again || settled
		}
		again = again && len(refused) == 0
	}
	if len(refused) > 0 {
		return refused, nil
	}
	return nil, err
}

// refusal returns why a part of a change, of which part is the first, prevented a transaction. settled reports that the
// change has other claims now and can be tried again.
func (s *Rows) refusal(
	ctx context.Context, scope tenant.Scope, t table.Table, w *write, err error, part int,
) (settled bool, reason error) {
	switch {
	case dynamo.ConditionFailedAt(err, part) && w.change.Old == nil:
		return false, errs.Conflict("the row was changed by another request")
	case dynamo.ConditionFailedAt(err, part):
		return false, w.refused(t, dynamo.ItemAt(err, part))
	case dynamo.TooLargeAt(err, part):
		return false, table.ErrTooLarge
	}
	return s.settle(ctx, scope, t, w, err, part)
}

// rowPart returns the write of the row itself. If id is not "", the write stores it in the row.
func (s *Rows) rowPart(
	ctx context.Context, scope tenant.Scope, t table.Table, change table.Change, id dynamo.WriteID,
) (dynamo.Part, error) {
	if change.New == nil {
		return s.deletion(ctx, partition.Of(scope, t, change.Old.ID), *change.Old, firing(t, t.Listeners.Delete, change.Origin))
	}

	it, err := fromRow(scope, t, *change.New)
	if err != nil {
		return dynamo.Part{}, err
	}
	listeners := t.Listeners.Update
	if change.Old == nil {
		listeners = t.Listeners.Create
	}
	if fires := firing(t, listeners, change.New.Origin); fires != "" {
		it[attrFires] = dynamo.Text(fires)
	}

	if change.Old == nil {
		// A repeated insert finds its WriteID in the row, so it is not taken for a duplicate.
		if id != "" {
			id.Put(it)
		}
		return dynamo.Put(s.Table, it, dynamo.NotExists, nil), nil
	}

	overwrite, values := dynamo.Overwrite(it, rowAttributes...)
	maps.Copy(values, dynamo.RevisionOf(change.Old.Revision))
	part := dynamo.Update(
		s.Table, partition.Of(scope, t, change.Old.ID), string(change.Old.ID), overwrite, dynamo.IsRevision, values,
	)
	if id != "" {
		id.Add(part.Update)
	}
	return part, nil
}

// deletion returns the deletion of a row. If it fires triggers, it first marks the row in a write of its own: the
// stream's record of the deletion then has the row with the mark as its last image. The mark of an earlier, interrupted
// deletion is replaced or removed.
func (s *Rows) deletion(ctx context.Context, pk string, old table.Row, fires string) (dynamo.Part, error) {
	revision := old.Revision
	if fires != "" || old.Deleting {
		revision++
		values := dynamo.RevisionOf(old.Revision)
		values[":next"] = dynamo.Number(revision)
		// Remove attrFires: this write is no change of the row.
		mark := "SET " + attrRevision + " = :next REMOVE " + attrFires + ", " + attrDeletion
		if fires != "" {
			values[":fires"] = dynamo.Text(fires)
			mark = "SET " + attrRevision + " = :next, " + attrDeletion + " = :fires REMOVE " + attrFires
		}

		err := dynamo.Do(ctx, s.Client, "announce a deletion",
			errs.Conflict("another request is changing the same row, try again"),
			dynamo.Update(s.Table, pk, string(old.ID), mark, dynamo.IsRevision, values))
		if err != nil {
			return dynamo.Part{}, err
		}
	}
	return dynamo.Delete(s.Table, pk, string(old.ID), dynamo.IsRevision, dynamo.RevisionOf(revision)), nil
}

// tokenPart returns the write of a token item, for a row with the maximum number of tokens.
func (s *Rows) tokenPart(scope tenant.Scope, id table.ID, token string) dynamo.Part {
	it := dynamo.Key(tokenPK(scope, id, token), tokenSK)
	it["expires_at"] = dynamo.Instant(writetoken.Expires(token))
	return dynamo.Put(s.Indexes, it, dynamo.NotExists, nil)
}

const tokenSK = "token"

func tokenPK(scope tenant.Scope, id table.ID, token string) string {
	return string(table.Collection(scope, id)) + "#token#" + token
}

// HasToken reads the token item.
func (s *Rows) HasToken(ctx context.Context, scope tenant.Scope, t table.Table, token string) (bool, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Indexes, tokenPK(scope, t.ID, token), tokenSK)
	return it != nil, err
}

// entryParts returns the writes that move the index entries of a row from its old values to its new ones.
func (s *Rows) entryParts(scope tenant.Scope, t table.Table, old, next *table.Row) (parts []dynamo.Part) {
	for _, c := range t.Columns {
		if c.Index == nil {
			continue
		}

		var before, after string
		if old != nil {
			before = c.Entry(*old).Key()
		}
		if next != nil {
			after = c.Entry(*next).Key()
		}
		// An unchanged entry costs no write.
		if before == after {
			continue
		}

		pk := indexPK(scope, t.ID, c.Index.ID)
		if before != "" {
			parts = append(parts, dynamo.Delete(s.Indexes, pk, before, "", nil))
		}
		if after != "" {
			parts = append(parts, dynamo.Put(s.Indexes, dynamo.Key(pk, after), "", nil))
		}
	}
	return append(parts, s.readerParts(scope, t, old, next)...)
}

// readerParts returns the writes that move the entries of a row in the index of readers.
func (s *Rows) readerParts(scope tenant.Scope, t table.Table, old, next *table.Row) (parts []dynamo.Part) {
	var before, after []table.Entry
	if old != nil {
		before = t.ReaderEntries(*old)
	}
	if next != nil {
		after = t.ReaderEntries(*next)
	}
	pk := indexPK(scope, t.ID, table.ReadersIndex)
	for _, entry := range before {
		if !slices.Contains(after, entry) {
			parts = append(parts, dynamo.Delete(s.Indexes, pk, entry.Key(), "", nil))
		}
	}
	for _, entry := range after {
		if !slices.Contains(before, entry) {
			parts = append(parts, dynamo.Put(s.Indexes, dynamo.Key(pk, entry.Key()), "", nil))
		}
	}
	return parts
}

// note notes in the table's item the kinds of rows that the changes write for the first time. It returns the table with
// them, for the entries of the changes.
func (s *Rows) note(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change) (table.Table, error) {
	var kinds table.Kinds
	for _, c := range changes {
		if c.New != nil {
			kinds |= t.KindsOf(*c.New)
		}
	}
	if !t.Unnoted(kinds) {
		return t, nil
	}

	tables := &Tables{Client: s.Client, Name: s.Schemas}
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		now, err := tables.Table(ctx, scope, t.ID)
		if err != nil || !now.Unnoted(kinds) {
			t.Readers = now.Readers
			return err
		}
		next := now.Noted(kinds)
		t.Readers = next.Readers
		return tables.ReplaceTable(ctx, scope, now, next)
	})
	return t, err
}
