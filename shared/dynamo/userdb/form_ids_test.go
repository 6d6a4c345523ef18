package userdb_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func formID(u user.ID, v messaging.Vendor, id string, sends int) consent.FormID {
	return consent.FormID{
		User: u, Vendor: v, Kind: consent.Form, ID: id, Sends: sends, Expires: noon.Add(time.Hour),
	}
}

// TestFormIDsBelongToTheirUser: form ids are read as stored, a second insert changes nothing, and other users have
// none.
func TestFormIDsBelongToTheirUser(t *testing.T) {
	s := &userdb.FormIDs{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}
	f := formID(5, messaging.Chat, "a#b", 3)
	for i, next := range []consent.FormID{f, formID(5, messaging.Chat, "a#b", 1)} {
		if got, err := s.Insert(t.Context(), scope, next); err != nil || !cmp.Equal(got, f) {
			t.Errorf("insert %d: %+v, %v", i, got, err)
		}
	}
	if _, err := s.Insert(t.Context(), scope, formID(5, messaging.Alt, "c", 1)); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		scope  tenant.Scope
		user   user.ID
		vendor messaging.Vendor
		now    time.Time
		want   int
	}{
		"of the vendor": {scope, 5, messaging.Chat, noon, 1}, "of all": {scope, 5, "", noon, 2},
		"of another application": {other, 5, "", noon, 0}, "of another user": {scope, 55, "", noon, 0},
		"of another vendor": {scope, 5, messaging.Tpay, noon, 0}, "expired": {scope, 5, "", noon.Add(time.Hour), 0},
	} {
		got, err := s.Of(t.Context(), c.scope, c.user, c.vendor, c.now)
		if err != nil || len(got) != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestSpendsFormIDsUpToTheirUses: concurrent requests spend a form id once per name, up to its uses; a returned use can
// be spent again.
func TestSpendsFormIDsUpToTheirUses(t *testing.T) {
	s := &userdb.FormIDs{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"}
	f := formID(5, messaging.Chat, "p", 3)
	if _, err := s.Insert(t.Context(), scope, f); err != nil {
		t.Fatal(err)
	}
	spend := func(name string, now time.Time) error { return s.Spend(t.Context(), scope, f, name, now) }

	var spent atomic.Int32
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			switch err := spend(fmt.Sprint("run ", i%10), noon); {
			case err == nil:
				spent.Add(1)
			case !errs.Is(err, errs.KindConflict):
				t.Error(err)
			}
		})
	}
	group.Wait()
	kept, err := s.Of(t.Context(), scope, 5, "", noon)
	if err != nil || len(kept) != 1 || kept[0].Left() != 0 || len(kept[0].Spent) != 3 {
		t.Fatalf("%+v, %v", kept, err)
	}
	if n := spent.Load(); n < 3 || n > 6 { // a name that has spent it may ask again
		t.Errorf("%d were told that they have it", n)
	}

	mine := kept[0].Spent[0]
	for range 2 {
		if err := s.Return(t.Context(), scope, f, mine); err != nil {
			t.Error(err)
		}
	}
	if err := spend("late", noon.Add(time.Hour)); !errs.Is(err, errs.KindConflict) {
		t.Errorf("after it has expired: %v", err)
	}
	if err := spend("another", noon); err != nil {
		t.Errorf("what was given back: %v", err)
	}
	if err := spend("one more", noon); !errs.Is(err, errs.KindConflict) {
		t.Errorf("one too many: %v", err)
	}
	if err := s.Void(t.Context(), scope, f); err != nil {
		t.Error(err)
	}
	if err := s.Return(t.Context(), scope, f, "another"); err != nil {
		t.Error(err)
	}
	if err := spend("yet another", noon); !errs.Is(err, errs.KindConflict) {
		t.Errorf("of one that is void: %v", err)
	}

	swept := formID(6, messaging.Chat, "gone", 1)
	if err := s.Return(t.Context(), scope, swept, "x"); err != nil {
		t.Error(err)
	}
	if err := s.Void(t.Context(), scope, swept); err != nil {
		t.Error(err)
	}
	if got, err := s.Of(t.Context(), scope, 6, "", noon); err != nil || len(got) != 0 {
		t.Errorf("what is not there was made: %+v, %v", got, err)
	}
}
