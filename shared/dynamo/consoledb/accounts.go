// Package consoledb stores the console's accounts, sessions, audit log and promotions in DynamoDB.
package consoledb

import (
	"context"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
)

// Store implements console.AccountStore and SessionStore:
//
//	pk = accounts         sk = <id>       an account; one Query reads all
//	pk = email#<folded>   sk = account    id of the account with this email
//	pk = session#<id>     sk = <digest>   a session of the account, swept by TTL
//	pk = <key>            sk = attempts   wrong passwords: attemptdb
type Store struct {
	Client *dynamo.Client
	Table  string
}

const (
	accountsPK = "accounts"
	emailSK    = "account"
)

func accountSK(a console.AccountID) string { return id.ID(a).Key() }
func emailPK(folded string) string         { return "email#" + folded }

type accountItem struct {
	ID           console.AccountID `dynamodbav:"id"`
	Email        string            `dynamodbav:"email"`
	Name         string            `dynamodbav:"account_name"`
	Role         console.Role      `dynamodbav:"account_role"`
	Applications []tenant.AppID    `dynamodbav:"applications,omitempty"`
	// Selected distinguishes an account with no application from one with all of them: an account stored before
	// Selected existed has no list and may use all.
	Selected  bool          `dynamodbav:"selected,omitempty"`
	Password  password.Hash `dynamodbav:"password_hash"`
	CreatedAt time.Time     `dynamodbav:"created_at"`
	Revision  int64         `dynamodbav:"revision"`
	// Everywhere marks the owners of all applications: one of them must remain.
	Everywhere bool `dynamodbav:"everywhere,omitempty"`
}

func fromAccount(a console.Account) dynamo.Item {
	return dynamo.Encode(accountsPK, accountSK(a.ID), accountItem{
		ID: a.ID, Email: a.Email, Name: a.Name, Role: a.Role, Applications: a.Applications, Selected: !a.AllApplications,
		Password: a.Password, CreatedAt: a.CreatedAt, Revision: a.Revision, Everywhere: a.Administrator().Everywhere() == nil,
	})
}

func (it accountItem) account() console.Account {
	return console.Account{
		ID: it.ID, Email: it.Email, Name: it.Name, Role: it.Role,
		AllApplications: !it.Selected && len(it.Applications) == 0, Applications: it.Applications, Password: it.Password,
		CreatedAt: it.CreatedAt, Revision: it.Revision,
	}
}

// Accounts makes one Query.
func (s *Store) Accounts(ctx context.Context) ([]console.Account, error) {
	query := dynamo.Query(s.Table, accountsPK, "", "", false, 0)
	return dynamo.Collect(ctx, s.Client, query, func(av dynamo.Item) (console.Account, error) {
		it, err := dynamo.Decode[accountItem](av)
		return it.account(), err
	})
}

// Account makes one read.
func (s *Store) Account(ctx context.Context, a console.AccountID) (console.Account, error) {
	it, err := dynamo.Get[accountItem](ctx, s.Client, s.Table, accountsPK, accountSK(a), noAccount())
	return it.account(), err
}

// ByEmail makes two reads.
func (s *Store) ByEmail(ctx context.Context, folded string) (console.Account, error) {
	pointer, err := dynamo.Find(ctx, s.Client, s.Table, emailPK(folded), emailSK, noAccount())
	if err != nil {
		return console.Account{}, err
	}
	return s.Account(ctx, console.AccountID(dynamo.IntegerOf(pointer["id"])))
}

func noAccount() error { return errs.NotFound("account not found") }

// InsertAccount runs one transaction of the account and its email.
func (s *Store) InsertAccount(ctx context.Context, a console.Account) error {
	email := dynamo.Key(emailPK(console.Fold(a.Email)), emailSK)
	email["id"] = dynamo.Number(int64(a.ID))
	own := dynamo.Item{":id": dynamo.Number(int64(a.ID))}

	err := dynamo.Transact(ctx, s.Client,
		dynamo.Put(s.Table, fromAccount(a), dynamo.NotExists+" OR "+dynamo.IsRevision, dynamo.RevisionOf(a.Revision)),
		dynamo.Put(s.Table, email, dynamo.NotExists+" OR id = :id", own))
	switch {
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Duplicate("email is another account's")
	case dynamo.ConditionFailedAt(err, 0): // inserted by an earlier try and changed since: keep the change
		return nil
	}
	return dynamo.Wrap("insert account", err)
}

// ReplaceAccount makes one conditional write, or a transaction with a guard.
func (s *Store) ReplaceAccount(ctx context.Context, old, next console.Account, guard console.AccountID) error {
	return s.change(ctx, guard, dynamo.Put(s.Table, fromAccount(next), dynamo.IsRevision, dynamo.RevisionOf(old.Revision)))
}

// DeleteAccount deletes the account with its email, then its sessions, which are invalid without it.
func (s *Store) DeleteAccount(ctx context.Context, old console.Account, guard console.AccountID) error {
	// Delete both in one transaction, or the email would stay taken forever.
	err := s.change(ctx, guard,
		dynamo.Delete(s.Table, accountsPK, accountSK(old.ID), dynamo.IsRevision, dynamo.RevisionOf(old.Revision)),
		dynamo.Delete(s.Table, emailPK(console.Fold(old.Email)), emailSK, "", nil))
	if err != nil {
		return err
	}

	sessions, err := s.Sessions(ctx, old.ID)
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if err := s.DeleteSessions(ctx, old.ID, session.Digest); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) change(ctx context.Context, guard console.AccountID, parts ...dynamo.Part) error {
	if guard != 0 {
		parts = append(parts,
			dynamo.Check(s.Table, accountsPK, accountSK(guard), "attribute_exists(everywhere)", nil))
	}
	refused := errs.Conflict("the account is being changed by another request")
	return dynamo.DoTransact(ctx, s.Client, "change account", refused, parts...)
}
