package appdb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
)

// Tokens implements oauth.Store and oauth.TokenReader, in the table of Applications:
//
//	pk = <handle>   sk = ticket#<digest>    stage, secret, used_by
//	                sk = code#<digest>      secret; once used: used_at, gave_access, gave_refresh
//	                                        (current tokens of its grant); revoked
//	                sk = access#<digest>    generation, grant
//	                sk = refresh#<digest>   generation, grant; once spent: used_at, salt
//
// A used code is kept as long as the tokens it gave, so that a second use of the code is detected.
type Tokens struct {
	Client *dynamo.Client
	Table  string
}

type tokenItem struct {
	ExpiresAt  int64      `dynamodbav:"expires_at"` // Unix seconds
	Stage      int        `dynamodbav:"stage,omitempty"`
	Secret     app.Digest `dynamodbav:"secret,omitempty"`
	Generation int        `dynamodbav:"generation,omitempty"`
	Grant      app.Digest `dynamodbav:"grant,omitempty"`
	UsedAt     int64      `dynamodbav:"used_at,omitempty"` // Unix milliseconds
	Salt       string     `dynamodbav:"salt,omitempty"`
	Access     string     `dynamodbav:"gave_access,omitempty"`  // of a code: sort keys of the current
	Refresh    string     `dynamodbav:"gave_refresh,omitempty"` // tokens of its grant
}

func tokenSK(kind oauth.Kind, d app.Digest) string { return string(kind) + "#" + string(d) }

func fromRecord(h app.Handle, r oauth.Record) dynamo.Item {
	return dynamo.Encode(string(h), tokenSK(r.Kind, r.Digest), tokenItem{
		ExpiresAt: r.ExpiresAt.Unix(), Stage: r.Stage, Secret: r.Secret, Generation: r.Generation, Grant: r.Grant,
	})
}

func toRecord(kind oauth.Kind, d app.Digest, av dynamo.Item) (oauth.Record, error) {
	if len(av) == 0 {
		return oauth.Record{}, nil
	}

	it, err := dynamo.Decode[tokenItem](av)
	r := oauth.Record{
		Kind: kind, Digest: d, ExpiresAt: time.Unix(it.ExpiresAt, 0).UTC(), Stage: it.Stage, Secret: it.Secret,
		Generation: it.Generation, Grant: it.Grant, Salt: it.Salt,
	}
	if it.UsedAt != 0 {
		r.UsedAt = time.UnixMilli(it.UsedAt).UTC()
	}
	return r, err
}

// ByHandle makes one read.
func (s *Tokens) ByHandle(ctx context.Context, h app.Handle) (app.Application, error) {
	return (&Applications{Client: s.Client, Table: s.Table}).ByHandle(ctx, h)
}

// ClientAndToken makes one BatchGetItem for the two items and the item that the request wants to prefetch.
func (s *Tokens) ClientAndToken(
	ctx context.Context, h app.Handle, kind oauth.Kind, d app.Digest,
) (app.Application, oauth.Record, error) {
	sk := tokenSK(kind, d)
	application, token := dynamo.Key(string(h), applicationSK), dynamo.Key(string(h), sk)
	found, err := dynamo.BatchGetPrefetch(ctx, s.Client, s.Table, application, token)
	if err != nil {
		return app.Application{}, oauth.Record{}, dynamo.Wrap("read token", err)
	}

	a, err := toApplication(found[applicationSK])
	if err != nil {
		return app.Application{}, oauth.Record{}, err
	}
	r, err := toRecord(kind, d, found[sk])
	return a, r, err
}

// Insert makes one write.
func (s *Tokens) Insert(ctx context.Context, h app.Handle, r oauth.Record) error {
	return dynamo.Do(ctx, s.Client, "insert "+string(r.Kind), nil, dynamo.Put(s.Table, fromRecord(h, r), "", nil))
}

// SpendTicket makes one conditional write.
func (s *Tokens) SpendTicket(
	ctx context.Context, h app.Handle, d app.Digest, claim string, now time.Time,
) (oauth.Record, error) {
	it, err := dynamo.DoUpdate(ctx, s.Client, "spend ticket", errs.NotFound("ticket not found"),
		dynamo.Update(s.Table, string(h), tokenSK(oauth.KindTicket, d),
			"SET used_by = :claim", "expires_at > :now AND (attribute_not_exists(used_by) OR used_by = :claim)",
			dynamo.Item{":claim": dynamo.Text(claim), ":now": dynamo.Instant(now)}))
	if err != nil {
		return oauth.Record{}, err
	}
	return toRecord(oauth.KindTicket, d, it)
}

// unused is the condition that a code or refresh token exists and has not been used.
const unused = dynamo.Exists + " AND attribute_not_exists(used_at)"

// Redeem runs one transaction of three items.
func (s *Tokens) Redeem(ctx context.Context, h app.Handle, r oauth.Redemption) error {
	code := s.updateCode(h, r.Code, r.Access, r.Refresh, ", used_at = :used", unused)
	code.Update.ExpressionAttributeValues[":used"] = dynamo.Number(r.Now.UnixMilli())
	return s.replace(ctx, "redeem code", h, r.Access, r.Refresh, code)
}

// Rotate runs one transaction of five items. Refreshes of different tokens have only the client's item in common.
func (s *Tokens) Rotate(ctx context.Context, h app.Handle, r oauth.Rotation) error {
	client := dynamo.Update(s.Table, string(h), applicationSK, "SET generation = :next", "generation = :spent",
		dynamo.Item{":spent": dynamo.Number(int64(r.Spent.Generation)), ":next": dynamo.Number(int64(r.Refresh.Generation))})
	spent := dynamo.Update(s.Table, string(h), tokenSK(oauth.KindRefresh, r.Spent.Digest),
		"SET used_at = :used, salt = :salt", unused,
		dynamo.Item{":used": dynamo.Number(r.Now.UnixMilli()), ":salt": dynamo.Text(r.Salt)})
	code := s.updateCode(h, r.Spent.Grant, r.Access, r.Refresh, "", dynamo.Exists+" AND attribute_not_exists(revoked)")

	return s.replace(ctx, "rotate tokens", h, r.Access, r.Refresh, client, spent, code)
}

// updateCode stores in a code the current tokens of its grant, and extends the expiry of the code to theirs.
func (s *Tokens) updateCode(
	h app.Handle, code app.Digest, access, refresh oauth.Record, sets, condition string,
) dynamo.Part {
	return dynamo.Update(s.Table, string(h), tokenSK(oauth.KindCode, code),
		"SET gave_access = :access, gave_refresh = :refresh, expires_at = :expires"+sets, condition,
		dynamo.Item{
			":access":  dynamo.Text(tokenSK(access.Kind, access.Digest)),
			":refresh": dynamo.Text(tokenSK(refresh.Kind, refresh.Digest)),
			":expires": dynamo.Instant(refresh.ExpiresAt),
		})
}

// replace makes the updates and inserts the tokens in one transaction.
func (s *Tokens) replace(
	ctx context.Context, doing string, h app.Handle, access, refresh oauth.Record, updates ...dynamo.Part,
) error {
	for _, r := range []oauth.Record{access, refresh} {
		updates = append(updates, dynamo.Put(s.Table, fromRecord(h, r), "", nil))
	}
	return dynamo.Do(ctx, s.Client, doing, errs.Conflict("another request used this first"), updates...)
}

// RevokeGrant first marks the code as revoked, then deletes its tokens. A concurrent rotation either commits before the
// mark, and its tokens are deleted, or fails.
func (s *Tokens) RevokeGrant(ctx context.Context, h app.Handle, code app.Digest) error {
	// A missing code has given no tokens: DoUpdate returns a nil item.
	av, err := dynamo.DoUpdate(ctx, s.Client, "revoke grant", nil,
		dynamo.Update(s.Table, string(h), tokenSK(oauth.KindCode, code),
			"SET revoked = :true", dynamo.Exists, dynamo.Item{":true": &types.AttributeValueMemberBOOL{Value: true}}))
	if err != nil {
		return err
	}

	it, err := dynamo.Decode[tokenItem](av)
	if err != nil {
		return err
	}
	for _, sk := range []string{it.Access, it.Refresh} {
		// An unused code has given no tokens yet.
		if sk == "" {
			continue
		}
		err := dynamo.Do(ctx, s.Client, "revoke grant", nil, dynamo.Delete(s.Table, string(h), sk, "", nil))
		if err != nil {
			return err
		}
	}
	return nil
}

// RevokeAll makes one write.
func (s *Tokens) RevokeAll(ctx context.Context, h app.Handle) error {
	err := dynamo.Write(ctx, s.Client, dynamo.Update(s.Table, string(h), applicationSK,
		"ADD generation :one", dynamo.Exists, dynamo.Item{":one": dynamo.Number(1)}))
	return dynamo.Wrap("revoke tokens", err)
}
