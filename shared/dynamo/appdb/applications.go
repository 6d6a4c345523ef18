// Package appdb keeps applications and their tokens in DynamoDB.
package appdb

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Applications is the app.Store:
//
//	pk = <handle>       sk = application   the application with its client
//	pk = miniapp#<id>   sk = application   handle, the way from the id to it
//
// Tokens lie beside it in the same table, under the same pk.
type Applications struct {
	Client *dynamodb.Client
	Table  string
}

var _ app.Store = (*Applications)(nil)

const applicationSK = "application"

type applicationItem struct {
	PK           string            `dynamodbav:"pk"`
	SK           string            `dynamodbav:"sk"`
	ID           int64             `dynamodbav:"miniapp"`
	Name         string            `dynamodbav:"name"`
	ClientID     string            `dynamodbav:"client_id"`
	SecretDigest string            `dynamodbav:"secret_digest"`
	Generation   int               `dynamodbav:"generation"`
	SigningKey   []byte            `dynamodbav:"signing_key"`
	Owner        ownerItem         `dynamodbav:"owner"`
	Environments map[string]string `dynamodbav:"environments"`
	CreatedAt    int64             `dynamodbav:"created_at"` // Unix milliseconds
}

type ownerItem struct {
	UserID     int64  `dynamodbav:"user_id"`
	Nickname   string `dynamodbav:"nickname"`
	Email      string `dynamodbav:"email"`
	AvatarLink string `dynamodbav:"avatar_link"`
}

func miniappPK(id tenant.AppID) string { return "miniapp#" + strconv.FormatInt(int64(id), 10) }

// InsertApplication is one transaction of the two items.
func (s *Applications) InsertApplication(ctx context.Context, a app.Application) error {
	environments := make(map[string]string, len(a.Environments))
	for env, name := range a.Environments {
		environments[string(env)] = name
	}
	h := string(a.ClientID.Handle())
	av, err := attributevalue.MarshalMap(applicationItem{
		PK: h, SK: applicationSK,
		ID: int64(a.ID), Name: a.Name, ClientID: string(a.ClientID), SecretDigest: string(a.SecretDigest),
		Generation: a.Generation, SigningKey: a.SigningKey, Owner: ownerItem(a.Owner), Environments: environments, CreatedAt: a.CreatedAt.UnixMilli(),
	})
	if err != nil {
		return fmt.Errorf("insert application: %w", err)
	}
	pointer := dynamo.Key(miniappPK(a.ID), applicationSK)
	pointer["handle"] = dynamo.Text(h)
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: &s.Table, Item: av, ConditionExpression: aws.String("attribute_not_exists(pk)")}},
		{Put: &types.Put{TableName: &s.Table, Item: pointer, ConditionExpression: aws.String("attribute_not_exists(pk)")}},
	}})
	if dynamo.ConditionFailed(err) {
		return errs.Duplicate("the application's id or client is taken")
	}
	return dynamo.Wrap("insert application", err)
}

// Application is two reads: the way from the id, and the application.
func (s *Applications) Application(ctx context.Context, id tenant.AppID) (app.Application, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: dynamo.Key(miniappPK(id), applicationSK), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return app.Application{}, dynamo.Wrap("find application", err)
	}
	h, ok := out.Item["handle"].(*types.AttributeValueMemberS)
	if !ok {
		return app.Application{}, errs.NotFound("application %d not found", id)
	}
	return s.ByHandle(ctx, app.Handle(h.Value))
}

// ByHandle is one read.
func (s *Applications) ByHandle(ctx context.Context, h app.Handle) (app.Application, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: dynamo.Key(string(h), applicationSK), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return app.Application{}, dynamo.Wrap("read application", err)
	}
	return toApplication(out.Item)
}

func toApplication(av dynamo.Item) (app.Application, error) {
	if len(av) == 0 {
		return app.Application{}, errs.NotFound("application not found")
	}
	var it applicationItem
	if err := attributevalue.UnmarshalMap(av, &it); err != nil {
		return app.Application{}, fmt.Errorf("application item: %w", err)
	}
	environments := make(map[tenant.EnvID]string, len(it.Environments))
	for env, name := range it.Environments {
		environments[tenant.EnvID(env)] = name
	}
	return app.Application{
		ID: tenant.AppID(it.ID), Name: it.Name, ClientID: app.ClientID(it.ClientID), SecretDigest: app.Digest(it.SecretDigest),
		Generation: it.Generation, SigningKey: it.SigningKey, Owner: app.Owner(it.Owner), Environments: environments,
		CreatedAt: time.UnixMilli(it.CreatedAt).UTC(),
	}, nil
}

// AddEnvironment is one conditional write.
func (s *Applications) AddEnvironment(ctx context.Context, h app.Handle, id tenant.EnvID, name string) error {
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                &s.Table,
		Key:                      dynamo.Key(string(h), applicationSK),
		UpdateExpression:         aws.String("SET environments.#id = :name"),
		ConditionExpression:      aws.String("attribute_exists(pk) AND size(environments) < :max"),
		ExpressionAttributeNames: map[string]string{"#id": string(id)},
		ExpressionAttributeValues: dynamo.Item{
			":name": dynamo.Text(name), ":max": dynamo.Number(app.MaxEnvironments),
		},
	})
	if dynamo.ConditionFailed(err) {
		return errs.Invalid("an application has at most %d test environments", app.MaxEnvironments)
	}
	return dynamo.Wrap("add environment", err)
}

// ReplaceSecret is one write.
func (s *Applications) ReplaceSecret(ctx context.Context, h app.Handle, d app.Digest) error {
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.Table,
		Key:                       dynamo.Key(string(h), applicationSK),
		UpdateExpression:          aws.String("SET secret_digest = :digest ADD generation :one"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: dynamo.Item{":digest": dynamo.Text(string(d)), ":one": dynamo.Number(1)},
	})
	if dynamo.ConditionFailed(err) {
		return errs.NotFound("application not found")
	}
	return dynamo.Wrap("replace secret", err)
}
