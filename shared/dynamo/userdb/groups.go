package userdb

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/bulk"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Groups is the user.GroupStore:
//
//	pk = <scope>#group   sk = 0            groups: how many there are
//	                     sk = <id>         group_name, made_by, w0 … w7: write tokens
//	                     sk = <id>#<copy>  members: joined minus left, counted by this copy
//
// Who joins or leaves counts on one of the copies, drawn at random, in the
// transaction that changes the profiles: their sum is exact and none is hot. The
// copies exist as long as the group does, so nobody joins one that is gone.
type Groups struct {
	Client *dynamodb.Client
	Table  string
	Rows   *rowdb.Rows
}

var _ user.GroupStore = (*Groups)(nil)

// groupCopies is how many counters a group has.
const groupCopies = 4

func groupPK(scope tenant.Scope) string { return scope.String() + "#group" }

func groupSK(g user.GroupID) string { return id.ID(g).Key() }

func copySK(g user.GroupID, n int) string { return groupSK(g) + "#" + strconv.Itoa(n) }

// groupNumberSK comes before every id.
const groupNumberSK = "0"

// InsertGroup is one transaction of the group, its counters and their number.
func (s *Groups) InsertGroup(ctx context.Context, scope tenant.Scope, g user.Group, token string) error {
	pk := groupPK(scope)
	it := dynamo.Key(pk, groupSK(g.ID))
	it["group_name"], it["made_by"] = dynamo.Text(g.Name), dynamo.Text(token)
	parts := []types.TransactWriteItem{
		{Update: &types.Update{
			TableName: &s.Table, Key: dynamo.Key(pk, groupNumberSK), UpdateExpression: aws.String("ADD groups :one"),
			ConditionExpression:       aws.String("attribute_not_exists(pk) OR groups < :max"),
			ExpressionAttributeValues: dynamo.Item{":one": dynamo.Number(1), ":max": dynamo.Number(user.MaxGroups)},
		}},
		{Put: &types.Put{
			TableName: &s.Table, Item: it, ConditionExpression: aws.String(dynamo.NotExists),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
	}
	for n := range groupCopies {
		counter := dynamo.Key(pk, copySK(g.ID, n))
		counter["members"] = dynamo.Number(0)
		parts = append(parts, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: counter}})
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	switch {
	case token != "" && dynamo.TextOf(dynamo.ItemAt(err, 1)["made_by"]) == token: // an earlier try of the request
		return nil
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Invalid("there are at most %d user groups", user.MaxGroups)
	case dynamo.ConditionFailed(err):
		return errs.Conflict("another request is doing the same, try again")
	}
	return dynamo.Wrap("insert group", err)
}

// Group is one query for the group and its counters.
func (s *Groups) Group(ctx context.Context, scope tenant.Scope, g user.GroupID) (user.Group, error) {
	groups, err := s.query(ctx, scope, groupSK(g), copySK(g, groupCopies))
	if err != nil {
		return user.Group{}, err
	}
	if len(groups) == 0 {
		return user.Group{}, user.NoGroup(g)
	}
	return groups[0], nil
}

// ListGroups is one query per megabyte, which is all there can be.
func (s *Groups) ListGroups(ctx context.Context, scope tenant.Scope) ([]user.Group, error) {
	groups, err := s.query(ctx, scope, groupNumberSK+"0", "9")
	slices.Reverse(groups)
	return groups, err
}

// query returns the groups with sort keys between from and to, oldest first.
func (s *Groups) query(ctx context.Context, scope tenant.Scope, from, to string) ([]user.Group, error) {
	pages := dynamodb.NewQueryPaginator(s.Client, &dynamodb.QueryInput{
		TableName: &s.Table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :from AND :to"),
		ExpressionAttributeValues: dynamo.Item{":pk": dynamo.Text(groupPK(scope)), ":from": dynamo.Text(from), ":to": dynamo.Text(to)},
	})
	var groups []user.Group
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return nil, dynamo.Wrap("read groups", err)
		}
		for _, it := range out.Items {
			head, _, isCounter := strings.Cut(dynamo.TextOf(it["sk"]), "#")
			n, err := strconv.ParseInt(head, 10, 64)
			if err != nil {
				continue
			}
			if isCounter { // the group itself comes right before its counters
				groups[len(groups)-1].Members += int(dynamo.IntegerOf(it["members"]))
				continue
			}
			groups = append(groups, user.Group{ID: user.GroupID(n), Name: dynamo.TextOf(it["group_name"])})
		}
	}
	return groups, nil
}

// RenameGroup is one conditional write.
func (s *Groups) RenameGroup(ctx context.Context, scope tenant.Scope, g user.GroupID, name, token string) error {
	writer := dynamo.NewWriteID()
	if token != "" {
		writer = dynamo.WriteID(token)
	}
	values := writer.Values()
	values[":name"] = dynamo.Text(name)
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.Table, Key: dynamo.Key(groupPK(scope), groupSK(g)),
		UpdateExpression:          aws.String("SET group_name = :name, " + strings.Join(writer.Sets(), ", ")),
		ConditionExpression:       aws.String(dynamo.Exists + " AND " + writer.Absent()),
		ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		if writer.In(failed.Item) { // an earlier attempt, or an earlier try of the request
			return nil
		}
		return user.NoGroup(g)
	}
	return dynamo.Wrap("rename group", err)
}

// DeleteGroup is one transaction of the group, its counters and the operation.
func (s *Groups) DeleteGroup(ctx context.Context, scope tenant.Scope, g user.GroupID, cleanup bulk.Operation) error {
	pk := groupPK(scope)
	insert, err := insertOperation(s.Rows.Indexes, scope, cleanup)
	if err != nil {
		return err
	}
	parts := []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: &s.Table, Key: dynamo.Key(pk, groupSK(g)), ConditionExpression: aws.String(dynamo.Exists)}},
		{Update: &types.Update{
			TableName: &s.Table, Key: dynamo.Key(pk, groupNumberSK), UpdateExpression: aws.String("ADD groups :less"),
			ExpressionAttributeValues: dynamo.Item{":less": dynamo.Number(-1)},
		}},
		insert,
	}
	for n := range groupCopies {
		parts = append(parts, types.TransactWriteItem{Delete: &types.Delete{TableName: &s.Table, Key: dynamo.Key(pk, copySK(g, n))}})
	}
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	if dynamo.ConditionFailedAt(err, 0) {
		return user.NoGroup(g)
	}
	return dynamo.Wrap("delete group", err)
}

// Move is one transaction of the profiles and a counter per group.
func (s *Groups) Move(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, joins, leaves []user.GroupID) error {
	var parts []types.TransactWriteItem
	for _, change := range changes {
		planned, err := s.Rows.Plan(ctx, scope, t, change)
		if err != nil {
			return err
		}
		parts = append(parts, planned.Parts...)
	}
	first := len(parts)
	for _, g := range joins {
		parts = append(parts, s.count(scope, g, len(changes)))
	}
	for _, g := range leaves {
		parts = append(parts, s.count(scope, g, -len(changes)))
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	for i := range first {
		if dynamo.ConditionFailedAt(err, i) {
			return errs.Conflict("another request is changing the same user, try again")
		}
	}
	for i, g := range append(slices.Clone(joins), leaves...) {
		if dynamo.ConditionFailedAt(err, first+i) {
			return user.NoGroup(g)
		}
	}
	return dynamo.Wrap("change membership", err)
}

func (s *Groups) count(scope tenant.Scope, g user.GroupID, by int) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.Table, Key: dynamo.Key(groupPK(scope), copySK(g, rand.IntN(groupCopies))),
		UpdateExpression: aws.String("ADD members :by"), ConditionExpression: aws.String(dynamo.Exists),
		ExpressionAttributeValues: dynamo.Item{":by": dynamo.Number(int64(by))},
	}}
}
