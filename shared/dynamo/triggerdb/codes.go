package triggerdb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/smscode"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Codes is the smscode.Store, beside the times of each number:
//
//	pk = <scope>#number#<number>   sk = code   the last code that went to it, how often it was tried, and who spent it
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

// PutCode is one PutItem.
func (s *Codes) PutCode(ctx context.Context, scope tenant.Scope, k smscode.Kept) error {
	_, err := s.Client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.Table, Item: dynamo.Encode(numberPK(scope, k.Phone), codeSK, codeItem{
			ID: k.ID, User: k.User, Key: k.Key, Hash: k.Hash, Until: k.Expires.UnixMilli(),
			// One that is spent must be found by a repetition of the request that did so.
			Expires: k.Expires.Add(keepNumbers).Unix(),
		}),
	})
	return dynamo.Wrap("keep a code", err)
}

// TryCode is one conditional UpdateItem: of tries at the same time no more than MaxTries see the code.
func (s *Codes) TryCode(
	ctx context.Context, scope tenant.Scope, phone string, now time.Time,
) (k smscode.Kept, err error) {
	part := dynamo.Update(s.Table, numberPK(scope, phone), codeSK, "ADD tries :one",
		"tries < :most AND valid_until > :now AND attribute_not_exists(spent_by)", dynamo.Item{
			":one": dynamo.Number(1), ":most": dynamo.Number(smscode.MaxTries), ":now": dynamo.Number(now.UnixMilli()),
		})
	part.Update.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld

	it, err := dynamo.UpdateItem(ctx, s.Client, part)
	failed, refused := errors.AsType[*types.ConditionalCheckFailedException](err)
	switch {
	case refused && dynamo.TextOf(failed.Item["spent_by"]) == "":
		return k, errs.NotFound("there is no code")
	case refused:
		it = failed.Item
	case err != nil:
		return k, dynamo.Wrap("try a code", err)
	}
	kept, err := dynamo.Decode[codeItem](it)
	return smscode.Kept{
		ID: kept.ID, Phone: phone, User: kept.User, Key: kept.Key, Hash: kept.Hash, Spent: kept.Spent,
		Expires: dynamo.FromMillis(kept.Until),
	}, err
}

// SpendCode is one conditional UpdateItem. One whose answer was lost finds its own name.
func (s *Codes) SpendCode(ctx context.Context, scope tenant.Scope, k smscode.Kept, name string) error {
	_, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(
		s.Table, numberPK(scope, k.Phone), codeSK, "SET spent_by = :name",
		"code_id = :id AND (attribute_not_exists(spent_by) OR spent_by = :name)", dynamo.Item{
			":id": dynamo.Text(k.ID), ":name": dynamo.Text(name),
		},
	))
	if dynamo.ConditionFailed(err) {
		return errs.NotFound("the code is spent")
	}
	return dynamo.Wrap("spend a code", err)
}
