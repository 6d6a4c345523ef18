package consoledb

import (
	"context"
	"strconv"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Audit implements console.AuditStore. It has a table of its own, because every program writes to it, but no program
// except the console may write to the table of accounts.
//
//	pk = <application>   sk = <id>   an entry, swept by TTL; application 0 has entries of no application
type Audit struct {
	Client   *dynamo.Client
	Table    string
	Accounts string // the table of Store
}

func auditPK(a tenant.AppID) string { return strconv.FormatInt(int64(a), 10) }

type entryItem struct {
	SK          string            `dynamodbav:"sk"`
	At          time.Time         `dynamodbav:"at"`
	Account     console.AccountID `dynamodbav:"account"`
	Email       string            `dynamodbav:"email"`
	Name        string            `dynamodbav:"account_name"`
	Role        console.Role      `dynamodbav:"account_role"`
	As          int64             `dynamodbav:"acting_as,omitempty"`
	Environment tenant.EnvID      `dynamodbav:"env,omitempty"`
	Method      string            `dynamodbav:"http_method"`
	Path        string            `dynamodbav:"http_path"`
	Address     string            `dynamodbav:"address"`
	Fields      []string          `dynamodbav:"fields,omitempty"`
	Status      int               `dynamodbav:"answer_status,omitempty"`
	Expires     int64             `dynamodbav:"expires_at"` // Unix seconds
}

// Begin runs one transaction: it writes the entry and checks the account and, for a token with a session, the session.
func (s *Audit) Begin(ctx context.Context, e console.Entry) error {
	var as int64
	if e.By.As != nil {
		as = e.By.As.ID
	}
	it := dynamo.Encode(auditPK(e.Application), e.ID.Key(), entryItem{
		At: e.At, Account: e.By.ID, Email: e.By.Email, Name: e.By.Name, Role: e.By.Role, As: as,
		Environment: e.Environment, Method: e.Method, Path: e.Path, Address: e.Address, Fields: e.Fields,
		Status: e.Status, Expires: e.At.Add(console.AuditKept).Unix(),
	})
	// Ids are random, so the condition keeps an entry from overwriting another one.
	same := dynamo.Item{
		":account": dynamo.Number(int64(e.By.ID)), ":method": dynamo.Text(e.Method), ":path": dynamo.Text(e.Path),
	}
	parts := []dynamo.Part{
		dynamo.Put(s.Table, it, dynamo.NotExists+
			" OR account = :account AND http_method = :method AND http_path = :path", same),
		dynamo.Check(s.Accounts, accountsPK, accountSK(e.By.ID), dynamo.IsRevision,
			dynamo.RevisionOf(e.By.Revision)),
	}
	if e.By.Session != "" {
		parts = append(parts, s.sessionExists(e.By))
	}
	err := dynamo.Transact(ctx, s.Client, parts...)
	switch {
	case dynamo.ConditionFailedAt(err, 2):
		return errSignedOut()
	case dynamo.ConditionFailedAt(err, 1):
		return errs.Unauthenticated("your account was changed, get a new token or sign in again")
	case dynamo.ConditionFailedAt(err, 0):
		return errs.Duplicate("audit entry %s is another's", e.ID.Key())
	}
	return dynamo.Wrap("write audit log", err)
}

// SignedIn makes one consistent read of the session, or none for a token without one. Of the table of accounts,
// programs may read only the items of sessions.
func (s *Audit) SignedIn(ctx context.Context, by console.Administrator) error {
	if by.Session == "" {
		return nil
	}
	it, err := dynamo.GetItem(ctx, s.Client, s.Accounts, sessionPK(by.ID), string(by.Session), "sk")
	if err == nil && len(it) == 0 {
		return errSignedOut()
	}
	return err
}

func (s *Audit) sessionExists(by console.Administrator) dynamo.Part {
	return dynamo.Check(s.Accounts, sessionPK(by.ID), string(by.Session), dynamo.Exists, nil)
}

func errSignedOut() error {
	return errs.Unauthenticated("the session of this console token is over: sign in again")
}

// End makes one write.
func (s *Audit) End(ctx context.Context, e console.Entry, status int) error {
	err := dynamo.Write(ctx, s.Client, dynamo.Update(s.Table, auditPK(e.Application), e.ID.Key(),
		"SET answer_status = :status", dynamo.Exists, dynamo.Item{":status": dynamo.Number(int64(status))}))
	return dynamo.Wrap("write audit log", err)
}

// Entries makes one Query, or more if a filter excludes many entries.
func (s *Audit) Entries(
	ctx context.Context, a tenant.AppID, f console.AuditFilter, req page.Request,
) (page.Page[console.Entry], error) {
	got := page.Page[console.Entry]{Total: -1}
	from, to, err := bounds(f, req.After)
	if err != nil || from > to {
		return got, err
	}

	entries := func(yield func(console.Entry, error) bool) {
		for it, err := range dynamo.Each[entryItem](
			ctx, s.Client, dynamo.Query(s.Table, auditPK(a), from.Key(), to.Key(), true, 0),
		) {
			// Yield an error regardless of the filter.
			if (err != nil || f.Account == 0 || it.Account == f.Account) && !yield(it.entry(a), err) {
				return
			}
		}
	}
	return page.Collect(req, entries, nil, func(e console.Entry) page.Cursor {
		return page.Cursor(e.ID.Key())
	})
}

// bounds returns the first and the last id that a page may contain.
func bounds(f console.AuditFilter, after page.Cursor) (from, to id.ID, err error) {
	from, to = 0, id.ID(1<<53-1)
	if !f.From.IsZero() {
		from = id.First(f.From)
	}
	if !f.To.IsZero() {
		to = id.First(f.To) - 1
	}
	if after == "" {
		return from, to, nil
	}
	last, err := after.ID()
	return from, min(to, last-1), err
}

func (it entryItem) entry(a tenant.AppID) console.Entry {
	number, _ := strconv.ParseInt(it.SK, 10, 64) // always written by ID.Key
	by := console.Administrator{ID: it.Account, Email: it.Email, Name: it.Name, Role: it.Role}
	if it.As != 0 {
		by.As = &console.EndUser{ID: it.As, Env: it.Environment}
	}
	return console.Entry{
		ID: id.ID(number), At: it.At, Application: a, Environment: it.Environment,
		By: by, Method: it.Method, Path: it.Path, Address: it.Address, Fields: it.Fields, Status: it.Status,
	}
}
