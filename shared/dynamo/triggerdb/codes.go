package triggerdb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/smscode"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Codes implements smscode.Store, beside the message times of each number:
//
//	pk = <scope>#number#<number>   sk = code   the last code sent to it, its tries, and the request that spent it
type Codes struct {
	Client *dynamodb.Client
	Table  string
}

var _ smscode.Store = (*Codes)(nil)

const codeSK = "code"

type codeItem struct {
	ID      string  `dynamodbav:"code_id"`
	User    user.ID `dynamodbav:"user_id,omitempty"`
	Key     []byte  `dynamodbav:"hash_key"`
	Hash    []byte  `dynamodbav:"code_hash"`
	Tries   int     `dynamodbav:"tries"`
	Spent   string  `dynamodbav:"spent_by,omitempty"`
	Until   int64   `dynamodbav:"valid_until"` // Unix milliseconds
	Expires int64   `dynamodbav:"expires_at"`  // Unix seconds
}

// PutCode makes one PutItem.
func (s *Codes) PutCode(ctx context.Context, scope tenant.Scope, k smscode.Kept) error {
	it := dynamo.Encode(numberPK(scope, k.Phone), codeSK, codeItem{
		ID: k.ID, User: k.User, Key: k.Key, Hash: k.Hash, Until: k.Expires.UnixMilli(),
		// Keep a spent code, so that a repetition of the request that spent it finds it.
		Expires: k.Expires.Add(keepNumbers).Unix(),
	})
	return dynamo.Do(ctx, s.Client, "keep a code", nil, dynamo.Put(s.Table, it, "", nil))
}

// TryCode makes one conditional UpdateItem: of concurrent tries at most MaxTries get the code.
func (s *Codes) TryCode(
	ctx context.Context, scope tenant.Scope, phone string, now time.Time,
) (k smscode.Kept, err error) {
	it, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, numberPK(scope, phone), codeSK, "ADD tries :one",
		"tries < :most AND valid_until > :now AND attribute_not_exists(spent_by)", dynamo.Item{
			":one": dynamo.Number(1), ":most": dynamo.Number(smscode.MaxTries), ":now": dynamo.Number(now.UnixMilli()),
		}))
	if dynamo.ConditionFailed(err) {
		// Return a spent code, so that a repetition of the request that spent it finds it.
		if it = dynamo.ItemAt(err, 0); it["spent_by"] == nil {
			return k, errs.NotFound("there is no code")
		}
	} else if err != nil {
		return k, dynamo.Wrap("try a code", err)
	}
	kept, err := dynamo.Decode[codeItem](it)
	return smscode.Kept{
		ID: kept.ID, Phone: phone, User: kept.User, Key: kept.Key, Hash: kept.Hash, Spent: kept.Spent,
		Expires: dynamo.FromMillis(kept.Until),
	}, err
}

// SpendCode makes one conditional UpdateItem. A repeated attempt after a lost answer finds its own name.
func (s *Codes) SpendCode(ctx context.Context, scope tenant.Scope, k smscode.Kept, name string) error {
	return dynamo.Do(ctx, s.Client, "spend a code", errs.NotFound("the code is spent"), dynamo.Update(
		s.Table, numberPK(scope, k.Phone), codeSK, "SET spent_by = :name",
		"code_id = :id AND (attribute_not_exists(spent_by) OR spent_by = :name)", dynamo.Item{
			":id": dynamo.Text(k.ID), ":name": dynamo.Text(name),
		},
	))
}
