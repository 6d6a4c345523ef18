package consoledb_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/console"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/attemptdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
	"minicloud/shared/secret/password/passwordtest"
	"minicloud/shared/tenant"
)

// secret is every account's password.
const secret = "correct horse battery"

// platform is the console's service on its own database, with a clock set by the test.
type platform struct {
	*testing.T
	*console.Service
	client *dynamodb.Client
	store  *consoledb.Store
	audit  *consoledb.Audit
	now    atomic.Pointer[time.Time]
}

func newPlatform(t *testing.T) *platform {
	client := dynamotest.Start(t, "ConsoleTable", "AuditTable")
	p := &platform{T: t, client: client, store: &consoledb.Store{Client: client, Table: "ConsoleTable"}}
	p.audit = &consoledb.Audit{Client: client, Table: "AuditTable", Accounts: "ConsoleTable"}
	p.at(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	p.Service = p.on(client)
	return p
}

// on returns the service on another client of the same database.
func (p *platform) on(client *dynamodb.Client) *console.Service {
	store := &consoledb.Store{Client: client, Table: "ConsoleTable"}
	return &console.Service{
		Accounts: store, Sessions: store, Attempts: (*attemptdb.Store)(store), Passwords: passwordtest.New(4), IDs: new(id.Source),
		Clock: func() time.Time { return *p.now.Load() },
	}
}

func (p *platform) at(now time.Time) { p.now.Store(&now) }

func (p *platform) later(by time.Duration) { p.at(p.Clock().Add(by)) }

func (p *platform) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// hashed returns the hash of secret. It is computed once, because a hash takes 20 ms.
var hashed = sync.OnceValues(func() (password.Hash, error) {
	return passwordtest.New(1).Hash(context.Background(), secret)
})

func (p *platform) account(name string, role console.Role, in ...tenant.AppID) console.Account {
	p.Helper()
	hash, err := hashed()
	p.must(err)
	a := console.Account{
		ID: console.AccountID(p.IDs.New(p.Clock())), Email: name + "@Example.com", Name: name, Password: hash, Role: role,
		AllApplications: len(in) == 0, Applications: in, CreatedAt: p.Clock(), Revision: 1,
	}
	p.must(p.store.InsertAccount(p.Context(), a))
	return a
}

func (p *platform) read(a console.Account) console.Account {
	p.Helper()
	got, err := p.store.Account(p.Context(), a.ID)
	p.must(err)
	return got
}

func (p *platform) signIn(name string) (console.Cookie, console.Session, error) {
	cookie, session, _, err := p.SignIn(p.Context(), console.SignIn{
		Email: name + "@example.com", Password: secret, Address: "192.0.2.1",
	})
	return cookie, session, err
}

// atOnce calls f n times concurrently and counts the results.
func atOnce[T comparable](n int, f func(i int) T) map[T]int {
	results, counts := make([]T, n), map[T]int{}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { results[i] = f(i) })
	}
	wg.Wait()
	for _, result := range results {
		counts[result]++
	}
	return counts
}

// times returns a fault for the first n calls of an operation.
func times(n int, of string, fault dynamotest.Fault) func(string) dynamotest.Fault {
	return func(operation string) dynamotest.Fault {
		if operation == of && n > 0 {
			n--
			return fault
		}
		return 0
	}
}

// TestOldAccountsKeepTheirApplications: an account stored before selected existed has all applications if it has no
// list.
func TestOldAccountsKeepTheirApplications(t *testing.T) {
	p := newPlatform(t)
	for _, a := range []console.Account{p.account("all", console.Viewer), p.account("some", console.Viewer, 7)} {
		_, err := p.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String("ConsoleTable"), Key: dynamo.Key("accounts", id.ID(a.ID).Key()),
			UpdateExpression: aws.String("REMOVE selected"),
		})
		p.must(err)
		if got := p.read(a); got.AllApplications != a.AllApplications || len(got.Applications) != len(a.Applications) {
			t.Errorf("%s: %+v", a.Name, got)
		}
	}

	none := p.account("none", console.Viewer, 7)
	_, err := p.Modify(t.Context(), none.ID, console.Change{Applications: new([]tenant.AppID)})
	p.must(err)
	if got := p.read(none); got.AllApplications || got.Administrator().Enters(7) {
		t.Errorf("none: %+v", got)
	}
}

func TestFindsAccountsByEmail(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("Ada", console.Owner)
	p.account("Bob", console.Viewer, 7, 9)
	got, err := p.store.ByEmail(t.Context(), console.Fold(" ADA@example.COM "))
	if err != nil || got.ID != ada.ID || got.Email != "Ada@Example.com" || got.Password != ada.Password {
		t.Errorf("%+v, %v", got, err)
	}
	all, err := p.store.Accounts(t.Context())
	if err != nil || len(all) != 2 || all[0].ID != ada.ID || len(all[0].Applications) != 0 ||
		fmt.Sprint(all[1].Applications) != "[7 9]" {
		t.Errorf("%+v, %v", all, err)
	}

	twin := ada
	twin.ID, twin.Email = 1, "ADA@EXAMPLE.COM"
	if err := p.store.InsertAccount(t.Context(), twin); !errs.Is(err, errs.KindDuplicate) {
		t.Errorf("a second account of the same email: %v", err)
	}
	for _, missing := range []console.AccountID{1, 1 << 52} {
		if _, err := p.store.Account(t.Context(), missing); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("account %d: %v", missing, err)
		}
	}

	p.must(p.store.DeleteAccount(t.Context(), ada, 0))
	if _, err := p.store.ByEmail(t.Context(), console.Fold(ada.Email)); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a removed account is found by its email: %v", err)
	}
	p.must(p.store.InsertAccount(t.Context(), twin)) // the email is free again
}

// TestRepeatedInsertKeepsChanges: a repeated insert does not undo another owner's change.
func TestRepeatedInsertKeepsChanges(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("ada", console.Owner)
	p.must(p.store.InsertAccount(t.Context(), ada))
	next := ada
	next.Role, next.Revision = console.Viewer, 2
	p.must(p.store.ReplaceAccount(t.Context(), ada, next, 0))
	p.must(p.store.InsertAccount(t.Context(), ada))
	if got := p.read(ada); got.Role != console.Viewer || got.Revision != 2 {
		t.Errorf("a repetition made them %s again, revision %d", got.Role, got.Revision)
	}
}

// TestOneOfManyWritersWins: one of many writers that have read the same account wins. The service reads again and
// retries, so no change is lost.
func TestOneOfManyWritersWins(t *testing.T) {
	p := newPlatform(t)
	ada := p.account("ada", console.Owner)
	got := atOnce(12, func(i int) string {
		next := ada
		next.Name, next.Revision = fmt.Sprint(i), 2
		err := p.store.ReplaceAccount(t.Context(), ada, next, 0)
		if err != nil && !errs.Is(err, errs.KindConflict) {
			t.Error(err)
		}
		return fmt.Sprint(err == nil)
	})
	if got["true"] != 1 {
		t.Errorf("of 12 who replace the same account, %d do", got["true"])
	}

	p.account("bob", console.Owner)
	if got := atOnce(12, func(int) error { return p.SignOutEverywhere(t.Context(), ada.ID) }); got[nil] != 12 {
		t.Errorf("%v", got)
	}
	if got := p.read(ada); got.Revision != 14 {
		t.Errorf("revision %d after 13 changes", got.Revision)
	}
}

// TestKeepsTheLastOwner: one owner remains after concurrent removals and demotions of owners.
func TestKeepsTheLastOwner(t *testing.T) {
	p := newPlatform(t)
	const owners = 6
	for round := range 3 {
		var all []console.Account
		for i := range owners {
			all = append(all, p.account(fmt.Sprintf("owner%d-%d", round, i), console.Owner))
		}
		viewer, limited := console.Viewer, []tenant.AppID{7}
		atOnce(3*owners, func(i int) error {
			victim := all[i%owners].ID
			switch i / owners {
			case 0:
				return p.Delete(t.Context(), victim)
			case 1:
				_, err := p.Modify(t.Context(), victim, console.Change{Role: &viewer})
				return err
			}
			_, err := p.Modify(t.Context(), victim, console.Change{Applications: &limited})
			return err
		})

		there, err := p.store.Accounts(t.Context())
		p.must(err)
		var left []console.Account
		for _, a := range there {
			if a.Administrator().Everywhere() == nil {
				left = append(left, a)
			}
		}
		if len(left) != 1 {
			t.Fatalf("%d owners of all applications are left", len(left))
		}
		if err := p.Delete(t.Context(), left[0].ID); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("the last owner is removed: %v", err)
		}
		if _, err := p.Modify(t.Context(), left[0].ID, console.Change{Role: &viewer}); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("the last owner is demoted: %v", err)
		}
	}
}

// TestAccountSurvivesFaults: a write whose answer is lost has one effect, and a throttled table returns an error.
func TestAccountSurvivesFaults(t *testing.T) {
	p := newPlatform(t)
	ada, name := p.account("ada", console.Owner), "Ada L."
	lost := p.on(dynamotest.Faulty(p.client, times(1, "TransactWriteItems", dynamotest.Unheard)))
	if _, err := lost.Modify(t.Context(), ada.ID, console.Change{Name: &name}); err != nil {
		t.Errorf("the answer got lost: %v", err)
	}
	if got := p.read(ada); got.Name != name || got.Revision != 2 {
		t.Errorf("%+v", got)
	}

	busy := p.on(dynamotest.Faulty(p.client, times(1e9, "TransactWriteItems", dynamotest.Throttled)))
	if _, err := busy.Modify(t.Context(), ada.ID, console.Change{Name: &ada.Name}); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("throttled: %v", err)
	}
	if err := busy.Delete(t.Context(), p.account("bob", console.Viewer).ID); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("throttled: %v", err)
	}
	if got := p.read(ada); got.Name != name {
		t.Errorf("%+v", got)
	}
}
