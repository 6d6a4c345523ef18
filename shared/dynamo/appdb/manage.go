package appdb

import (
	"context"
	"slices"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Applications makes one Query, and one BatchGetItem per 100 applications.
func (s *Applications) Applications(ctx context.Context) ([]app.Application, error) {
	list := dynamo.Query(s.Table, listPK, "", "", false, 0)
	keys, err := dynamo.Collect(ctx, s.Client, list, func(it dynamo.Item) (dynamo.Item, error) {
		return dynamo.Key(dynamo.TextOf(it["handle"]), applicationSK), nil
	})
	if err != nil {
		return nil, err
	}
	found, err := dynamo.BatchGetItems(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("list applications", err)
	}
	all := make([]app.Application, len(found))
	for i, it := range found {
		if all[i], err = toApplication(it); err != nil {
			return nil, err
		}
	}
	// BatchGetItem returns items in any order.
	slices.SortFunc(all, func(a, b app.Application) int { return int(a.ID - b.ID) })
	return all, nil
}

// Rename makes one write.
func (s *Applications) Rename(ctx context.Context, h app.Handle, name string) error {
	return s.change(ctx, h, noApplication(), "SET #name = :name", dynamo.Exists,
		dynamo.Item{":name": dynamo.Text(name)}, "")
}

// RenameEnvironment makes one conditional write.
func (s *Applications) RenameEnvironment(ctx context.Context, h app.Handle, env tenant.EnvID, name string) error {
	return s.change(ctx, h, errs.NotFound("environment not found"), "SET environments.#id = :name",
		"attribute_exists(environments.#id)", dynamo.Item{":name": dynamo.Text(name)}, env)
}

// RemoveEnvironment makes one conditional write.
func (s *Applications) RemoveEnvironment(ctx context.Context, h app.Handle, env tenant.EnvID) error {
	return s.change(ctx, h, errs.NotFound("environment not found"), "REMOVE environments.#id",
		"attribute_exists(environments.#id)", nil, env)
}

// RevokeAll makes one write.
func (s *Applications) RevokeAll(ctx context.Context, h app.Handle) error {
	return (&Tokens{Client: s.Client, Table: s.Table}).RevokeAll(ctx, h)
}
