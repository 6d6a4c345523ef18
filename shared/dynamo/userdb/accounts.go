// Package userdb keeps accounts, user groups and bulk operations in DynamoDB. Profiles are rows of rowdb.
package userdb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/writetoken"
)

// Accounts is the user.AccountStore:
//
//	pk = <scope>#user#<id>          sk = account   the account
//	pk = <scope>#username#<fold>    sk = owner     user_id: whose it is
//	pk = <scope>#email#<fold>       sk = owner
//
// An owner item guards its username or email: it is written with the account,
// in one transaction, and only where none is.
type Accounts struct {
	Client *dynamodb.Client
	Table  string
}

var _ user.AccountStore = (*Accounts)(nil)

type accountItem struct {
	PK            string `dynamodbav:"pk"`
	SK            string `dynamodbav:"sk"`
	UserID        int64  `dynamodbav:"user_id"`
	Username      string `dynamodbav:"username,omitempty"`
	Email         string `dynamodbav:"email,omitempty"`
	EmailVerified bool   `dynamodbav:"email_verified"`
	Phone         string `dynamodbav:"phone,omitempty"`
	PhoneVerified bool   `dynamodbav:"phone_verified"`
	Password      string `dynamodbav:"password_hash,omitempty"`
	UpdatedAt     int64  `dynamodbav:"updated_at"` // Unix seconds
	Revision      int64  `dynamodbav:"revision"`
	Tokens        string `dynamodbav:"tokens,omitempty"` // writetoken.List
}

const (
	accountSK = "account"
	ownerSK   = "owner"
)

func userPK(scope tenant.Scope, id user.ID) string {
	return fmt.Sprintf("%s#user#%d", scope, id)
}

// ownerKey is the key of the guard of a username or email.
func ownerKey(scope tenant.Scope, kind, value string) dynamo.Item {
	return dynamo.Key(scope.String()+"#"+kind+"#"+user.Fold(value), ownerSK)
}

// Account is one read.
func (s *Accounts) Account(ctx context.Context, scope tenant.Scope, id user.ID) (user.Account, error) {
	out, err := s.Client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &s.Table, Key: dynamo.Key(userPK(scope, id), accountSK), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return user.Account{}, dynamo.Wrap("read account", err)
	}
	it := accountItem{UserID: int64(id)}
	if err := attributevalue.UnmarshalMap(out.Item, &it); err != nil {
		return user.Account{}, fmt.Errorf("account item: %w", err)
	}
	return user.Account{
		UserID: user.ID(it.UserID), Username: it.Username, Email: it.Email, EmailVerified: it.EmailVerified,
		Phone: it.Phone, PhoneVerified: it.PhoneVerified, Password: user.PasswordHash(it.Password),
		UpdatedAt: it.UpdatedAt, Revision: it.Revision,
		Tokens: writetoken.List(it.Tokens),
	}, nil
}

// ReplaceAccount is one transaction of the account and the guards that change.
func (s *Accounts) ReplaceAccount(ctx context.Context, scope tenant.Scope, old, next user.Account) error {
	av, err := attributevalue.MarshalMap(accountItem{
		PK: userPK(scope, next.UserID), SK: accountSK, UserID: int64(next.UserID),
		Username: next.Username, Email: next.Email, EmailVerified: next.EmailVerified,
		Phone: next.Phone, PhoneVerified: next.PhoneVerified, Password: string(next.Password),
		UpdatedAt: next.UpdatedAt, Revision: next.Revision,
		Tokens: string(next.Tokens),
	})
	if err != nil {
		return fmt.Errorf("replace account: %w", err)
	}
	put := &types.Put{TableName: &s.Table, Item: av, ConditionExpression: aws.String("attribute_not_exists(pk)")}
	if old.Revision > 0 {
		put.ConditionExpression = aws.String("revision = :revision")
		put.ExpressionAttributeValues = dynamo.Item{":revision": dynamo.Number(old.Revision)}
	}
	parts := []types.TransactWriteItem{{Put: put}}
	taken := map[int]error{} // by the part whose condition says so
	for _, guard := range []struct{ kind, before, after string }{
		{"username", old.Username, next.Username},
		{"email", old.Email, next.Email},
	} {
		if user.Fold(guard.before) == user.Fold(guard.after) {
			continue
		}
		if guard.after != "" {
			taken[len(parts)] = errs.Duplicate("%s %q is already taken", guard.kind, guard.after)
			parts = append(parts, s.claim(scope, guard.kind, guard.after, next.UserID))
		}
		if guard.before != "" {
			parts = append(parts, s.release(scope, guard.kind, guard.before))
		}
	}
	_, err = s.Client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: parts})
	// First the account: when it has changed, the guard may be its own.
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

func (s *Accounts) claim(scope tenant.Scope, kind, value string, id user.ID) types.TransactWriteItem {
	it := ownerKey(scope, kind, value)
	it["user_id"] = dynamo.Number(int64(id))
	return types.TransactWriteItem{Put: &types.Put{TableName: &s.Table, Item: it, ConditionExpression: aws.String("attribute_not_exists(pk)")}}
}

// release needs no condition: the account's own says that it is the owner.
func (s *Accounts) release(scope tenant.Scope, kind, value string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: &s.Table, Key: ownerKey(scope, kind, value)}}
}
