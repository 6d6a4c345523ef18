package rowdb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// A transaction holds at most 100 items and 4 MB. We stay below both: a small
// one meets others less often and costs less to repeat.
const (
	maxTransaction      = 96
	maxTransactionRows  = 24
	maxTransactionBytes = 2 << 20
	singleWriters       = 10 // single writes, as many as the client keeps connections
	maxConflicts        = 12 // how often a transaction that met others is tried again
)

// Write makes changes that need one item one by one, which costs half as much as a
// transaction, and puts as many others into one transaction as fit.
func (s *Rows) Write(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change) []error {
	failed := make([]error, len(changes))
	var singles, groups [][]PlannedChange
	var group transaction

	for i, change := range changes {
		planned, err := s.Plan(ctx, scope, t, change)
		if err != nil {
			failed[i] = err
			continue
		}
		planned.place = i
		if len(planned.Parts) == 1 {
			singles = append(singles, []PlannedChange{planned})
			continue
		}
		if !group.take(planned) {
			groups = append(groups, group.changes)
			group = transaction{}
			group.take(planned)
		}
	}
	if len(group.changes) > 0 {
		groups = append(groups, group.changes)
	}

	s.writeGroups(ctx, t, singles, singleWriters, failed)
	s.writeGroups(ctx, t, groups, dynamo.Writers, failed)

	return failed
}

// transaction collects changes that fit into one.
type transaction struct {
	changes      []PlannedChange
	items, bytes int
}

// take adds the change unless it is too much.
func (g *transaction) take(p PlannedChange) bool {
	items, bytes := g.items+len(p.Parts), g.bytes+p.bytes
	if len(g.changes) > 0 && (items > maxTransaction || bytes > maxTransactionBytes || len(g.changes) == maxTransactionRows) {
		return false
	}

	g.changes, g.items, g.bytes = append(g.changes, p), items, bytes
	return true
}

// writeGroups writes several groups at a time.
func (s *Rows) writeGroups(ctx context.Context, t table.Table, groups [][]PlannedChange, atOnce int, failed []error) {
	if len(groups) == 1 {
		s.writeGroup(ctx, t, groups[0], failed)
		return
	}

	work := make(chan []PlannedChange)
	var wg sync.WaitGroup
	for range min(atOnce, len(groups)) {
		wg.Go(func() {
			for group := range work {
				s.writeGroup(ctx, t, group, failed)
			}
		})
	}
	for _, group := range groups {
		work <- group
	}
	close(work)
	wg.Wait()
}

// writeGroup notes in failed what does not succeed.
func (s *Rows) writeGroup(ctx context.Context, t table.Table, group []PlannedChange, failed []error) {
	for conflicts := 0; len(group) > 0; {
		err := s.writeOnce(ctx, group)
		if err == nil {
			return
		}
		if dynamo.Conflicted(err) && conflicts < maxConflicts {
			conflicts++
			if pause(ctx, conflicts) {
				continue
			}
		}
		rest := rejected(t, group, err, failed)
		if len(rest) == len(group) {
			for _, p := range group {
				failed[p.place] = writeError(err)
			}
			return
		}
		group = rest
	}
}

// rejected notes the changes whose condition did not hold, or which make a row
// larger than an item can be, and returns the others.
func rejected(t table.Table, group []PlannedChange, err error, failed []error) (rest []PlannedChange) {
	part := 0
	for _, p := range group {
		switch {
		case p.marks && dynamo.ConditionFailedAt(err, part+len(p.Parts)-1):
			failed[p.place] = table.ErrDone
		case dynamo.ConditionFailedAt(err, part):
			failed[p.place] = p.refused(t, dynamo.ItemAt(err, part))
		case tooLargeAt(err, part):
			failed[p.place] = fmt.Errorf("write rows: %w: %w", table.ErrTooLarge, err)
		default:
			rest = append(rest, p)
		}
		part += len(p.Parts)
	}
	return rest
}

// refused is what a failed condition of the row means, which now is as in it.
func (p PlannedChange) refused(t table.Table, now dynamo.Item) error {
	if p.fresh {
		return errs.Duplicate("a row of this id exists in table %q", t.Name)
	}

	conflict := errs.Conflict("another request is changing the same row, try again")
	if len(now) == 0 {
		return conflict
	}
	return &table.Stale{Row: toRow(t, now), Err: conflict}
}

// tooLargeAt reports whether part i of a transaction is one by which an item would
// be over 400 KB.
func tooLargeAt(err error, i int) bool {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || i >= len(cancelled.CancellationReasons) {
		return false
	}
	reason := cancelled.CancellationReasons[i]
	return aws.ToString(reason.Code) == dynamo.ReasonInvalid && strings.Contains(strings.ToLower(aws.ToString(reason.Message)), "size")
}

// writeError is wrap, with what DynamoDB has to say about a row's size.
func writeError(err error) error {
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "ValidationException" && strings.Contains(strings.ToLower(api.ErrorMessage()), "size") {
		return fmt.Errorf("write rows: %w: %w", table.ErrTooLarge, err)
	}
	return dynamo.Wrap("write rows", err)
}

// writeOnce tries once to make the changes of a group.
func (s *Rows) writeOnce(ctx context.Context, group []PlannedChange) error {
	if len(group) == 1 && len(group[0].Parts) == 1 {
		return s.writeSingle(ctx, group[0].Parts[0], group[0].by)
	}

	var parts []types.TransactWriteItem
	for _, p := range group {
		parts = append(parts, p.Parts...)
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts}, conflictsAreOurs)
	return err
}

// pause waits a random time, longer after each conflict; false when ctx ends
// before.
func pause(ctx context.Context, conflicts int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(rand.N(4 * time.Millisecond << min(conflicts, 6))):
		return true
	}
}

// conflictsAreOurs keeps the client from trying again what met others: writeGroup waits for less time.
func conflictsAreOurs(o *dynamodb.Options) {
	o.Retryer = dynamo.Retryer(func(err error) bool { return !dynamo.Conflicted(err) && dynamo.Passing(err) })
}
