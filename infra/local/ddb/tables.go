package ddb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"minicloud/infra/local/template"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Table is the definition of a table.
type Table struct {
	Create *dynamodb.CreateTableInput
	TTL    string // attribute with the expiry in Unix seconds; "" for none
}

// PlainTable returns the definition that most tables have: string keys pk and sk, TTL attribute expires_at, on-demand
// billing.
func PlainTable(name string) Table {
	keys := []template.Attribute{{Name: "pk", Type: "S", Hash: true}, {Name: "sk", Type: "S"}}
	return FromTemplate(&template.Table{Keys: keys, TTL: "expires_at"}, name)
}

// CreateTables creates missing tables, and adds missing indexes, streams and TTL to existing ones. It returns an error
// that names a table whose keys differ. It never deletes anything.
func (s *Server) CreateTables(ctx context.Context, tables []Table) error {
	client := s.Client()
	for _, t := range tables {
		if err := ensure(ctx, client, t); err != nil {
			return fmt.Errorf("table %s: %w", aws.ToString(t.Create.TableName), err)
		}
	}
	return nil
}

func ensure(ctx context.Context, client *dynamodb.Client, t Table) error {
	out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: t.Create.TableName})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		_, err = client.CreateTable(ctx, t.Create)
	} else if err == nil {
		err = update(ctx, client, t, out.Table)
	}
	if err != nil {
		return err
	}
	return ensureTTL(ctx, client, t)
}

func update(ctx context.Context, client *dynamodb.Client, t Table, have *types.TableDescription) error {
	if got, want := keyText(have.KeySchema), keyText(t.Create.KeySchema); got != want {
		return fmt.Errorf(
			"its keys are %s in the data directory and %s in the template: use another DATA_DIR or delete it", got, want,
		)
	}

	for _, index := range t.Create.GlobalSecondaryIndexes {
		if slices.ContainsFunc(have.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool {
			return aws.ToString(g.IndexName) == aws.ToString(index.IndexName)
		}) {
			continue
		}

		// DynamoDB creates one index per UpdateTable, so each index needs a call.
		_, err := client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
			TableName:            t.Create.TableName,
			AttributeDefinitions: t.Create.AttributeDefinitions,
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
				IndexName: index.IndexName, KeySchema: index.KeySchema, Projection: index.Projection,
			}}},
		})
		if err != nil {
			return fmt.Errorf("add index %s: %w", aws.ToString(index.IndexName), err)
		}
	}

	want := t.Create.StreamSpecification
	if want == nil || (have.StreamSpecification != nil && aws.ToBool(have.StreamSpecification.StreamEnabled)) {
		return nil
	}

	_, err := client.UpdateTable(
		ctx, &dynamodb.UpdateTableInput{TableName: t.Create.TableName, StreamSpecification: want},
	)
	if err != nil {
		return fmt.Errorf("enable its stream: %w", err)
	}

	return nil
}

func keyText(schema []types.KeySchemaElement) string {
	text := ""
	for _, k := range schema {
		text += "(" + aws.ToString(k.AttributeName) + " " + string(k.KeyType) + ")"
	}
	return text
}

func ensureTTL(ctx context.Context, client *dynamodb.Client, t Table) error {
	if t.TTL == "" {
		return nil
	}
	have, err := client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: t.Create.TableName})
	if err == nil && have.TimeToLiveDescription != nil &&
		have.TimeToLiveDescription.TimeToLiveStatus == types.TimeToLiveStatusEnabled {
		return nil
	}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               t.Create.TableName,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(t.TTL), Enabled: aws.Bool(true)},
	})
	return err
}
