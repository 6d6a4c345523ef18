// Package userdb stores accounts, user groups, bulk operations, form ids and tickets in DynamoDB. Profiles are rows of
// rowdb.
package userdb

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Accounts implements user.AccountStore:
//
//	pk = <scope>#user#<id>           sk = account   the account
//	pk = <scope>#username#<folded>   sk = owner     user_id of the owner
//	pk = <scope>#email#<folded>      sk = owner
//
// An owner item keeps its username or email unique: it is written in the account's transaction, on the condition that
// it does not exist.
type Accounts struct {
	Client *dynamodb.Client
	Table  string
}

var _ user.AccountStore = (*Accounts)(nil)

// accountItem is the stored form of a user.Account.
type accountItem struct {
	UserID        user.ID         `dynamodbav:"user_id"`
	Username      string          `dynamodbav:"username,omitempty"`
	Email         string          `dynamodbav:"email,omitempty"`
	EmailVerified bool            `dynamodbav:"email_verified"`
	Phone         string          `dynamodbav:"phone,omitempty"`
	PhoneVerified bool            `dynamodbav:"phone_verified"`
	Password      password.Hash   `dynamodbav:"password_hash,omitempty"`
	Providers     string          `dynamodbav:"providers,omitempty"`
	UpdatedAt     int64           `dynamodbav:"updated_at"` // Unix seconds
	Revision      int64           `dynamodbav:"revision"`
	Tokens        writetoken.List `dynamodbav:"tokens,omitempty"`
}

const (
	accountSK = "account"
	ownerSK   = "owner"
)

func userPK(scope tenant.Scope, id user.ID) string {
	return fmt.Sprintf("%s#user#%d", scope, id)
}

// ownerPK is the partition that maps a username or email to its user.
func ownerPK(scope tenant.Scope, kind, value string) string {
	return scope.String() + "#" + kind + "#" + user.Fold(value)
}

// Account makes one read.
func (s *Accounts) Account(ctx context.Context, scope tenant.Scope, id user.ID) (user.Account, error) {
	it, err := dynamo.Get[accountItem](ctx, s.Client, s.Table, userPK(scope, id), accountSK, nil)
	it.UserID = id // set even if the user has no account
	return user.Account(it), err
}

// ManyAccounts makes one BatchGetItem per 100 ids.
func (s *Accounts) ManyAccounts(
	ctx context.Context, scope tenant.Scope, ids []user.ID,
) (map[user.ID]user.Account, error) {
	// BatchGetItem rejects duplicate keys.
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	accounts := make(map[user.ID]user.Account, len(ids))
	keys := make([]dynamo.Item, len(ids))
	for i, id := range ids {
		keys[i] = dynamo.Key(userPK(scope, id), accountSK)
	}
	found, err := dynamo.BatchGetItems(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("read accounts", err)
	}
	for _, it := range found {
		account, err := dynamo.Decode[accountItem](it)
		if err != nil {
			return nil, err
		}
		accounts[account.UserID] = user.Account(account)
	}
	return accounts, nil
}

// ReplaceAccount runs one transaction of the account and the owner items that change.
func (s *Accounts) ReplaceAccount(ctx context.Context, scope tenant.Scope, old, next user.Account) error {
	it := dynamo.Encode(userPK(scope, next.UserID), accountSK, accountItem(next))
	parts := []types.TransactWriteItem{dynamo.PutRevision(s.Table, it, old.Revision)}

	taken := map[int]error{} // by the index of the part whose condition fails
	for _, name := range []struct{ kind, before, after string }{
		{"username", old.Username, next.Username},
		{"email", old.Email, next.Email},
	} {
		if user.Fold(name.before) == user.Fold(name.after) {
			continue
		}
		if name.after != "" {
			owner := dynamo.Key(ownerPK(scope, name.kind, name.after), ownerSK)
			owner["user_id"] = dynamo.Number(int64(next.UserID))
			taken[len(parts)] = errs.Duplicate("%s %q is already taken", name.kind, name.after)
			parts = append(parts, dynamo.Put(s.Table, owner, dynamo.NotExists, nil))
		}
		if name.before != "" { // the account's condition proves that it is the owner
			parts = append(parts, dynamo.Delete(s.Table, ownerPK(scope, name.kind, name.before), ownerSK, "", nil))
		}
	}

	err := dynamo.Transact(ctx, s.Client, parts...)
	// Check the account first: if it has changed, the owner of the name may be this account itself.
	if dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("another request is changing the same account, try again")
	}
	for i, refusal := range taken {
		if dynamo.ConditionFailedAt(err, i) {
			return refusal
		}
	}
	return dynamo.Wrap("replace account", err)
}

// DeleteConsents makes one Query, and one write for each form id and ticket.
func (s *Accounts) DeleteConsents(ctx context.Context, scope tenant.Scope, id user.ID) error {
	// The account's key sorts before both.
	query := dynamo.Query(s.Table, userPK(scope, id), formIDPrefix, "", false, 0)
	dynamo.Project(query, "sk")
	for it, err := range dynamo.Items(ctx, s.Client, query) {
		if err == nil {
			err = dynamo.Write(ctx, s.Client, dynamo.Delete(s.Table, userPK(scope, id), dynamo.TextOf(it["sk"]), "", nil))
		}
		if err != nil {
			return dynamo.Wrap("delete consents", err)
		}
	}
	return nil
}
