// Package userdb stores accounts, user groups, form ids and tickets in DynamoDB. Profiles are rows of rowdb.
package userdb

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
)

// Accounts implements user.AccountStore:
//
//	pk = <scope>#user#<id>      sk = account   the account
//	pk = <scope>#<kind>#<key>   sk = owner     user_id of the owner of a identifier.Name
//
// An owner item keeps its name unique: it is written in the account's transaction, on the condition that it does not
// exist.
type Accounts struct {
	Client *dynamo.Client
	Table  string
}

// accountItem is the stored form of a user.Account.
type accountItem struct {
	UserID        user.ID         `dynamodbav:"user_id"`
	Username      string          `dynamodbav:"username,omitempty"`
	Email         string          `dynamodbav:"email,omitempty"`
	EmailVerified bool            `dynamodbav:"email_verified"`
	Phone         string          `dynamodbav:"phone,omitempty"`
	PhoneVerified bool            `dynamodbav:"phone_verified"`
	PhoneKey      string          `dynamodbav:"phone_key,omitempty"`
	Password      password.Hash   `dynamodbav:"password_hash,omitempty"`
	Providers     string          `dynamodbav:"providers,omitempty"`
	Temporary     bool            `dynamodbav:"temporary,omitempty"`
	Blocked       bool            `dynamodbav:"blocked,omitempty"`
	ClosedAt      int64           `dynamodbav:"closed_at,omitempty"` // Unix seconds
	Generation    int64           `dynamodbav:"generation,omitempty"`
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

// ownerPK is the partition that maps a name to its user.
func ownerPK(scope tenant.Scope, name identifier.Name) string {
	return scope.String() + "#" + name.Kind + "#" + name.Key
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
	parts, taken := replaceAccount(s.Table, scope, old, next)
	return accountError(dynamo.Transact(ctx, s.Client, parts...), taken)
}

// Owner returns the user that has a name, 0 if no user has it. It makes one read.
func (s *Accounts) Owner(ctx context.Context, scope tenant.Scope, name identifier.Name) (user.ID, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, ownerPK(scope, name), ownerSK)
	return user.ID(dynamo.IntegerOf(it["user_id"])), err
}

// Claim replaces old by next and claims names of next, which an account of an earlier release has without claims. Its
// errors are those of ReplaceAccount.
func (s *Accounts) Claim(ctx context.Context, scope tenant.Scope, old, next user.Account, names []identifier.Name) error {
	parts, taken := accountParts(s.Table, scope, old, next, names, nil)
	return accountError(dynamo.Transact(ctx, s.Client, parts...), taken)
}

// replaceAccount returns the writes of the account, which is the first, and of the owner items that change. taken has
// the errors of names that another user has, by the index of the write whose condition fails.
func replaceAccount(
	tableName string, scope tenant.Scope, old, next user.Account,
) (parts []dynamo.Part, taken map[int]error) {
	before, after := old.Names(), next.Names()
	return accountParts(tableName, scope, old, next, without(after, before), without(before, after))
}

func accountParts(
	tableName string, scope tenant.Scope, old, next user.Account, claimed, freed []identifier.Name,
) (parts []dynamo.Part, taken map[int]error) {
	it := dynamo.Encode(userPK(scope, next.UserID), accountSK, accountItem(next))
	parts = []dynamo.Part{dynamo.PutRevision(tableName, it, old.Revision)}

	taken = map[int]error{}
	for _, name := range claimed {
		owner := dynamo.Key(ownerPK(scope, name), ownerSK)
		owner["user_id"] = dynamo.Number(int64(next.UserID))
		taken[len(parts)] = name.Taken()
		parts = append(parts, dynamo.Put(tableName, owner, dynamo.NotExists, nil))
	}
	for _, name := range freed { // the account's condition proves that it is the owner
		parts = append(parts, dynamo.Delete(tableName, ownerPK(scope, name), ownerSK, "", nil))
	}
	return parts, taken
}

// without returns the names that are not among others.
func without(names, others []identifier.Name) (rest []identifier.Name) {
	for _, name := range names {
		same := func(other identifier.Name) bool { return other.Kind == name.Kind && other.Key == name.Key }
		if !slices.ContainsFunc(others, same) && !slices.ContainsFunc(rest, same) {
			rest = append(rest, name)
		}
	}
	return rest
}

// accountError translates the error of a transaction whose first writes are those of replaceAccount.
func accountError(err error, taken map[int]error) error {
	// Check the account first: if it has changed, the owner of the name may be this account itself.
	if dynamo.ConditionFailedAt(err, 0) {
		return errs.Conflict("another request is changing the same account, try again")
	}
	for _, i := range slices.Sorted(maps.Keys(taken)) {
		if dynamo.ConditionFailedAt(err, i) {
			return taken[i]
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
