package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/table"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
	"minicloud/shared/user/session/sessiontest"
)

// expire runs a tick of the program that deletes temporary users, and compares the number of deleted ones.
func (p *platform) expire(t testing.TB, want int) {
	t.Helper()
	got, err := p.logins.Expire(t.Context(), p.sessions)
	if err != nil || got != want {
		t.Errorf("deleted %d temporary users, %v; want %d", got, err, want)
	}
}

// expiries returns the number of entries in the due list, whatever their time.
func (p *platform) expiries(t testing.TB) int {
	t.Helper()
	all, err := p.sessions.Expired(t.Context(), p.time().Add(10*365*24*time.Hour), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// items returns the number of items of a user in the table of users.
func items(t testing.TB, client *dynamodb.Client, id user.ID) int {
	t.Helper()
	query := dynamo.Query("UsersTable", fmt.Sprintf("%s#user#%d", shopScope, id), "", "", false, 0)
	n := 0
	for _, err := range dynamo.Items(t.Context(), client, query) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestTemporaryUsersExpire: a temporary user goes 30 days after their session has expired, and nobody else.
func TestTemporaryUsersExpire(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	guest := p.want(t, nil, loginAnonymous, "", 201)
	shopper := p.want(t, nil, loginAnonymous, "", 201)
	p.want(t, nil, registerUsername, ada, 201)

	p.later(session.MaxLifetime - time.Second)
	p.want(t, caller{}.with(shopper.text("token")), registerEmail, `{"email":"bob@example.com","password":"correct horse"}`, 201)
	p.later(login.KeepTemporary)
	p.expire(t, 0)
	p.later(time.Second)
	p.expire(t, 1)

	if left := items(t, client, guest.id()); left != 0 {
		t.Errorf("%d items of the guest are left", left)
	}
	if got := p.profiles(t); got != 2 {
		t.Errorf("%d users, want the two that have registered", got)
	}
	if left := p.expiries(t); left != 0 {
		t.Errorf("%d entries are left", left)
	}
	p.want(t, nil, loginEmail, `{"email":"bob@example.com","password":"correct horse"}`, 201)
	p.expire(t, 0)
}

// TestTemporaryUsersStay: a later session and a login that an administrator gave keep a temporary user.
func TestTemporaryUsersStay(t *testing.T) {
	p := newPlatform(t)
	busy := p.want(t, nil, loginAnonymous, "", 201)
	named := p.want(t, nil, loginAnonymous, "", 201)
	_, err := p.logins.Users.ChangeAccount(t.Context(), shopScope, named.id(), user.AccountChange{Username: user.To("eve")})
	if err != nil {
		t.Fatal(err)
	}

	p.later(session.MaxLifetime + login.KeepTemporary)
	last := p.time().Add(time.Hour)
	sessiontest.LogIn(t, p.sessions, shopScope, busy.id(), p.time())
	p.expire(t, 0)
	if got := p.profiles(t); got != 2 {
		t.Errorf("%d users, want 2", got)
	}
	p.later(last.Add(login.KeepTemporary).Sub(p.time()) - time.Second)
	p.expire(t, 0)
	p.later(time.Second)
	p.expire(t, 1)
}

// TestExpiryGoesOn: whatever call fails, the next tick deletes the user, with their group and form ids; and one tick of
// two at once deletes each user.
func TestExpiryGoesOn(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	guest := p.want(t, nil, loginAnonymous, "", 201)
	group, err := p.logins.Users.CreateGroup(t.Context(), shopScope, "guests", 0)
	if err != nil {
		t.Fatal(err)
	}
	err = p.logins.Users.ChangeMembership(t.Context(), shopScope, []user.Membership{{
		Users: []user.ID{guest.id()}, Groups: []user.GroupID{group.ID},
	}})
	if err != nil {
		t.Fatal(err)
	}

	p.later(session.MaxLifetime + login.KeepTemporary)
	dynamotest.FailEach(t, client, func(failing *dynamodb.Client) error {
		failed := platformOn(failing)
		failed.later(session.MaxLifetime + login.KeepTemporary)
		_, err := failed.logins.Expire(t.Context(), failed.sessions)
		return err
	})
	profiles := table.Profiles()
	if a, row, err := p.sessions.User(t.Context(), shopScope, profiles, guest.id()); err != nil || row.ID != "" || a.Revision != 0 {
		t.Errorf("the guest is left: %+v, %+v, %v", a, row, err)
	}
	if left := items(t, client, guest.id()); left != 0 || p.expiries(t) != 0 {
		t.Errorf("%d items and %d entries are left", left, p.expiries(t))
	}
	if g, err := p.logins.Users.Group(t.Context(), shopScope, group.ID); err != nil || g.Members != 0 {
		t.Errorf("group %+v, %v", g, err)
	}
}

// TestExpiryMeetsRegistration: a registration between the reads of a tick and its transaction keeps the user.
func TestExpiryMeetsRegistration(t *testing.T) {
	client := tables(t)
	p := platformOn(client)
	guest := p.want(t, nil, loginAnonymous, "", 201)
	profiles := table.Profiles()
	a, row, err := p.sessions.User(t.Context(), shopScope, profiles, guest.id())
	if err != nil {
		t.Fatal(err)
	}
	due, err := p.sessions.Expired(t.Context(), p.time().Add(session.MaxLifetime+login.KeepTemporary), 1)
	if err != nil || len(due) != 1 {
		t.Fatal(due, err)
	}
	p.want(t, caller{}.with(guest.text("token")), registerUsername, ada, 201)
	if err := p.sessions.DeleteUser(t.Context(), due[0], profiles, a, row); err == nil {
		t.Error("the registered user was deleted")
	}
	p.want(t, nil, loginUsername, ada, 201)
}
