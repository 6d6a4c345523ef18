package consoledb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
)

func sessionPK(a console.AccountID) string { return "session#" + id.ID(a).Key() }

type sessionItem struct {
	SK        string            `dynamodbav:"sk"`
	Account   console.AccountID `dynamodbav:"account"`
	CSRF      string            `dynamodbav:"csrf"`
	CreatedAt int64             `dynamodbav:"created_at"` // Unix milliseconds
	SeenAt    int64             `dynamodbav:"seen_at"`    // Unix milliseconds
	Address   string            `dynamodbav:"address"`
	UserAgent string            `dynamodbav:"user_agent"`
	Expires   int64             `dynamodbav:"expires_at"` // Unix seconds
}

func fromSession(s console.Session) dynamo.Item {
	return dynamo.Encode(sessionPK(s.Account), string(s.Digest), sessionItem{
		Account: s.Account, CSRF: s.CSRF, CreatedAt: s.CreatedAt.UnixMilli(), SeenAt: s.SeenAt.UnixMilli(),
		Address: s.Address, UserAgent: s.UserAgent, Expires: s.Expires().Unix(),
	})
}

func (it sessionItem) session() console.Session {
	return console.Session{
		Account: it.Account, Digest: app.Digest(it.SK), CSRF: it.CSRF, CreatedAt: time.UnixMilli(it.CreatedAt).UTC(),
		SeenAt: time.UnixMilli(it.SeenAt).UTC(), Address: it.Address, UserAgent: it.UserAgent,
	}
}

// Session is one batch read of two items.
func (s *Store) Session(
	ctx context.Context, a console.AccountID, d app.Digest,
) (console.Session, console.Account, error) {
	found, err := dynamo.BatchGet(ctx, s.Client, s.Table,
		dynamo.Key(sessionPK(a), string(d)), dynamo.Key(accountsPK, accountSK(a)))
	if err != nil {
		return console.Session{}, console.Account{}, dynamo.Wrap("read session", err)
	}
	if len(found) < 2 {
		return console.Session{}, console.Account{}, errs.NotFound("session not found")
	}

	session, err := dynamo.Decode[sessionItem](found[string(d)])
	if err != nil {
		return console.Session{}, console.Account{}, err
	}
	account, err := dynamo.Decode[accountItem](found[accountSK(a)])
	return session.session(), account.account(), err
}

// InsertSession is one transaction of the session and a look at the account.
func (s *Store) InsertSession(ctx context.Context, session console.Session, hash password.Hash) error {
	err := dynamo.Transact(ctx, s.Client,
		dynamo.Put(s.Table, fromSession(session), "", nil),
		dynamo.Check(s.Table, accountsPK, accountSK(session.Account), "password_hash = :hash",
			dynamo.Item{":hash": dynamo.Text(string(hash))}))
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("the account's password was changed")
	}
	return dynamo.Wrap("insert session", err)
}

// TouchSession is one conditional write.
func (s *Store) TouchSession(ctx context.Context, session console.Session) error {
	_, err := dynamo.UpdateItem(ctx, s.Client, dynamo.Update(s.Table, sessionPK(session.Account), string(session.Digest),
		"SET seen_at = :seen, expires_at = :expires", dynamo.Exists, dynamo.Item{
			":seen": dynamo.Number(session.SeenAt.UnixMilli()), ":expires": dynamo.Instant(session.Expires()),
		}))
	if dynamo.ConditionFailed(err) {
		return nil
	}
	return dynamo.Wrap("touch session", err)
}

// Sessions is one query.
func (s *Store) Sessions(ctx context.Context, a console.AccountID) ([]console.Session, error) {
	items, err := dynamo.All[sessionItem](ctx, s.Client, dynamo.Query(s.Table, sessionPK(a), "", "", false, 0))
	var all []console.Session
	for _, it := range items {
		all = append(all, it.session())
	}
	return all, err
}

// DeleteSessions is one write for each.
func (s *Store) DeleteSessions(ctx context.Context, a console.AccountID, digests ...app.Digest) error {
	for _, d := range digests {
		_, err := s.Client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &s.Table, Key: dynamo.Key(sessionPK(a), string(d)),
		})
		if err != nil {
			return dynamo.Wrap("delete session", err)
		}
	}
	return nil
}
