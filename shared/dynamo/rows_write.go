package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

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
	writers             = 4 // transactions of one call at a time
)

// Write puts as many changes into one transaction as fit. When the conditions
// of some do not hold, these have failed and the others are tried again.
func (s *Rows) Write(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change) []error {
	failed := make([]error, len(changes))
	var groups [][]plannedChange
	var group transaction
	for i, change := range changes {
		planned, err := s.plan(ctx, scope, t, change)
		if err != nil {
			failed[i] = err
			continue
		}
		planned.place = i
		if !group.take(planned) {
			groups = append(groups, group.changes)
			group = transaction{}
			group.take(planned)
		}
	}
	if len(group.changes) > 0 {
		groups = append(groups, group.changes)
	}
	s.writeGroups(ctx, scope, t, groups, failed)
	return failed
}

// transaction collects changes that fit into one.
type transaction struct {
	changes      []plannedChange
	nodes        map[table.NodeID]bool // each is one more item
	items, bytes int
}

// take adds the change unless it is too much.
func (g *transaction) take(p plannedChange) bool {
	fresh := 0
	for node := range p.delta {
		if !g.nodes[node] {
			fresh++
		}
	}
	items, bytes := g.items+len(p.parts)+fresh, g.bytes+p.bytes
	if len(g.changes) > 0 && (items > maxTransaction || bytes > maxTransactionBytes || len(g.changes) == maxTransactionRows) {
		return false
	}
	if g.nodes == nil {
		g.nodes = map[table.NodeID]bool{}
	}
	for node := range p.delta {
		g.nodes[node] = true
	}
	g.changes, g.items, g.bytes = append(g.changes, p), items, bytes
	return true
}

// writeGroups writes several groups at a time.
func (s *Rows) writeGroups(ctx context.Context, scope tenant.Scope, t table.Table, groups [][]plannedChange, failed []error) {
	if len(groups) == 1 {
		s.writeGroup(ctx, scope, t, groups[0], failed)
		return
	}
	work := make(chan []plannedChange)
	var wg sync.WaitGroup
	for range min(writers, len(groups)) {
		wg.Go(func() {
			for group := range work {
				s.writeGroup(ctx, scope, t, group, failed)
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
func (s *Rows) writeGroup(ctx context.Context, scope tenant.Scope, t table.Table, group []plannedChange, failed []error) {
	for conflicts := 0; len(group) > 0; {
		err := s.transact(ctx, scope, t, group, s.crowd.copyNow())
		if err == nil {
			return
		}
		if conflicted(err) && conflicts < maxConflicts {
			conflicts++
			s.crowd.met()
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
func rejected(t table.Table, group []plannedChange, err error, failed []error) (rest []plannedChange) {
	part := 0
	for _, p := range group {
		switch {
		case p.marks && conditionFailedAt(err, part+len(p.parts)-1):
			failed[p.place] = table.ErrDone
		case conditionFailedAt(err, part):
			failed[p.place] = p.refused(t)
		case tooLargeAt(err, part):
			failed[p.place] = fmt.Errorf("write rows: %w: %w", table.ErrTooLarge, err)
		default:
			rest = append(rest, p)
		}
		part += len(p.parts)
	}
	return rest
}

// refused is what a failed condition of the row means.
func (p plannedChange) refused(t table.Table) error {
	if p.fresh {
		return errs.Duplicate("a row of this id exists in table %q", t.Name)
	}
	return errs.Conflict("another request is changing the same row, try again")
}

// tooLargeAt reports whether part i of a transaction is one by which an item would
// be over 400 KB.
func tooLargeAt(err error, i int) bool {
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || i >= len(cancelled.CancellationReasons) {
		return false
	}
	reason := cancelled.CancellationReasons[i]
	return aws.ToString(reason.Code) == reasonInvalid && strings.Contains(strings.ToLower(aws.ToString(reason.Message)), "size")
}

// writeError is wrap, with what DynamoDB has to say about a row's size.
func writeError(err error) error {
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "ValidationException" && strings.Contains(strings.ToLower(api.ErrorMessage()), "size") {
		return fmt.Errorf("write rows: %w: %w", table.ErrTooLarge, err)
	}
	return wrap("write rows", err)
}

func (s *Rows) transact(ctx context.Context, scope tenant.Scope, t table.Table, group []plannedChange, copyOf int) error {
	var parts []types.TransactWriteItem
	delta := counterDelta{}
	for _, p := range group {
		parts = append(parts, p.parts...)
		delta.add(p.delta)
	}
	parts = append(parts, s.counterParts(scope, t.ID, delta, copyOf)...)
	if change := parts[0].Update; len(parts) == 1 && change != nil { // half the price of a transaction
		return s.updateSigned(ctx, *change, group[0].by)
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts}, conflictsAreOurs)
	return err
}

// updateSigned is one update as a single write. It fails as a transaction of it
// would.
func (s *Rows) updateSigned(ctx context.Context, u types.Update, by signature) error {
	u = by.signed(u)
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression, ConditionExpression: u.ConditionExpression,
		ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		if by.in(failed.Item) { // an earlier attempt, of which we heard nothing
			return nil
		}
		return &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String(reasonCondition)}}}
	}
	return err
}
