package consoledb

import (
	"context"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
)

func sessionPK(a console.AccountID) string { return "session#" + id.ID(a).Key() }

// sessionItem is the stored form of a console.Session.
type sessionItem struct {
	Account   console.AccountID `dynamodbav:"account"`
	Digest    app.Digest        `dynamodbav:"sk"`
	CSRF      string            `dynamodbav:"csrf"`
	CreatedAt time.Time         `dynamodbav:"created_at"`
	SeenAt    time.Time         `dynamodbav:"seen_at"`
	Address   string            `dynamodbav:"address"`
	UserAgent string            `dynamodbav:"user_agent"`
}

// Session makes one BatchGetItem of two items.
func (s *Store) Session(
	ctx context.Context, a console.AccountID, d app.Digest,
) (console.Session, console.Account, error) {
	found, err := dynamo.BatchGet(ctx, s.Client, s.Table,
		dynamo.Key(sessionPK(a), string(d)), dynamo.Key(accountsPK, accountSK(a)))
	if err != nil {
		return console.Session{}, console.Account{}, dynamo.Wrap("read session", err)
	}
	// A session without its account is invalid: DeleteAccount deletes the account first.
	if len(found) < 2 {
		return console.Session{}, console.Account{}, errs.NotFound("session not found")
	}

	session, err := dynamo.Decode[sessionItem](found[string(d)])
	if err != nil {
		return console.Session{}, console.Account{}, err
	}
	account, err := dynamo.Decode[accountItem](found[accountSK(a)])
	return console.Session(session), account.account(), err
}

// InsertSession runs one transaction: it writes the session and checks the account's password.
func (s *Store) InsertSession(ctx context.Context, session console.Session, hash password.Hash) error {
	it := dynamo.Encode(sessionPK(session.Account), string(session.Digest), sessionItem(session))
	it["expires_at"] = dynamo.Instant(session.Expires())
	return dynamo.Do(ctx, s.Client, "insert session", errs.Conflict("the account's password was changed"),
		dynamo.Put(s.Table, it, "", nil),
		dynamo.Check(s.Table, accountsPK, accountSK(session.Account), "password_hash = :hash",
			dynamo.Item{":hash": dynamo.Text(string(hash))}))
}

// TouchSession makes one conditional write.
func (s *Store) TouchSession(ctx context.Context, session console.Session) error {
	// A deleted session is no error.
	return dynamo.Do(ctx, s.Client, "touch session", nil, dynamo.Update(
		s.Table, sessionPK(session.Account), string(session.Digest),
		"SET seen_at = :seen, expires_at = :expires", dynamo.Exists, dynamo.Item{
			":seen": dynamo.Number(session.SeenAt.UnixMilli()), ":expires": dynamo.Instant(session.Expires()),
		}))
}

// Sessions makes one Query.
func (s *Store) Sessions(ctx context.Context, a console.AccountID) ([]console.Session, error) {
	query := dynamo.Query(s.Table, sessionPK(a), "", "", false, 0)
	return dynamo.Collect(ctx, s.Client, query, func(av dynamo.Item) (console.Session, error) {
		it, err := dynamo.Decode[sessionItem](av)
		return console.Session(it), err
	})
}

// DeleteSessions makes one write per session.
func (s *Store) DeleteSessions(ctx context.Context, a console.AccountID, digests ...app.Digest) error {
	for _, d := range digests {
		err := dynamo.Do(ctx, s.Client, "delete session", nil, dynamo.Delete(s.Table, sessionPK(a), string(d), "", nil))
		if err != nil {
			return err
		}
	}
	return nil
}
