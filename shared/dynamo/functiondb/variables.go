package functiondb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Functions is the cloudfunction.VariableStore, too:
//
//	pk = <scope>#variables   sk = <id>   all variables of a function; at most 50 × 4 KB, so they fit one item
var _ cloudfunction.VariableStore = (*Functions)(nil)

type variablesItem struct {
	PK      string            `dynamodbav:"pk"`
	SK      string            `dynamodbav:"sk"`
	Version int64             `dynamodbav:"version"`
	DataKey []byte            `dynamodbav:"data_key,omitempty"`
	Plain   map[string]string `dynamodbav:"plain,omitempty"`
	Secret  map[string][]byte `dynamodbav:"secret,omitempty"`
}

func variablesKey(scope tenant.Scope, fn id.ID) (pk, sk string) {
	return scope.String() + "#variables", fn.Key()
}

// Variables is one GetItem.
func (s *Functions) Variables(ctx context.Context, scope tenant.Scope, fn id.ID) (cloudfunction.VariableSet, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: dynamo.Key(variablesKey(scope, fn)), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return cloudfunction.VariableSet{}, dynamo.Wrap("read variables", err)
	}
	if len(out.Item) == 0 {
		return cloudfunction.VariableSet{}, errs.NotFound("the function has no variables")
	}
	var it variablesItem
	if err := attributevalue.UnmarshalMap(out.Item, &it); err != nil {
		return cloudfunction.VariableSet{}, fmt.Errorf("decode variables: %w", err)
	}
	return cloudfunction.VariableSet{Version: it.Version, DataKey: it.DataKey, Plain: it.Plain, Secret: it.Secret}, nil
}

// UpdateVariables is one transaction: both records of the function, and the set.
func (s *Functions) UpdateVariables(ctx context.Context, scope tenant.Scope, old, next cloudfunction.Function, set cloudfunction.VariableSet) error {
	writes, err := s.updates(scope, old, next)
	if err != nil {
		return err
	}
	pk, sk := variablesKey(scope, old.ID)
	if next.VariablesVersion == 0 {
		writes = append(writes, s.remove(pk, sk))
	} else {
		av, err := attributevalue.MarshalMap(variablesItem{PK: pk, SK: sk, Version: set.Version, DataKey: set.DataKey, Plain: set.Plain, Secret: set.Secret})
		if err != nil {
			return fmt.Errorf("encode variables: %w", err)
		}
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: av}})
	}
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("function %q is being changed by another request", old.Name)
	}
	return dynamo.Wrap("update variables", err)
}
