package proofdb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// WebLogins implements idp.WebStore with one item per state and auth token.
type WebLogins struct {
	Client *dynamo.Client
	Table  string
}

type webItem struct {
	ID      string `dynamodbav:"secret_id"`
	Value   []byte `dynamodbav:"value"`
	Spent   string `dynamodbav:"spent_by,omitempty"`
	Until   int64  `dynamodbav:"valid_until"` // Unix milliseconds
	Expires int64  `dynamodbav:"expires_at"`  // Unix seconds
}

// keepWeb is how long an expired item stays.
const keepWeb = time.Hour

// PutSecret makes one PutItem.
func (s *WebLogins) PutSecret(ctx context.Context, scope tenant.Scope, key string, value []byte, until time.Time) error {
	it := dynamo.Encode(userdb.ProofPK(scope, key), userdb.ProofSK, webItem{
		ID: key, Value: value, Until: until.UnixMilli(), Expires: until.Add(keepWeb).Unix(),
	})
	return dynamo.Do(ctx, s.Client, "store a secret", nil, dynamo.Put(s.Table, it, "", nil))
}

// Secret makes one GetItem.
func (s *WebLogins) Secret(
	ctx context.Context, scope tenant.Scope, key string, now time.Time,
) (value []byte, spentBy string, err error) {
	raw, err := dynamo.GetItem(ctx, s.Client, s.Table, userdb.ProofPK(scope, key), userdb.ProofSK)
	if err != nil {
		return nil, "", err
	}
	it, err := dynamo.Decode[webItem](raw)
	if err == nil && it.Until <= now.UnixMilli() {
		err = errs.NotFound("there is no such secret")
	}
	return it.Value, it.Spent, err
}

// SpendSecret makes one conditional UpdateItem. It spends under a name of its own, by which a repeated write whose
// answer was lost finds its own.
func (s *WebLogins) SpendSecret(ctx context.Context, scope tenant.Scope, key string, now time.Time) ([]byte, error) {
	raw, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(
		s.Table, userdb.ProofPK(scope, key), userdb.ProofSK, "SET spent_by = :name",
		"valid_until > :now AND (attribute_not_exists(spent_by) OR spent_by = :name)", dynamo.Item{
			":name": dynamo.Text(string(dynamo.NewWriteID())), ":now": dynamo.Number(now.UnixMilli()),
		}))
	if dynamo.ConditionFailed(err) {
		return nil, errs.NotFound("there is no such secret")
	}
	if err != nil {
		return nil, dynamo.Wrap("spend a secret", err)
	}
	it, err := dynamo.Decode[webItem](raw)
	return it.Value, err
}
