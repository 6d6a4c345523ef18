package userdb_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

var (
	scope = tenant.Scope{App: 7, Env: tenant.Production}
	other = tenant.Scope{App: 8, Env: tenant.Production}
)

// TestAccounts: an account is read back as written, and a change of an outdated account is refused.
func TestAccounts(t *testing.T) {
	s := &userdb.Accounts{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}
	empty, err := s.Account(t.Context(), scope, 5)
	if err != nil || empty != (user.Account{UserID: 5}) {
		t.Errorf("never written: %+v, %v", empty, err)
	}

	full := user.Account{
		UserID: 5, Username: "Ann", Email: "ann@example.com", EmailVerified: true, Phone: "+14155552671",
		PhoneVerified: true,
		Password:      "a hash", UpdatedAt: 1_800_000_000, Revision: 1, Tokens: "t",
	}
	if err := s.ReplaceAccount(t.Context(), scope, empty, full); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Account(t.Context(), scope, 5); err != nil || got != full {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Account(t.Context(), other, 5); err != nil || got != (user.Account{UserID: 5}) {
		t.Errorf("another application sees %+v, %v", got, err)
	}
	for name, c := range map[string]struct{ old, next user.Account }{
		"that is there already": {empty, full},
		"that has changed":      {user.Account{UserID: 5, Revision: 7}, full},
	} {
		if err := s.ReplaceAccount(t.Context(), scope, c.old, c.next); !errs.Is(err, errs.KindConflict) {
			t.Errorf("an account %s: %v", name, err)
		}
	}
}

// TestNamesOfAccountsAreUnique: a username or email belongs to one account of an environment until that account drops
// it.
func TestNamesOfAccountsAreUnique(t *testing.T) {
	s := &userdb.Accounts{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}
	var won, taken atomic.Int32
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			next := user.Account{UserID: user.ID(i + 1), Username: []string{"Ann", "ann", "ＡＮＮ"}[i%3], Revision: 1}
			switch err := s.ReplaceAccount(t.Context(), scope, user.Account{}, next); {
			case err == nil:
				won.Add(1)
			case errs.Is(err, errs.KindDuplicate) && strings.Contains(err.Error(), "username"):
				taken.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || taken.Load() != 99 {
		t.Errorf("%d accounts have the name, %d were refused", won.Load(), taken.Load())
	}

	holders := 0
	var ann user.Account
	for i := range 100 {
		a, err := s.Account(t.Context(), scope, user.ID(i+1))
		if err != nil {
			t.Error(err)
		}
		if a.Username != "" {
			holders++
			ann = a
		}
	}
	if holders != 1 {
		t.Errorf("%d accounts hold the name", holders)
	}

	renamed := ann
	renamed.Username, renamed.Email, renamed.Revision = "ANN", "a@b.c", 2
	if err := s.ReplaceAccount(t.Context(), scope, ann, renamed); err != nil {
		t.Errorf("the same name in capitals: %v", err)
	}
	bob := user.Account{UserID: 500, Username: "bob", Email: "A@B.C", Revision: 1}
	if err := s.ReplaceAccount(t.Context(), scope, user.Account{}, bob); !errs.Is(err, errs.KindDuplicate) {
		t.Errorf("the email of another: %v", err)
	}
	if err := s.ReplaceAccount(t.Context(), other, user.Account{}, bob); err != nil {
		t.Errorf("in another application: %v", err)
	}

	without := renamed
	without.Username, without.Email, without.Revision = "", "", 3
	if err := s.ReplaceAccount(t.Context(), scope, renamed, without); err != nil {
		t.Fatal(err)
	}
	if err := s.ReplaceAccount(t.Context(), scope, user.Account{}, bob); err != nil {
		t.Errorf("an email that was given up: %v", err)
	}
}

// TestGroups: groups are inserted and deleted with their member counters, and a repeated call has no second effect.
func TestGroups(t *testing.T) {
	client := dynamotest.Start(t, "UsersTable", "RowIndexesTable")
	s := &userdb.Groups{
		Client: client, Table: "UsersTable", Rows: &rowdb.Rows{Client: client, Indexes: "RowIndexesTable", Schemas: "TablesTable"},
	}
	first, second := user.Group{ID: 1 << 20, Name: "first"}, user.Group{ID: 2 << 20, Name: "second"}
	for _, g := range []user.Group{first, second} {
		for range 2 {
			if err := s.InsertGroup(t.Context(), scope, g, "token"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.InsertGroup(t.Context(), scope, first, "another"); !errs.Is(err, errs.KindConflict) {
		t.Errorf("an id that is taken: %v", err)
	}

	for range 3 { // no rows: only the group's counters change
		if err := s.Move(t.Context(), scope, table.Table{}, nil, map[user.GroupID]int{first.ID: 0}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Move(t.Context(), scope, table.Table{}, nil, map[user.GroupID]int{77: 0}); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("an unknown group is left: %v", err)
	}

	renamed := "renamed"
	for range 2 {
		if err := s.ChangeGroup(t.Context(), scope, first.ID, user.GroupChange{Name: &renamed}, "rename"); err != nil {
			t.Fatal(err)
		}
	}
	first.Name = "renamed"
	got, err := s.ListGroups(t.Context(), scope)
	if diff := cmp.Diff([]user.Group{second, first}, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	if got, err := s.ListGroups(t.Context(), other); err != nil || len(got) != 0 {
		t.Errorf("another application has %+v, %v", got, err)
	}

	cleanup := bulk.Operation{ID: 5, Status: bulk.StatusWaiting, Where: "{}"}
	if err := s.DeleteGroup(t.Context(), scope, second.ID, cleanup); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteGroup(t.Context(), scope, second.ID, cleanup); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("deleted again: %v", err)
	}
	operations := &bulkdb.Operations{Client: client, Rows: s.Rows}
	if o, err := operations.Operation(t.Context(), scope, 5); err != nil || o.Status != bulk.StatusWaiting {
		t.Errorf("the operation of a deletion: %+v, %v", o, err)
	}
	if err := s.ChangeGroup(t.Context(), scope, second.ID, user.GroupChange{Name: &renamed}, ""); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("renamed when it was deleted: %v", err)
	}
}

// TestOperations: an operation is read back as written, and each step requires the revision of the one before.
func TestOperations(t *testing.T) {
	client := dynamotest.Start(t, "RowIndexesTable")
	s := &bulkdb.Operations{Client: client, Rows: &rowdb.Rows{Client: client, Indexes: "RowIndexesTable", Schemas: "TablesTable"}}
	o := bulk.Operation{
		ID: id.ID(1 << 40), Table: 12, Status: bulk.StatusWaiting, Where: `{"n":1}`, Body: []byte(`{"n":{"$incr_by":1}}`),
		Origin: table.Origin{Depth: 2}, Total: 3, UpdatedAt: 100, Revision: 1, Token: "token",
	}
	for range 2 { // a repeated insert finds its own operation
		if err := s.InsertOperation(t.Context(), scope, o); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Operation(t.Context(), other, o.ID); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("another application reads it: %v", err)
	}

	next := o
	next.Status, next.Cursor, next.Succeeded, next.Failed, next.Revision = bulk.StatusExecuting, "000005", 2, 1, 2
	next.Errors = []bulk.RowError{{Row: "000004", Kind: errs.KindInvalid, Message: "n is too large"}}
	if refused, err := s.Advance(t.Context(), scope, table.Table{}, nil, o, next); err != nil || len(refused) > 0 {
		t.Fatal(refused, err)
	}
	if _, err := s.Advance(t.Context(), scope, table.Table{}, nil, o, next); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("the same step by another worker: %v", err)
	}
	got, err := s.Operation(t.Context(), scope, o.ID)
	if diff := cmp.Diff(next, got); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

// TestLostAnswerOfAcceptance: an operation is accepted although the answer to the first attempt is lost.
func TestLostAnswerOfAcceptance(t *testing.T) {
	l := &dynamotest.Lossy{}
	client := l.Over(dynamotest.Start(t, "RowIndexesTable"))
	s := &bulkdb.Operations{Client: client, Rows: &rowdb.Rows{Indexes: "RowIndexesTable", Schemas: "TablesTable"}}
	o := bulk.Operation{ID: 5, Status: bulk.StatusWaiting, Where: "{}", Body: []byte("{}")}
	l.Cut.Store(true)
	if err := s.InsertOperation(t.Context(), scope, o); err != nil || l.Lost != 1 {
		t.Errorf("%v after %d lost answers", err, l.Lost)
	}
	if err := s.InsertOperation(t.Context(), scope, o); !errs.Is(err, errs.KindConflict) {
		t.Errorf("the same again: %v", err)
	}
}
