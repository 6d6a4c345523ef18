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

// plannedChange is a change as parts of a transaction; the first part is the
// row's own, whose condition decides.
type plannedChange struct {
	place int // in the caller's list
	parts []types.TransactWriteItem
	by    signature
	delta counterDelta
	bytes int
	fresh bool // creates the row
}

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

// rejected notes the changes whose condition did not hold, and returns the
// others.
func rejected(t table.Table, group []plannedChange, err error, failed []error) (rest []plannedChange) {
	part := 0
	for _, p := range group {
		if conditionFailedAt(err, part) {
			failed[p.place] = p.refused(t)
		} else {
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

// plan translates one change.
func (s *Rows) plan(ctx context.Context, scope tenant.Scope, t table.Table, change table.Change) (plannedChange, error) {
	old, next := change.Old, change.New
	p := plannedChange{fresh: old == nil, delta: counterDelta{}, by: newSignature()}
	var own types.TransactWriteItem
	var err error
	switch {
	case next == nil:
		own.Delete, err = s.deletion(ctx, scope, t, *old, change.Origin)
		p.delta.count(old.ID.Number(), -1)
		p.bytes = table.Size(old.Fields)
	case old == nil:
		own.Put, err = s.creation(scope, t, *next)
		p.delta.count(next.ID.Number(), +1)
		p.bytes = table.Size(next.Fields)
	default:
		own.Update, err = s.replacement(scope, t, *old, *next)
		p.bytes = max(table.Size(old.Fields), table.Size(next.Fields))
	}
	if err != nil {
		return p, err
	}
	p.parts = append([]types.TransactWriteItem{own}, s.entryParts(scope, t, old, next)...)
	return p, nil
}

func (s *Rows) creation(scope tenant.Scope, t table.Table, row table.Row) (*types.Put, error) {
	it, err := fromRow(scope, t, row)
	return &types.Put{TableName: &s.Table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")}, err
}

// replacement changes all of a row but its signatures.
func (s *Rows) replacement(scope tenant.Scope, t table.Table, old, next table.Row) (*types.Update, error) {
	it, err := fromRow(scope, t, next)
	if err != nil {
		return nil, err
	}
	u := overwrite(s.Table, itemKey(rowPK(scope, t.ID), string(old.ID)), it, rowAttributes)
	u.ConditionExpression, u.ExpressionAttributeNames["#revision"] = aws.String(isRevision), attrRevision
	u.ExpressionAttributeValues[":revision"] = number(old.Revision)
	return u, nil
}

// overwrite gives these attributes the values they have in it, and removes those
// that it does not have.
func overwrite(tableName string, key, it item, attributes []string) *types.Update {
	names, values := map[string]string{}, item{}
	var sets, removes []string
	for _, name := range attributes {
		names["#"+name] = name
		if v, ok := it[name]; ok {
			sets = append(sets, fmt.Sprintf("#%s = :next_%s", name, name))
			values[":next_"+name] = v
		} else {
			removes = append(removes, "#"+name)
		}
	}
	expression := "SET " + strings.Join(sets, ", ")
	if len(removes) > 0 {
		expression += " REMOVE " + strings.Join(removes, ", ")
	}
	return &types.Update{
		TableName: &tableName, Key: key, UpdateExpression: &expression,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	}
}

func (s *Rows) deletion(ctx context.Context, scope tenant.Scope, t table.Table, old table.Row, origin table.Origin) (*types.Delete, error) {
	marked, err := s.markDeletion(ctx, scope, t, old, origin)
	return &types.Delete{
		TableName: &s.Table, Key: itemKey(rowPK(scope, t.ID), string(old.ID)),
		ConditionExpression: aws.String(isRevision), ExpressionAttributeNames: revisionName,
		ExpressionAttributeValues: item{":revision": number(marked)},
	}, err
}

// entryParts moves the row's index entries from where old has them to where
// next has them.
func (s *Rows) entryParts(scope tenant.Scope, t table.Table, old, next *table.Row) []types.TransactWriteItem {
	var parts []types.TransactWriteItem
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
		if before == after {
			continue
		}
		pk := indexPK(scope, t.ID, c.Index.ID)
		if before != "" {
			parts = append(parts, types.TransactWriteItem{Delete: &types.Delete{TableName: &s.Indexes, Key: itemKey(pk, before)}})
		}
		if after != "" {
			parts = append(parts, types.TransactWriteItem{Put: &types.Put{TableName: &s.Indexes, Item: itemKey(pk, after)}})
		}
	}
	return parts
}

const isRevision = "#revision = :revision"

var revisionName = map[string]string{"#revision": attrRevision}

// markDeletion leaves the origin of a deletion in the row, where the image of
// the deleted row shows it to triggers. It returns the row's revision then. A
// mark that an interrupted deletion left does not count for this one.
func (s *Rows) markDeletion(ctx context.Context, scope tenant.Scope, t table.Table, old table.Row, origin table.Origin) (int64, error) {
	if origin == (table.Origin{}) && !old.Marked {
		return old.Revision, nil
	}
	next := old.Revision + 1
	in := &dynamodb.UpdateItemInput{
		TableName: &s.Table, Key: itemKey(rowPK(scope, t.ID), string(old.ID)),
		UpdateExpression:          aws.String("SET #revision = :next, #deletion = :mark"),
		ConditionExpression:       aws.String(isRevision),
		ExpressionAttributeNames:  map[string]string{"#revision": attrRevision, "#deletion": attrDeletion},
		ExpressionAttributeValues: item{":next": number(next), ":revision": number(old.Revision), ":mark": originMark(origin)},
	}
	_, err := s.Client.UpdateItem(ctx, in)
	if conditionFailed(err) {
		return 0, errs.Conflict("another request is changing the same row, try again")
	}
	return next, wrap("mark deletion", err)
}
