package consoledb_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// note writes an entry of an account.
func (p *platform) note(by console.Account, in tenant.AppID, path string) console.Entry {
	p.Helper()
	e, err := console.Note(p.Context(), p.audit.Begin, p.IDs, console.Entry{
		At: p.Clock(), By: by.Administrator(), Application: in, Method: "PUT", Path: path, Fields: []string{"name"},
	})
	p.must(err)
	return e
}

// paths reads all pages of a list and returns the paths of its entries.
func (p *platform) paths(in tenant.AppID, f console.AuditFilter, limit int) string {
	p.Helper()
	all, pages := []string{}, 0
	for request := (page.Request{Limit: limit}); ; pages++ {
		got, err := p.audit.Entries(p.Context(), in, f, request)
		p.must(err)
		if len(got.Objects) > limit || pages > 100 {
			p.Fatalf("%d entries on a page of %d", len(got.Objects), limit)
		}
		for _, e := range got.Objects {
			all = append(all, e.Path)
		}
		if got.Next == "" {
			return fmt.Sprint(all)
		}
		request.After = got.Next
	}
}

func TestAuditLog(t *testing.T) {
	p := newPlatform(t)
	ada, bob := p.account("ada", console.Owner), p.account("bob", console.Developer, 7)
	begun := p.Clock()
	for i, by := range []console.Account{ada, bob, bob, ada, ada} {
		p.note(by, 7, fmt.Sprint(i))
		p.note(ada, 8, "of another application")
		p.later(time.Second)
	}
	second := func(n int) time.Time { return begun.Add(time.Duration(n) * time.Second) }
	for _, c := range []struct {
		name   string
		filter console.AuditFilter
		want   string
	}{
		{"all", console.AuditFilter{}, "[4 3 2 1 0]"},
		{"one account's", console.AuditFilter{Account: bob.ID}, "[2 1]"},
		{"nobody's", console.AuditFilter{Account: 1}, "[]"},
		{"from", console.AuditFilter{From: second(2)}, "[4 3 2]"},
		{"to, which is not in it", console.AuditFilter{To: second(2)}, "[1 0]"},
		{"from, to and account", console.AuditFilter{From: second(1), To: second(4), Account: ada.ID}, "[3]"},
		{"an empty time", console.AuditFilter{From: second(2), To: second(2)}, "[]"},
		{"from after to", console.AuditFilter{From: second(3), To: second(1)}, "[]"},
	} {
		for _, limit := range []int{1, 2, 5, 100} {
			if got := p.paths(7, c.filter, limit); got != c.want {
				t.Errorf("%s by %d: %s, want %s", c.name, limit, got, c.want)
			}
		}
	}

	got, err := p.audit.Entries(t.Context(), 7, console.AuditFilter{}, page.Request{Limit: 2, Offset: 2})
	if err != nil || len(got.Objects) != 2 || got.Objects[0].Path != "2" {
		t.Errorf("from an offset: %v, %v", got.Objects, err)
	}
	if _, err := p.audit.Entries(t.Context(), 7, console.AuditFilter{}, page.Request{Limit: 2, After: "x"}); !errs.Is(
		err, errs.KindInvalid) {
		t.Errorf("a cursor of another list: %v", err)
	}
	if got := p.paths(9, console.AuditFilter{}, 10); got != "[]" {
		t.Errorf("of an application where nothing happened: %s", got)
	}
}

// TestEntryIsStoredBeforeItsStatus: the status of an entry is 0 until the response is known.
func TestEntryIsStoredBeforeItsStatus(t *testing.T) {
	p := newPlatform(t)
	e := p.note(p.account("ada", console.Owner), 7, "/x/")
	status := func() int {
		got, err := p.audit.Entries(t.Context(), 7, console.AuditFilter{}, page.Request{Limit: 10})
		p.must(err)
		if len(got.Objects) != 1 || got.Objects[0].By.Email != "ada@Example.com" || got.Objects[0].Fields[0] != "name" {
			t.Fatalf("%+v", got.Objects)
		}
		return got.Objects[0].Status
	}
	if status() != 0 {
		t.Error("it has a status before the answer")
	}
	lost := &consoledb.Audit{
		Client: dynamotest.Faulty(p.client, times(1, "UpdateItem", dynamotest.Unheard)), Table: "AuditTable",
	}
	p.must(lost.End(t.Context(), e, 202))
	if got := status(); got != 202 {
		t.Errorf("status %d, want 202", got)
	}
}

// TestRefusedChangeLeavesNoEntry: no entry is written if the account has changed or was deleted.
func TestRefusedChangeLeavesNoEntry(t *testing.T) {
	p := newPlatform(t)
	p.account("owner", console.Owner)
	ada := p.account("ada", console.Developer, 7)
	entry := console.Entry{ID: p.IDs.New(p.Clock()), At: p.Clock(), By: ada.Administrator(), Application: 7}
	viewer := console.Viewer
	_, err := p.Modify(t.Context(), ada.ID, console.Change{Role: &viewer})
	p.must(err)
	if err := p.audit.Begin(t.Context(), entry); !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("with the role of before: %v", err)
	}
	p.must(p.Delete(t.Context(), ada.ID))
	if err := p.audit.Begin(t.Context(), entry); !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("of an account that was removed: %v", err)
	}
	if got := p.paths(7, console.AuditFilter{}, 10); got != "[]" {
		t.Errorf("in the log: %s", got)
	}
}

// TestEntriesOfOneMillisecondStay: if two programs draw the same id in a millisecond, both entries are stored. A
// repeated write keeps its id.
func TestEntriesOfOneMillisecondStay(t *testing.T) {
	p := newPlatform(t)
	ada, bob := p.account("ada", console.Owner), p.account("bob", console.Owner)
	draw := func(by console.Account, path string) id.ID {
		e, err := console.Note(t.Context(), p.audit.Begin, id.Seeded("the same"), console.Entry{
			At: p.Clock(), By: by.Administrator(), Application: 7, Method: "PUT", Path: path,
		})
		p.must(err)
		return e.ID
	}
	first, second, again := draw(ada, "/a/"), draw(bob, "/b/"), draw(ada, "/a/")
	if first == second || first != again || draw(bob, "/b/") != second {
		t.Errorf("ids %d, %d and again %d", first, second, again)
	}
	if got := p.paths(7, console.AuditFilter{}, 10); got != "[/b/ /a/]" {
		t.Errorf("in the log: %s", got)
	}

	same := func(ctx context.Context, _ console.Entry) error { return errs.Duplicate("it is another's") }
	if _, err := console.Note(t.Context(), same, p.IDs, console.Entry{}); !errs.Is(err, errs.KindDuplicate) {
		t.Errorf("where every id is taken: %v", err)
	}
}

// TestReturnsThrottlingOfTheLog: a throttled write of the log returns an error, so the change is refused and can be
// retried.
func TestReturnsThrottlingOfTheLog(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("ada", console.Owner)
	entry := console.Entry{ID: p.IDs.New(p.Clock()), At: p.Clock(), By: ada.Administrator(), Application: 7, Path: "/x/"}
	for _, c := range []struct {
		fault dynamotest.Fault
		n     int
		fails bool
	}{{dynamotest.Throttled, 1, false}, {dynamotest.Unheard, 1, false}, {dynamotest.Throttled, 1e9, true}} {
		busy := *p.audit
		busy.Client = dynamotest.Faulty(p.client, times(c.n, "TransactWriteItems", c.fault))
		if err := busy.Begin(t.Context(), entry); (err != nil) != c.fails || err != nil && !errs.Is(err, errs.KindUnavailable) {
			t.Errorf("fault %d, %d times: %v", c.fault, c.n, err)
		}
	}
	if got := p.paths(7, console.AuditFilter{}, 10); got != "[/x/]" {
		t.Errorf("in the log: %s", got)
	}
}

// TestReadChecksItsSessionOnly: programs that serve the open API may read sessions and nothing else in the accounts'
// table. A plain read is used, because concurrent transactions on the same item would conflict.
func TestReadChecksItsSessionOnly(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("ada", console.Owner)
	by := ada.Administrator()
	by.Session = "digest"
	reader := *p.audit
	reader.Client = dynamotest.Faulty(p.client, times(1e9, "TransactWriteItems", dynamotest.Throttled))
	if err := reader.SignedIn(t.Context(), by); !errs.Is(err, errs.KindUnauthenticated) {
		t.Errorf("without a session: %v", err)
	}

	session := console.Session{Account: ada.ID, Digest: by.Session, CreatedAt: p.Clock(), SeenAt: p.Clock()}
	p.must(p.store.InsertSession(t.Context(), session, ada.Password))
	p.must(reader.SignedIn(t.Context(), by))
	reader.Client = dynamotest.Faulty(p.client, times(1e9, "GetItem", dynamotest.Throttled))
	if err := reader.SignedIn(t.Context(), by); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("where the session cannot be read: %v", err)
	}
}
