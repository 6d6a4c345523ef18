package rowdb

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Tables is the table.TableStore:
//
//	pk = <scope>          sk = <table id>   the schema
//	pk = <scope>#name     sk = <name>       guard, the way from the name to the id
//
// The built-in tables are stored once an application has changed them; their
// ids come before all others.
type Tables struct {
	Client *dynamodb.Client
	Name   string // of the DynamoDB table
}

var _ table.TableStore = (*Tables)(nil)

const attrSchema = "table_schema"

func tableKey(scope tenant.Scope, tableID table.ID) dynamo.Item {
	return dynamo.Key(scope.String(), id.ID(tableID).Key())
}

func tableNameKey(scope tenant.Scope, name string) dynamo.Item {
	return dynamo.Key(scope.String()+"#name", name)
}

// fromTable keeps the schema as one JSON text: it is read and written whole.
func fromTable(scope tenant.Scope, t table.Table) (dynamo.Item, error) {
	schema, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", t.Name, err)
	}
	it := tableKey(scope, t.ID)
	it[attrSchema] = dynamo.Text(string(schema))
	it[attrRevision] = dynamo.Number(t.Revision)
	return it, nil
}

func toTable(it dynamo.Item) (table.Table, error) {
	var t table.Table
	if err := json.Unmarshal([]byte(dynamo.TextOf(it[attrSchema])), &t); err != nil {
		return t, fmt.Errorf("table item: %w", err)
	}
	return t, t.Restore()
}

func guard(scope tenant.Scope, t table.Table) dynamo.Item {
	it := tableNameKey(scope, t.Name)
	it["table_id"] = dynamo.Number(int64(t.ID))
	return it
}

// InsertTable is one transaction of the table and its name's guard.
func (s *Tables) InsertTable(ctx context.Context, scope tenant.Scope, t table.Table) error {
	it, err := fromTable(scope, t)
	if err != nil {
		return err
	}
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: &s.Name, Item: it, ConditionExpression: aws.String(dynamo.NotExists)}},
		{Put: &types.Put{TableName: &s.Name, Item: guard(scope, t), ConditionExpression: aws.String(dynamo.NotExists)}},
	}})
	switch {
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("a table named %q exists", t.Name)
	case dynamo.ConditionFailed(err):
		return errs.Duplicate("table %d exists", t.ID)
	}
	return dynamo.Wrap("insert table", err)
}

// Table is one read.
func (s *Tables) Table(ctx context.Context, scope tenant.Scope, tableID table.ID) (table.Table, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.Name, Key: tableKey(scope, tableID), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return table.Table{}, dynamo.Wrap("read table", err)
	}
	if len(out.Item) == 0 {
		return table.Table{}, errs.NotFound("table %d not found", tableID)
	}
	return toTable(out.Item)
}

// TableByName is two reads.
func (s *Tables) TableByName(ctx context.Context, scope tenant.Scope, name string) (table.Table, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.Name, Key: tableNameKey(scope, name), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return table.Table{}, dynamo.Wrap("find table", err)
	}
	if len(out.Item) == 0 {
		return table.Table{}, errs.NotFound("table %q not found", name)
	}
	return s.Table(ctx, scope, table.ID(dynamo.IntegerOf(out.Item["table_id"])))
}

// Tables is one query per megabyte of schemas.
func (s *Tables) Tables(ctx context.Context, scope tenant.Scope) ([]table.Table, error) {
	var found []table.Table
	in := dynamo.Query(s.Name, scope.String(), "", "", true, 0)
	for pages := dynamodb.NewQueryPaginator(s.Client, in); pages.HasMorePages(); {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return nil, dynamo.Wrap("list tables", err)
		}
		for _, it := range out.Items {
			t, err := toTable(it)
			if err != nil {
				return nil, err
			}
			found = append(found, t)
		}
	}
	return found, nil
}

// ReplaceTable is one transaction; a new name needs its guard and frees the old
// one's. A built-in table may not be stored yet: its revision is then 0.
func (s *Tables) ReplaceTable(ctx context.Context, scope tenant.Scope, old, next table.Table) error {
	it, err := fromTable(scope, next)
	if err != nil {
		return err
	}
	put := &types.Put{
		TableName: &s.Name, Item: it, ConditionExpression: aws.String(IsRevision), ExpressionAttributeNames: revisionName,
		ExpressionAttributeValues: dynamo.Item{":revision": dynamo.Number(old.Revision)},
	}
	if old.Revision == 0 {
		put.ConditionExpression, put.ExpressionAttributeNames, put.ExpressionAttributeValues = aws.String(dynamo.NotExists), nil, nil
	}
	parts := []types.TransactWriteItem{{Put: put}}
	if old.Name != next.Name {
		parts = append(parts,
			types.TransactWriteItem{Put: &types.Put{TableName: &s.Name, Item: guard(scope, next), ConditionExpression: aws.String(dynamo.NotExists)}},
			types.TransactWriteItem{Delete: &types.Delete{TableName: &s.Name, Key: tableNameKey(scope, old.Name)}})
	}
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	switch {
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Conflict("another request is changing table %q, try again", old.Name)
	case dynamo.ConditionFailed(err):
		return errs.Duplicate("a table named %q exists", next.Name)
	}
	return dynamo.Wrap("replace table", err)
}

// DeleteTable is one transaction of the table and its name's guard.
func (s *Tables) DeleteTable(ctx context.Context, scope tenant.Scope, t table.Table) error {
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{
			TableName: &s.Name, Key: tableKey(scope, t.ID), ConditionExpression: aws.String(IsRevision),
			ExpressionAttributeNames: revisionName, ExpressionAttributeValues: dynamo.Item{":revision": dynamo.Number(t.Revision)},
		}},
		{Delete: &types.Delete{TableName: &s.Name, Key: tableNameKey(scope, t.Name)}},
	}})
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("another request is changing table %s, try again", strconv.Quote(t.Name))
	}
	return dynamo.Wrap("delete table", err)
}
