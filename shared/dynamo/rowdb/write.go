package rowdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"golang.org/x/sync/errgroup"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// DynamoDB allows 100 items and 4 MB per transaction. These limits stay below both.
const (
	maxItems      = 96
	maxBytes      = 2 << 20
	singleWriters = 10 // concurrent single writes: the client keeps as many connections
)

// Write makes changes of one item as single writes, at half the price of a transaction, and packs the others into as
// few transactions as possible.
func (s *Rows) Write(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change) []error {
	failed := make([]error, len(changes))
	var fresh, singles, others []write

	for i, w := range s.plan(ctx, scope, t, changes, true) {
		switch {
		case w.err != nil:
			failed[i] = w.err
		case len(w.parts) > 1:
			others = append(others, w)
		// A batch is worth it from two rows on; a lone row keeps the condition of a single write.
		case w.change.Fresh && len(changes) > 1:
			fresh = append(fresh, w)
		default:
			singles = append(singles, w)
		}
	}

	singles = append(singles, s.insert(ctx, fresh)...)
	s.writeGroups(ctx, scope, t, slices.Collect(slices.Chunk(singles, 1)), singleWriters, failed)
	s.writeApart(ctx, scope, t, others, dynamo.Writers, failed)

	return failed
}

// insert puts new rows in batches, which have no conditions, and returns the rows that may not be stored. It sends each
// batch once: a batch repeated after a lost answer could undo changes made since. The single write that follows finds
// by its WriteID whether the batch was stored.
func (s *Rows) insert(ctx context.Context, writes []write) (left []write) {
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(dynamo.Writers)
	// Turn off the SDK's retries: a batch repeated after a lost answer would undo later changes.
	once := func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }

	for some := range slices.Chunk(writes, dynamo.MaxBatchWrite) {
		group.Go(func() error {
			requests := make([]types.WriteRequest, len(some))
			for i, w := range some {
				requests[i].PutRequest = &types.PutRequest{Item: w.parts[0].Put.Item}
			}
			out, err := s.Client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
				RequestItems: map[string][]types.WriteRequest{s.Table: requests},
			}, once)

			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				left = append(left, some...)
				return nil
			}
			for _, request := range out.UnprocessedItems[s.Table] {
				id := table.RowID(dynamo.TextOf(request.PutRequest.Item["sk"]))
				left = append(left, some[slices.IndexFunc(some, func(w write) bool { return w.change.New.ID == id })])
			}
			return nil
		})
	}
	_ = group.Wait()

	return left
}

// transactions splits writes into groups that fit one transaction each.
func transactions(writes []write) (groups [][]write) {
	items, bytes := 0, 0
	for _, w := range writes {
		size := 0
		for _, row := range []*table.Row{w.change.Old, w.change.New} {
			if row != nil {
				size = max(size, table.Size(row.Fields))
			}
		}

		items, bytes = items+len(w.parts), bytes+size
		if len(groups) == 0 || items > maxItems || bytes > maxBytes {
			groups, items, bytes = append(groups, nil), len(w.parts), size
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], w)
	}
	return groups
}

// writeGroups writes up to atOnce groups concurrently, and stores the errors of changes in failed.
func (s *Rows) writeGroups(ctx context.Context, scope tenant.Scope, t table.Table, groups [][]write, atOnce int, failed []error) {
	if len(groups) == 1 { // a goroutine of its own would grow its stack for the SDK's steps
		s.writeGroup(ctx, scope, t, groups[0], failed)
		return
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, writes := range groups {
		group.Go(func() error {
			s.writeGroup(ctx, scope, t, writes, failed)
			return nil
		})
	}
	_ = group.Wait()
}

// writeGroup writes a group. After a failure it drops the refused changes and tries the rest again.
func (s *Rows) writeGroup(ctx context.Context, scope tenant.Scope, t table.Table, group []write, failed []error) {
	for len(group) > 0 {
		err := retry.Writes.Do(ctx, dynamo.Conflicted, func(int) error { return s.send(ctx, group) })
		if err == nil {
			return
		}

		rest, again := s.refused(ctx, scope, t, group, err, failed)
		// If no single change was refused, the same group would fail again.
		if len(rest) == len(group) && !again {
			for _, w := range group {
				failed[w.place] = writeError(err)
			}
			return
		}
		group = rest
	}
}

// send makes the writes of a group: one single write or one transaction.
func (s *Rows) send(ctx context.Context, group []write) error {
	if group[0].id != "" {
		return s.sendSingle(ctx, group[0], dynamo.NoConflictRetries)
	}

	var parts []dynamo.Part
	for _, w := range group {
		parts = append(parts, w.parts...)
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts}, dynamo.NoConflictRetries)
	return err
}

// sendSingle makes a single write. DynamoDB does not recognize a repeated single write: its WriteID in the stored row,
// or for a deletion a missing row after an earlier attempt, shows that it succeeded before.
func (s *Rows) sendSingle(ctx context.Context, w write, options func(*dynamodb.Options)) error {
	sent := &dynamo.Attempts{}
	err := dynamo.WriteItem(ctx, s.Client, w.parts[0], options, sent.Count)
	// An earlier attempt succeeded, but its answer was lost. A deleted row may have been deleted by another request,
	// which has the same result.
	stored, gone := dynamo.ItemAt(err, 0), w.parts[0].Delete != nil && sent.Times > 1
	if dynamo.ConditionFailed(err) && (w.id.In(stored) || len(stored) == 0 && gone) {
		return nil
	}
	return err
}

// refused stores in failed the errors of changes whose condition failed or whose row is too large, and returns the
// others. again reports that one of these has other claims now.
func (s *Rows) refused(
	ctx context.Context, scope tenant.Scope, t table.Table, group []write, err error, failed []error,
) (rest []write, again bool) {
	part := 0
	for _, w := range group {
		last := part + len(w.parts) - 1
		switch {
		// The token is the last part (see plan): if it exists, an earlier try has made this change.
		case w.change.Token != "" && dynamo.ConditionFailedAt(err, last):
			failed[w.place] = table.ErrDone
		case dynamo.ConditionFailedAt(err, part):
			failed[w.place] = w.refused(t, dynamo.ItemAt(err, part))
		case dynamo.TooLargeAt(err, part):
			failed[w.place] = fmt.Errorf("write rows: %w: %w", table.ErrTooLarge, err)
		default:
			settled, reason := s.settle(ctx, scope, t, &w, err, part)
			if failed[w.place] = reason; reason == nil {
				rest, again = append(rest, w), again || settled
			}
		}

		part = last + 1
	}

	return rest, again
}

// refused returns the error for a failed condition of the row; now is the item as stored.
func (w write) refused(t table.Table, now dynamo.Item) error {
	if w.change.Old == nil {
		return errs.Duplicate("a row of this id exists in table %q", t.Name)
	}

	conflict := errs.Conflict("another request is changing the same row, try again")
	if len(now) == 0 {
		return conflict
	}
	return &table.Stale{Row: ToRow(t, now), Err: conflict}
}

// writeError is dynamo.Wrap, but returns table.ErrTooLarge if DynamoDB rejects the size of a row.
func writeError(err error) error {
	api, ok := errors.AsType[smithy.APIError](err)
	if ok && api.ErrorCode() == "ValidationException" && dynamo.AboutSize(api.ErrorMessage()) {
		return fmt.Errorf("write rows: %w: %w", table.ErrTooLarge, err)
	}
	return dynamo.Wrap("write rows", err)
}
