package proofdb

import (
	"context"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/proof/maillink"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Links implements maillink.Store with one item per token.
type Links struct {
	Client *dynamo.Client
	Table  string
}

type linkItem struct {
	ID         string        `dynamodbav:"secret_id"` // digest of the token
	Kind       maillink.Kind `dynamodbav:"kind"`
	User       user.ID       `dynamodbav:"user_id"`
	Email      string        `dynamodbav:"email"`
	Generation int64         `dynamodbav:"generation"`
	Spent      string        `dynamodbav:"spent_by,omitempty"`
	Expires    int64         `dynamodbav:"expires_at"` // Unix seconds
}

// PutToken makes one PutItem.
func (s *Links) PutToken(ctx context.Context, scope tenant.Scope, k maillink.Kept) error {
	it := dynamo.Encode(userdb.ProofPK(scope, k.ProofKey()), userdb.ProofSK, linkItem{
		ID: string(k.Digest), Kind: k.Kind, User: k.User, Email: k.Email, Generation: k.Generation, Expires: k.Expires.Unix(),
	})
	return dynamo.Do(ctx, s.Client, "keep a mail token", nil, dynamo.Put(s.Table, it, "", nil))
}

// Token makes one read.
func (s *Links) Token(ctx context.Context, scope tenant.Scope, d app.Digest) (k maillink.Kept, err error) {
	k.Digest = d
	it, err := dynamo.Get[linkItem](ctx, s.Client, s.Table, userdb.ProofPK(scope, k.ProofKey()), userdb.ProofSK,
		errs.NotFound("there is no such token"))
	return maillink.Kept{
		Digest: d, Kind: it.Kind, User: it.User, Email: it.Email, Generation: it.Generation, Spent: it.Spent != "",
		Expires: time.Unix(it.Expires, 0),
	}, err
}
