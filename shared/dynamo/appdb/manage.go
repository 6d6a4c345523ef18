package appdb

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Applications is one query, and one batch read for each hundred.
func (s *Applications) Applications(ctx context.Context) ([]app.Application, error) {
	var keys []dynamo.Item
	for it, err := range dynamo.Items(ctx, s.Client, dynamo.Query(s.Table, listPK, "", "", false, 0)) {
		if err != nil {
			return nil, err
		}
		keys = append(keys, dynamo.Key(dynamo.TextOf(it["handle"]), applicationSK))
	}

	var all []app.Application
	for some := range slices.Chunk(keys, dynamo.MaxBatchGet) {
		found, err := dynamo.BatchGetItems(ctx, s.Client, s.Table, some...)
		if err != nil {
			return nil, dynamo.Wrap("list applications", err)
		}
		for _, it := range found {
			a, err := toApplication(it)
			if err != nil {
				return nil, err
			}
			all = append(all, a)
		}
	}

	slices.SortFunc(all, func(a, b app.Application) int { return int(a.ID - b.ID) })
	return all, nil
}

// List is one write.
func (s *Applications) List(ctx context.Context, a app.Application) error {
	_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: s.listed(a)})
	return dynamo.Wrap("list application", err)
}

// Rename is one write.
func (s *Applications) Rename(ctx context.Context, h app.Handle, name string) error {
	rename := dynamo.Update(s.Table, string(h), applicationSK, "SET #name = :name", dynamo.Exists,
		dynamo.Item{":name": dynamo.Text(name)})
	return s.change(ctx, rename, map[string]string{"#name": "name"}, "application not found")
}

// RenameEnvironment is one conditional write.
func (s *Applications) RenameEnvironment(ctx context.Context, h app.Handle, env tenant.EnvID, name string) error {
	rename := dynamo.Update(s.Table, string(h), applicationSK, "SET environments.#id = :name",
		"attribute_exists(environments.#id)", dynamo.Item{":name": dynamo.Text(name)})
	return s.change(ctx, rename, map[string]string{"#id": string(env)}, "environment not found")
}

// RemoveEnvironment is one conditional write.
func (s *Applications) RemoveEnvironment(ctx context.Context, h app.Handle, env tenant.EnvID) error {
	remove := dynamo.Update(s.Table, string(h), applicationSK, "REMOVE environments.#id",
		"attribute_exists(environments.#id)", nil)
	return s.change(ctx, remove, map[string]string{"#id": string(env)}, "environment not found")
}

// RevokeAll is one write.
func (s *Applications) RevokeAll(ctx context.Context, h app.Handle) error {
	return (&Tokens{Client: s.Client, Table: s.Table}).RevokeAll(ctx, h)
}

// change makes one update whose condition says that there is something to change.
func (s *Applications) change(
	ctx context.Context, update types.TransactWriteItem, names map[string]string, missing string,
) error {
	update.Update.ExpressionAttributeNames = names
	_, err := dynamo.UpdateItem(ctx, s.Client, update)
	if dynamo.ConditionFailed(err) {
		return errs.NotFound("%s", missing)
	}
	return dynamo.Wrap("change application", err)
}
