// Package appdb stores applications and their tokens in DynamoDB.
package appdb

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Applications implements app.Store:
//
//	pk = <handle>       sk = application   the application with its client
//	pk = miniapp#<id>   sk = application   the handle of this id
//	pk = applications   sk = <id>          handle: the list of all applications
//
// Tokens are stored in the same table, under the same pk.
type Applications struct {
	Client *dynamo.Client
	Table  string
}

const applicationSK = "application"

type applicationItem struct {
	ID           tenant.AppID            `dynamodbav:"miniapp"`
	Name         string                  `dynamodbav:"name"`
	ClientID     app.ClientID            `dynamodbav:"client_id"`
	SecretDigest app.Digest              `dynamodbav:"secret_digest"`
	Generation   int                     `dynamodbav:"generation"`
	SigningKey   app.SigningKey          `dynamodbav:"signing_key"`
	PreviousKey  app.SigningKey          `dynamodbav:"previous_key,omitempty"`
	Previous     int64                   `dynamodbav:"previous_until,omitempty"` // Unix milliseconds
	Owner        ownerItem               `dynamodbav:"owner"`
	Environments map[tenant.EnvID]string `dynamodbav:"environments"`
	CreatedAt    int64                   `dynamodbav:"created_at"` // Unix milliseconds
	settingsItem
}

type ownerItem struct {
	UserID     int64  `dynamodbav:"user_id"`
	Nickname   string `dynamodbav:"nickname"`
	Email      string `dynamodbav:"email"`
	AvatarLink string `dynamodbav:"avatar_link"`
}

func miniappPK(a tenant.AppID) string { return "miniapp#" + strconv.FormatInt(int64(a), 10) }

// listPK is the partition of the list of all applications. One partition suffices: the platform has hundreds of
// applications, and only administrators read the list.
const listPK = "applications"

func (s *Applications) listed(a app.Application) dynamo.Item {
	it := dynamo.Key(listPK, id.ID(a.ID).Key())
	it["handle"] = dynamo.Text(string(a.ClientID.Handle()))
	return it
}

// InsertApplication writes the three items in one transaction.
func (s *Applications) InsertApplication(ctx context.Context, a app.Application) error {
	if a.Environments == nil {
		a.Environments = map[tenant.EnvID]string{} // AddEnvironment adds to an existing map
	}

	handle := string(a.ClientID.Handle())
	it := dynamo.Encode(handle, applicationSK, applicationItem{
		ID: a.ID, Name: a.Name, ClientID: a.ClientID, SecretDigest: a.SecretDigest,
		Generation: a.Generation, SigningKey: a.SigningKey,
		Owner: ownerItem(a.Owner), Environments: a.Environments, CreatedAt: a.CreatedAt.UnixMilli(),
		settingsItem: fromSettings(a.Settings),
	})
	pointer := dynamo.Key(miniappPK(a.ID), applicationSK)
	pointer["handle"] = dynamo.Text(handle)

	return dynamo.Do(ctx, s.Client, "insert application", errs.Duplicate("the application's id or client is taken"),
		dynamo.Put(s.Table, it, dynamo.NotExists, nil), dynamo.Put(s.Table, pointer, dynamo.NotExists, nil),
		dynamo.Put(s.Table, s.listed(a), "", nil))
}

// Application makes two reads: the handle of the id, then the application.
func (s *Applications) Application(ctx context.Context, appID tenant.AppID) (app.Application, error) {
	pointer, err := dynamo.Find(ctx, s.Client, s.Table, miniappPK(appID), applicationSK,
		errs.NotFound("application %d not found", appID))
	if err != nil {
		return app.Application{}, err
	}
	return s.ByHandle(ctx, app.Handle(dynamo.TextOf(pointer["handle"])))
}

// ByHandle makes one read.
func (s *Applications) ByHandle(ctx context.Context, h app.Handle) (app.Application, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, string(h), applicationSK)
	if err != nil {
		return app.Application{}, err
	}
	return toApplication(it)
}

func toApplication(av dynamo.Item) (app.Application, error) {
	if len(av) == 0 {
		return app.Application{}, noApplication()
	}

	it, err := dynamo.Decode[applicationItem](av)
	return app.Application{
		ID: it.ID, Name: it.Name, ClientID: it.ClientID, SecretDigest: it.SecretDigest,
		Generation: it.Generation, SigningKey: it.SigningKey,
		PreviousKey: it.PreviousKey, PreviousUntil: dynamo.FromMillis(it.Previous),
		Owner: app.Owner(it.Owner), Environments: it.Environments, CreatedAt: time.UnixMilli(it.CreatedAt).UTC(),
		Settings: it.settings(),
	}, err
}

// AddEnvironment makes one conditional write.
func (s *Applications) AddEnvironment(ctx context.Context, h app.Handle, env tenant.EnvID, name string) error {
	return s.change(ctx, h, errs.Invalid("an application has at most %d test environments", app.MaxEnvironments),
		"SET environments.#id = :name",
		dynamo.Exists+" AND (attribute_exists(environments.#id) OR size(environments) < :max)",
		dynamo.Item{":name": dynamo.Text(name), ":max": dynamo.Number(app.MaxEnvironments)}, env)
}

// ReplaceSecret makes one write.
func (s *Applications) ReplaceSecret(ctx context.Context, h app.Handle, d app.Digest) error {
	return s.change(ctx, h, noApplication(), "SET secret_digest = :digest ADD generation :one", dynamo.Exists,
		dynamo.Item{":digest": dynamo.Text(string(d)), ":one": dynamo.Number(1)}, "")
}

// ReplaceKey makes one conditional write.
func (s *Applications) ReplaceKey(ctx context.Context, h app.Handle, old, next app.SigningKey, until time.Time) error {
	return s.change(ctx, h, errs.Conflict("another request rotates the key at the same time"),
		"SET signing_key = :next, previous_key = :old, previous_until = :until", "signing_key = :old",
		dynamo.Item{":next": dynamo.Binary(next), ":old": dynamo.Binary(old), ":until": dynamo.Number(until.UnixMilli())}, "")
}

func noApplication() error { return errs.NotFound("application not found") }

// change makes one update of an application, in a transaction. If env is set, #id in the expression stands for its
// name. refused is the error returned if the condition fails.
func (s *Applications) change(
	ctx context.Context, h app.Handle, refused error, expression, condition string, values dynamo.Item,
	env tenant.EnvID,
) error {
	update := dynamo.Update(s.Table, string(h), applicationSK, expression, condition, values)
	if env != "" {
		update.Update.ExpressionAttributeNames = map[string]string{"#id": string(env)}
	}
	return dynamo.DoTransact(ctx, s.Client, "change application", refused, update)
}
