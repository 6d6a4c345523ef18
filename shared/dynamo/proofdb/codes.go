// Package proofdb stores the secrets that prove who owns a phone or a mailbox, in the table of users: see
// userdb.SpendProof for their keys.
package proofdb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
)

// Codes implements smscode.Store with one item per number: the last code sent to it, its tries, and the request that
// spent it.
type Codes struct {
	Client *dynamo.Client
	Table  string
}

type codeItem struct {
	ID      string  `dynamodbav:"secret_id"`
	User    user.ID `dynamodbav:"user_id,omitempty"`
	Key     []byte  `dynamodbav:"hash_key"`
	Hash    []byte  `dynamodbav:"code_hash"`
	Tries   int     `dynamodbav:"tries"`
	Spent   string  `dynamodbav:"spent_by,omitempty"`
	Until   int64   `dynamodbav:"valid_until"` // Unix milliseconds
	Expires int64   `dynamodbav:"expires_at"`  // Unix seconds
}

// keepSpent is how long a spent code stays, so that a repetition of the request that spent it finds it.
const keepSpent = 48 * time.Hour

// PutCode makes one PutItem.
func (s *Codes) PutCode(ctx context.Context, scope tenant.Scope, k smscode.Kept) error {
	it := dynamo.Encode(userdb.ProofPK(scope, k.ProofKey()), userdb.ProofSK, codeItem{
		ID: k.ID, User: k.User, Key: k.Key, Hash: k.Hash, Until: k.Expires.UnixMilli(),
		Expires: k.Expires.Add(keepSpent).Unix(),
	})
	return dynamo.Do(ctx, s.Client, "keep a code", nil, dynamo.Put(s.Table, it, "", nil))
}

// TryCode makes one conditional UpdateItem: of concurrent tries at most MaxTries get the code.
func (s *Codes) TryCode(
	ctx context.Context, scope tenant.Scope, phone string, now time.Time,
) (k smscode.Kept, err error) {
	k.Phone = phone
	it, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(
		s.Table, userdb.ProofPK(scope, k.ProofKey()), userdb.ProofSK, "ADD tries :one",
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

// SpendCode makes one conditional UpdateItem.
func (s *Codes) SpendCode(ctx context.Context, scope tenant.Scope, p login.Proof) error {
	return dynamo.Do(ctx, s.Client, "spend a code", p.Refused, userdb.SpendProof(s.Table, scope, p))
}
