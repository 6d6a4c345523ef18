package userdb

import (
	"context"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// Sessions implements session.Reader, login.Store and login.ExpiryStore. The sessions are beside the account of each
// user:
//
//	pk = <scope>#user#<id>   sk = session#<digest of the token>
type Sessions struct {
	Client *dynamo.Client
	Table  string
	Rows   *rowdb.Rows
	shards dynamo.Shards // of the due list of temporary users
}

const sessionPrefix = "session#"

func sessionSK(d app.Digest) string { return sessionPrefix + string(d) }

// sessionItem is the stored form of a session.Session.
type sessionItem struct {
	Digest     app.Digest      `dynamodbav:"sk"` // after sessionPrefix
	Generation int64           `dynamodbav:"generation"`
	Method     app.LoginMethod `dynamodbav:"method"`
	Address    string          `dynamodbav:"address"`
	UserAgent  string          `dynamodbav:"user_agent"`
	CreatedAt  time.Time       `dynamodbav:"created_at"`
	ExpiresAt  time.Time       `dynamodbav:"expires_at,unixtime"`
}

func fromSession(scope tenant.Scope, id user.ID, s session.Session) dynamo.Item {
	return dynamo.Encode(userPK(scope, id), sessionSK(s.Digest), sessionItem(s))
}

func toSession(it dynamo.Item) (session.Session, error) {
	stored, err := dynamo.Decode[sessionItem](it)
	stored.Digest = app.Digest(strings.TrimPrefix(string(stored.Digest), sessionPrefix))
	stored.ExpiresAt = stored.ExpiresAt.UTC()
	return session.Session(stored), err
}

// Session makes one BatchGetItem of three items, and of the item that the request wants to prefetch.
func (s *Sessions) Session(
	ctx context.Context, scope tenant.Scope, id int64, d app.Digest,
) (found session.Found, err error) {
	t := table.Profiles()
	items, row, err := s.read(ctx, scope, t, user.ID(id), accountSK, sessionSK(d))
	if err != nil {
		return found, err
	}
	if len(items[sessionSK(d)]) == 0 || row.ID == "" {
		return found, errs.NotFound("session not found")
	}
	account, err := dynamo.Decode[accountItem](items[accountSK])
	if err != nil {
		return found, err
	}
	found.Session, err = toSession(items[sessionSK(d)])
	found.Generation = account.Generation
	found.Identity = identity(id, user.Account(account), row)
	return found, err
}

// Subject implements bulk.Subjects with one BatchGetItem.
func (s *Sessions) Subject(ctx context.Context, scope tenant.Scope, id int64) (permission.Subject, error) {
	who, err := s.Identity(ctx, scope, id)
	return who.Subject, err
}

// Identity makes one BatchGetItem.
func (s *Sessions) Identity(ctx context.Context, scope tenant.Scope, id int64) (session.Identity, error) {
	t := table.Profiles()
	account, row, err := s.User(ctx, scope, t, user.ID(id))
	if err == nil && (row.ID == "" || account.Blocked || account.ClosedAt > 0) {
		err = errs.NotFound("user %d not found", id)
	}
	return identity(id, account, row), err
}

// identity returns the user of a row, without a session.
func identity(id int64, a user.Account, row table.Row) session.Identity {
	text := func(name string) string {
		value, _ := row.Fields[name].(string)
		return value
	}
	who := session.Identity{
		Subject:  permission.Subject{User: id, Temporary: a.Temporary},
		Nickname: text("nickname"), AvatarURL: text("avatar"), OpenID: text("openid"), UnionID: text("unionid"),
		AltUser: a.VendorID("alt", "user_id"),
	}
	groups, _ := row.Fields[user.UserGroup].([]any)
	for _, g := range groups {
		if n, ok := g.(int64); ok {
			who.Groups = append(who.Groups, n)
		}
	}
	return who
}

// read makes one BatchGetItem of items of a user, by sort key, and the profile.
func (s *Sessions) read(
	ctx context.Context, scope tenant.Scope, t table.Table, id user.ID, sortKeys ...string,
) (items map[string]dynamo.Item, row table.Row, err error) {
	keys := map[string][]dynamo.Item{s.Rows.Table: {rowdb.Key(scope, t, id.Row())}}
	for _, sk := range sortKeys {
		keys[s.Table] = append(keys[s.Table], dynamo.Key(userPK(scope, id), sk))
	}
	found, err := dynamo.BatchGetTables(ctx, s.Client, keys)
	if err != nil {
		return nil, row, dynamo.Wrap("read user", err)
	}
	items = map[string]dynamo.Item{}
	for _, it := range found[s.Table] {
		items[dynamo.TextOf(it["sk"])] = it
	}
	for _, it := range found[s.Rows.Table] {
		row = rowdb.ToRow(t, it)
	}
	return items, row, nil
}

// User makes one BatchGetItem of two items.
func (s *Sessions) User(
	ctx context.Context, scope tenant.Scope, t table.Table, id user.ID,
) (user.Account, table.Row, error) {
	items, row, err := s.read(ctx, scope, t, id, accountSK)
	if err != nil {
		return user.Account{}, row, err
	}
	account, err := dynamo.Decode[accountItem](items[accountSK])
	account.UserID = id // set even if the user has no account
	return user.Account(account), row, err
}

// WriteUser runs one transaction of the account, the owner items that change, the session, the expiry, the proof and
// the row.
func (s *Sessions) WriteUser(ctx context.Context, scope tenant.Scope, t table.Table, w login.Write) error {
	parts, taken := replaceAccount(s.Table, scope, w.Old, w.New)
	if w.Session != nil {
		parts = append(parts, dynamo.Put(s.Table, fromSession(scope, w.New.UserID, *w.Session), "", nil))
	}
	if w.Proof != nil {
		taken[len(parts)] = w.Proof.Refused
		parts = append(parts, SpendProof(s.Table, scope, *w.Proof))
	}
	kept := len(parts)
	if w.Kept != nil {
		parts = append(parts, dynamo.Put(s.Table, fromSession(scope, w.New.UserID, *w.Kept), dynamo.Exists, nil))
	}
	if !w.Expires.IsZero() {
		part, err := s.putExpiry(ctx, login.Expiry{Scope: scope, User: w.New.UserID, At: w.Expires})
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	var changes []table.Change
	if w.Profile != nil {
		changes = append(changes, *w.Profile)
	}
	refused, err := s.Rows.WriteWith(ctx, scope, t, parts, changes)
	if refused[0] != nil {
		return refused[0]
	}
	if w.Kept != nil && dynamo.ConditionFailedAt(err, kept) {
		return errs.Unauthenticated("the session has ended: log in again")
	}
	return accountError(err, taken)
}

// InsertSession makes one write.
func (s *Sessions) InsertSession(ctx context.Context, scope tenant.Scope, id user.ID, one session.Session) error {
	return dynamo.Do(ctx, s.Client, "insert session", nil, dynamo.Put(s.Table, fromSession(scope, id, one), "", nil))
}

// InsertProven runs one transaction of two writes.
func (s *Sessions) InsertProven(
	ctx context.Context, scope tenant.Scope, id user.ID, one session.Session, p login.Proof,
) error {
	return dynamo.Do(ctx, s.Client, "insert session", p.Refused,
		dynamo.Put(s.Table, fromSession(scope, id, one), "", nil), SpendProof(s.Table, scope, p))
}

// Sessions makes one Query.
func (s *Sessions) Sessions(ctx context.Context, scope tenant.Scope, id user.ID) ([]session.Session, error) {
	query := dynamo.Query(s.Table, userPK(scope, id), sessionPrefix, sessionPrefix+"\x7f", false, 0)
	return dynamo.Collect(ctx, s.Client, query, toSession)
}

// DeleteSessions makes one BatchWriteItem per 25 sessions, or one write for a single session.
func (s *Sessions) DeleteSessions(ctx context.Context, scope tenant.Scope, id user.ID, digests ...app.Digest) error {
	var keys []string
	for _, d := range digests {
		keys = append(keys, sessionSK(d))
	}
	return dynamo.Wrap("delete sessions", dynamo.BatchDelete(ctx, s.Client, s.Table, userPK(scope, id), keys))
}
