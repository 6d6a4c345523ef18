package rowdb

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/writetoken"
)

// PlannedChange is a change as parts of a transaction; the first part is the
// row's own, whose condition decides. One of a single part needs no transaction.
type PlannedChange struct {
	place int // in the caller's list
	Parts []types.TransactWriteItem
	by    dynamo.WriteID
	bytes int
	fresh bool // creates the row
	marks bool // the last part is the mark of a request with a key
}

// Plan translates one change.
func (s *Rows) Plan(ctx context.Context, scope tenant.Scope, t table.Table, change table.Change) (PlannedChange, error) {
	old, next := change.Old, change.New
	p := PlannedChange{fresh: old == nil, by: dynamo.NewWriteID()}
	var own types.TransactWriteItem
	var err error
	switch {
	case next == nil:
		own.Delete, err = s.deletion(ctx, scope, t, *old, change.Origin)
		p.bytes = table.Size(old.Fields)
	case old == nil:
		own.Put, err = s.creation(scope, t, *next)
		p.bytes = table.Size(next.Fields)
	default:
		own.Update, err = s.replacement(scope, t, *old, *next)
		p.bytes = max(table.Size(old.Fields), table.Size(next.Fields))
	}
	if err != nil {
		return p, err
	}
	p.Parts = append([]types.TransactWriteItem{own}, s.entryParts(scope, t, old, next)...)
	if p.marks = change.Mark != ""; p.marks {
		p.Parts = append(p.Parts, s.mark(scope, t.ID, change.Mark))
	}
	return p, nil
}

// mark is a write token beside a row that bears as many as it can.
func (s *Rows) mark(scope tenant.Scope, id table.ID, token string) types.TransactWriteItem {
	it := dynamo.Key(rowPK(scope, id)+"#token#"+token, "token")
	it["expires_at"] = dynamo.Instant(writetoken.Expires(token))
	return types.TransactWriteItem{Put: &types.Put{TableName: &s.Indexes, Item: it, ConditionExpression: aws.String(dynamo.NotExists)}}
}

func (s *Rows) creation(scope tenant.Scope, t table.Table, row table.Row) (*types.Put, error) {
	it, err := fromRow(scope, t, row)
	return &types.Put{TableName: &s.Table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")}, err
}

// replacement changes all of a row but its WriteIDs.
func (s *Rows) replacement(scope tenant.Scope, t table.Table, old, next table.Row) (*types.Update, error) {
	it, err := fromRow(scope, t, next)
	if err != nil {
		return nil, err
	}
	u := Overwrite(s.Table, dynamo.Key(rowPK(scope, t.ID), string(old.ID)), it, rowAttributes)
	u.ConditionExpression, u.ExpressionAttributeNames["#revision"] = aws.String(IsRevision), attrRevision
	u.ExpressionAttributeValues[":revision"] = dynamo.Number(old.Revision)
	u.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	return u, nil
}

// overwrite gives these attributes the values they have in it, and removes those
// that it does not have.
func Overwrite(tableName string, key, it dynamo.Item, attributes []string) *types.Update {
	names, values := map[string]string{}, dynamo.Item{}
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
		TableName: &s.Table, Key: dynamo.Key(rowPK(scope, t.ID), string(old.ID)),
		ConditionExpression: aws.String(IsRevision), ExpressionAttributeNames: revisionName,
		ExpressionAttributeValues:           dynamo.Item{":revision": dynamo.Number(marked)},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
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
			parts = append(parts, types.TransactWriteItem{Delete: &types.Delete{TableName: &s.Indexes, Key: dynamo.Key(pk, before)}})
		}
		if after != "" {
			parts = append(parts, types.TransactWriteItem{Put: &types.Put{TableName: &s.Indexes, Item: dynamo.Key(pk, after)}})
		}
	}
	return parts
}

const IsRevision = "#revision = :revision"

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
		TableName: &s.Table, Key: dynamo.Key(rowPK(scope, t.ID), string(old.ID)),
		UpdateExpression:          aws.String("SET #revision = :next, #deletion = :mark"),
		ConditionExpression:       aws.String(IsRevision),
		ExpressionAttributeNames:  map[string]string{"#revision": attrRevision, "#deletion": attrDeletion},
		ExpressionAttributeValues: dynamo.Item{":next": dynamo.Number(next), ":revision": dynamo.Number(old.Revision), ":mark": originMark(origin)},
	}
	_, err := s.Client.UpdateItem(ctx, in)
	if dynamo.ConditionFailed(err) {
		return 0, errs.Conflict("another request is changing the same row, try again")
	}
	return next, dynamo.Wrap("mark deletion", err)
}
