package settingdb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Tokens implements templatemessage.TokenStore:
//
//	pk = <scope>#setting   sk = token#<vendor>   the sealed access token, and the lease of its refresh
type Tokens struct {
	Client *dynamo.Client
	Table  string
}

type tokenItem struct {
	Identity  string `dynamodbav:"whose"`
	Key       []byte `dynamodbav:"token_key"`
	Box       []byte `dynamodbav:"token_box"`
	Version   int64  `dynamodbav:"revision"`
	RefreshAt int64  `dynamodbav:"refresh_at"`   // Unix milliseconds
	Expires   int64  `dynamodbav:"ends_at"`      // Unix milliseconds
	Leased    int64  `dynamodbav:"leased_until"` // Unix milliseconds
}

func tokenSK(v messaging.Vendor) string { return "token#" + string(v) }

// Token makes one GetItem.
func (s *Tokens) Token(ctx context.Context, scope tenant.Scope, v messaging.Vendor) (templatemessage.KeptToken, error) {
	it, err := dynamo.Get[tokenItem](ctx, s.Client, s.Table, settingPK(scope), tokenSK(v), nil)
	return templatemessage.KeptToken{
		Identity: it.Identity, Sealed: sealed.Text{Key: it.Key, Box: it.Box}, Version: it.Version,
		RefreshAt: dynamo.FromMillis(it.RefreshAt), Expires: dynamo.FromMillis(it.Expires),
		Leased: dynamo.FromMillis(it.Leased),
	}, err
}

// Lease makes one conditional UpdateItem. The owner of a lease can take it again if the answer was lost.
func (s *Tokens) Lease(
	ctx context.Context, scope tenant.Scope, v messaging.Vendor, version int64, owner string, now, until time.Time,
) error {
	// Before the first token the item has no revision.
	const condition = "(attribute_not_exists(leased_until) OR leased_until <= :now OR leased_by = :by) AND " +
		"(revision = :version OR attribute_not_exists(revision) AND :version = :zero)"
	refused := errs.Conflict("another instance is asking for the access token")
	return dynamo.Do(ctx, s.Client, "lease an access token", refused, dynamo.Update(
		s.Table, settingPK(scope), tokenSK(v), "SET leased_by = :by, leased_until = :until", condition, dynamo.Item{
			":by": dynamo.Text(owner), ":until": dynamo.Number(until.UnixMilli()), ":now": dynamo.Number(now.UnixMilli()),
			":version": dynamo.Number(version), ":zero": dynamo.Number(0),
		},
	))
}

// PutToken makes one conditional UpdateItem.
func (s *Tokens) PutToken(
	ctx context.Context, scope tenant.Scope, v messaging.Vendor, next templatemessage.KeptToken, owner string,
) error {
	// Only the holder of the lease stores a token: a slow instance would overwrite a newer one.
	refused := errs.Conflict("another instance has asked for the access token")
	return dynamo.Do(ctx, s.Client, "keep an access token", refused, dynamo.Update(
		s.Table, settingPK(scope), tokenSK(v),
		"SET whose = :identity, token_key = :key, token_box = :box, revision = :version, refresh_at = :refresh, "+
			"ends_at = :ends REMOVE leased_by, leased_until",
		"leased_by = :by", dynamo.Item{
			":identity": dynamo.Text(next.Identity), ":key": dynamo.Binary(next.Sealed.Key),
			":box": dynamo.Binary(next.Sealed.Box), ":version": dynamo.Number(next.Version),
			":refresh": dynamo.Number(next.RefreshAt.UnixMilli()), ":ends": dynamo.Number(next.Expires.UnixMilli()),
			":by": dynamo.Text(owner),
		},
	))
}
