package ddb

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/template"
)

// FromTemplate returns the definition of template table t under the given name.
func FromTemplate(t *template.Table, name string) Table {
	create := &dynamodb.CreateTableInput{
		TableName:   aws.String(name),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema(t.Keys),
	}
	attributes := map[string]bool{}
	define := func(keys []template.Attribute) {
		for _, k := range keys {
			// DynamoDB refuses duplicate definitions, and indexes may share key attributes with the table.
			if attributes[k.Name] {
				continue
			}
			attributes[k.Name] = true
			create.AttributeDefinitions = append(create.AttributeDefinitions, types.AttributeDefinition{
				AttributeName: aws.String(k.Name), AttributeType: types.ScalarAttributeType(k.Type),
			})
		}
	}
	define(t.Keys)
	for _, index := range t.Indexes {
		define(index.Keys)
		create.GlobalSecondaryIndexes = append(create.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(index.Name),
			KeySchema: keySchema(index.Keys),
			Projection: &types.Projection{
				ProjectionType: types.ProjectionType(index.Projection),
			},
		})
	}

	if t.Stream != "" {
		create.StreamSpecification = &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(t.Stream),
		}
	}

	return Table{Create: create, TTL: t.TTL}
}

func keySchema(keys []template.Attribute) []types.KeySchemaElement {
	var out []types.KeySchemaElement
	for _, k := range keys {
		kind := types.KeyTypeRange
		if k.Hash {
			kind = types.KeyTypeHash
		}
		out = append(out, types.KeySchemaElement{AttributeName: aws.String(k.Name), KeyType: kind})
	}
	return out
}
