package appdb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
)

// Tokens is the oauth.Store, beside the Applications in the same table:
//
//	pk = <handle>   sk = ticket#<digest>    stage, secret, used_by
//	                sk = code#<digest>      secret; once used: used_at, gave_access, gave_refresh
//	                                        (what descends from it now); revoked
//	                sk = access#<digest>    generation, grant
//	                sk = refresh#<digest>   generation, grant; once spent: used_at, salt
//
// A used code is kept as long as what it gave, so that sending it twice can
// still be noticed.
type Tokens struct {
	Client *dynamodb.Client
	Table  string
}

var (
	_ oauth.Store       = (*Tokens)(nil)
	_ oauth.TokenReader = (*Tokens)(nil)
)

type tokenItem struct {
	PK         string `dynamodbav:"pk"`
	SK         string `dynamodbav:"sk"`
	ExpiresAt  int64  `dynamodbav:"expires_at"` // Unix seconds
	Stage      int    `dynamodbav:"stage,omitempty"`
	Secret     string `dynamodbav:"secret,omitempty"`
	Generation int    `dynamodbav:"generation,omitempty"`
	Grant      string `dynamodbav:"grant,omitempty"`
	UsedAt     int64  `dynamodbav:"used_at,omitempty"` // Unix milliseconds
	Salt       string `dynamodbav:"salt,omitempty"`
	Access     string `dynamodbav:"gave_access,omitempty"`  // a code's: sort keys of what
	Refresh    string `dynamodbav:"gave_refresh,omitempty"` // descends from it now
}

func tokenSK(kind oauth.Kind, d app.Digest) string { return string(kind) + "#" + string(d) }

func fromRecord(h app.Handle, r oauth.Record) (dynamo.Item, error) {
	av, err := attributevalue.MarshalMap(tokenItem{
		PK: string(h), SK: tokenSK(r.Kind, r.Digest), ExpiresAt: r.ExpiresAt.Unix(),
		Stage: r.Stage, Secret: string(r.Secret), Generation: r.Generation, Grant: string(r.Grant),
	})
	if err != nil {
		return nil, fmt.Errorf("token item: %w", err)
	}
	return av, nil
}

func toRecord(kind oauth.Kind, d app.Digest, av dynamo.Item) (oauth.Record, error) {
	if len(av) == 0 {
		return oauth.Record{}, nil
	}
	var it tokenItem
	if err := attributevalue.UnmarshalMap(av, &it); err != nil {
		return oauth.Record{}, fmt.Errorf("token item: %w", err)
	}
	r := oauth.Record{
		Kind: kind, Digest: d, ExpiresAt: time.Unix(it.ExpiresAt, 0).UTC(), Stage: it.Stage, Secret: app.Digest(it.Secret),
		Generation: it.Generation, Grant: app.Digest(it.Grant), Salt: it.Salt,
	}
	if it.UsedAt != 0 {
		r.UsedAt = time.UnixMilli(it.UsedAt).UTC()
	}
	return r, nil
}

// ByHandle is one read.
func (s *Tokens) ByHandle(ctx context.Context, h app.Handle) (app.Application, error) {
	return (&Applications{Client: s.Client, Table: s.Table}).ByHandle(ctx, h)
}

// ClientAndToken is one batch read of two items, and of what the request wants to have prefetched.
func (s *Tokens) ClientAndToken(ctx context.Context, h app.Handle, kind oauth.Kind, d app.Digest) (app.Application, oauth.Record, error) {
	sk := tokenSK(kind, d)
	found, err := dynamo.BatchGetPrefetch(ctx, s.Client, s.Table, dynamo.Key(string(h), applicationSK), dynamo.Key(string(h), sk))
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

// Insert is one write.
func (s *Tokens) Insert(ctx context.Context, h app.Handle, r oauth.Record) error {
	av, err := fromRecord(h, r)
	if err != nil {
		return err
	}
	_, err = s.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.Table, Item: av})
	return dynamo.Wrap("insert "+string(r.Kind), err)
}

// SpendTicket is one conditional write.
func (s *Tokens) SpendTicket(ctx context.Context, h app.Handle, d app.Digest, claim string, now time.Time) (oauth.Record, error) {
	out, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.Table,
		Key:                       dynamo.Key(string(h), tokenSK(oauth.KindTicket, d)),
		UpdateExpression:          aws.String("SET used_by = :claim"),
		ConditionExpression:       aws.String("expires_at > :now AND (attribute_not_exists(used_by) OR used_by = :claim)"),
		ExpressionAttributeValues: dynamo.Item{":claim": dynamo.Text(claim), ":now": dynamo.Instant(now)},
		ReturnValues:              types.ReturnValueAllNew,
	})
	if dynamo.ConditionFailed(err) {
		return oauth.Record{}, errs.NotFound("ticket not found")
	}
	if err != nil {
		return oauth.Record{}, dynamo.Wrap("spend ticket", err)
	}
	return toRecord(oauth.KindTicket, d, out.Attributes)
}

// Redeem is one transaction of three items.
func (s *Tokens) Redeem(ctx context.Context, h app.Handle, r oauth.Redemption) error {
	code := s.descent(h, r.Code, r.Access, r.Refresh)
	code.UpdateExpression = aws.String(*code.UpdateExpression + ", used_at = :used")
	code.ConditionExpression = aws.String("attribute_exists(pk) AND attribute_not_exists(used_at)")
	code.ExpressionAttributeValues[":used"] = dynamo.Number(r.Now.UnixMilli())
	return s.replace(ctx, "redeem code", h, []oauth.Record{r.Access, r.Refresh}, code)
}

// Rotate is one transaction of five items; the client's is the only one that
// two refreshes of different tokens have in common.
func (s *Tokens) Rotate(ctx context.Context, h app.Handle, r oauth.Rotation) error {
	client := &types.Update{
		TableName:                 &s.Table,
		Key:                       dynamo.Key(string(h), applicationSK),
		UpdateExpression:          aws.String("SET generation = :next"),
		ConditionExpression:       aws.String("generation = :spent"),
		ExpressionAttributeValues: dynamo.Item{":spent": dynamo.Number(int64(r.Spent.Generation)), ":next": dynamo.Number(int64(r.Refresh.Generation))},
	}
	spent := &types.Update{
		TableName:                 &s.Table,
		Key:                       dynamo.Key(string(h), tokenSK(oauth.KindRefresh, r.Spent.Digest)),
		UpdateExpression:          aws.String("SET used_at = :used, salt = :salt"),
		ConditionExpression:       aws.String("attribute_exists(pk) AND attribute_not_exists(used_at)"),
		ExpressionAttributeValues: dynamo.Item{":used": dynamo.Number(r.Now.UnixMilli()), ":salt": dynamo.Text(r.Salt)},
	}
	code := s.descent(h, r.Spent.Grant, r.Access, r.Refresh)
	code.ConditionExpression = aws.String("attribute_exists(pk) AND attribute_not_exists(revoked)")
	return s.replace(ctx, "rotate tokens", h, []oauth.Record{r.Access, r.Refresh}, client, spent, code)
}

// descent notes on a code what descends from it now, and keeps it as long.
func (s *Tokens) descent(h app.Handle, code app.Digest, access, refresh oauth.Record) *types.Update {
	return &types.Update{
		TableName:        &s.Table,
		Key:              dynamo.Key(string(h), tokenSK(oauth.KindCode, code)),
		UpdateExpression: aws.String("SET gave_access = :access, gave_refresh = :refresh, expires_at = :expires"),
		ExpressionAttributeValues: dynamo.Item{
			":access": dynamo.Text(tokenSK(oauth.KindAccess, access.Digest)), ":refresh": dynamo.Text(tokenSK(oauth.KindRefresh, refresh.Digest)),
			":expires": dynamo.Instant(refresh.ExpiresAt),
		},
	}
}

// replace makes the updates and inserts the records, all or nothing.
func (s *Tokens) replace(ctx context.Context, doing string, h app.Handle, records []oauth.Record, updates ...*types.Update) error {
	var parts []types.TransactWriteItem
	for _, u := range updates {
		parts = append(parts, types.TransactWriteItem{Update: u})
	}
	for _, r := range records {
		av, err := fromRecord(h, r)
		if err != nil {
			return err
		}
		parts = append(parts, types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: av}})
	}
	_, err := s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("another request used this first")
	}
	return dynamo.Wrap(doing, err)
}

// RevokeGrant first bars the code from giving more, then deletes what it gave:
// a rotation either comes before and is deleted, or fails.
func (s *Tokens) RevokeGrant(ctx context.Context, h app.Handle, code app.Digest) error {
	out, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.Table,
		Key:                       dynamo.Key(string(h), tokenSK(oauth.KindCode, code)),
		UpdateExpression:          aws.String("SET revoked = :true"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: dynamo.Item{":true": &types.AttributeValueMemberBOOL{Value: true}},
		ReturnValues:              types.ReturnValueAllNew,
	})
	if dynamo.ConditionFailed(err) {
		return nil
	}
	if err != nil {
		return dynamo.Wrap("revoke grant", err)
	}
	var it tokenItem
	if err := attributevalue.UnmarshalMap(out.Attributes, &it); err != nil {
		return fmt.Errorf("token item: %w", err)
	}
	for _, sk := range []string{it.Access, it.Refresh} {
		if sk == "" {
			continue
		}
		if _, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.Table, Key: dynamo.Key(string(h), sk)}); err != nil {
			return dynamo.Wrap("revoke grant", err)
		}
	}
	return nil
}

// RevokeAll is one write.
func (s *Tokens) RevokeAll(ctx context.Context, h app.Handle) error {
	_, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 &s.Table,
		Key:                       dynamo.Key(string(h), applicationSK),
		UpdateExpression:          aws.String("ADD generation :one"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: dynamo.Item{":one": dynamo.Number(1)},
	})
	return dynamo.Wrap("revoke tokens", err)
}
