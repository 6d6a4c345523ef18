package api_test

import (
	"context"
	"sync"
	"testing"

	"minicloud/shared/app"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/login"
)

// arrival is the login of somebody with an identity at chat.
func arrival(openid string) login.Arrival {
	return login.Arrival{
		Method: app.LoginChat, Names: []identifier.Name{identifier.OfIdentity("chat", "openid", openid)}, Create: true,
		Account: func(a *user.Account) error {
			a.Providers = `{"chat":{"openid":"` + openid + `"}}`
			return nil
		},
	}
}

// TestFirstLoginsMakeOneUser: of many first logins of one identity at once, one creates the user and all log them in
// (C13).
func TestFirstLoginsMakeOneUser(t *testing.T) {
	p := newPlatform(t)
	made := make([]login.Login, 10)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() {
			var err error
			if made[i], err = p.logins.Enter(t.Context(), shopScope, arrival("o1")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	created := 0
	for _, one := range made {
		if one.ID != made[0].ID || !p.live(t, nil, string(one.Token)) {
			t.Errorf("user %d with a session that works: %t, want %d", one.ID, p.live(t, nil, string(one.Token)), made[0].ID)
		}
		if one.New {
			created++
		}
	}
	if created != 1 || p.profiles(t) != 1 {
		t.Errorf("%d logins created %d users", created, p.profiles(t))
	}
}

// late is a store whose next read of an owner returns an owner of before.
type late struct {
	user.AccountStore
	owner user.ID
}

func (l *late) Owner(ctx context.Context, scope tenant.Scope, name identifier.Name) (user.ID, error) {
	if before := l.owner; before != 0 {
		l.owner = 0
		return before, nil
	}
	return l.AccountStore.Owner(ctx, scope, name)
}

// TestLoginDuringClosing: a login that read the owner of an identity before that user closed the account creates a new
// user, and does not enter the closed account.
func TestLoginDuringClosing(t *testing.T) {
	p := newPlatform(t)
	first, err := p.logins.Enter(t.Context(), shopScope, arrival("o1"))
	if err != nil {
		t.Fatal(err)
	}
	p.want(t, caller{}.with(string(first.Token)), closing, "", 201)
	p.logins.Users.Accounts = &late{p.logins.Users.Accounts, first.ID}
	second, err := p.logins.Enter(t.Context(), shopScope, arrival("o1"))
	if err != nil || second.ID == first.ID || !second.New {
		t.Errorf("%+v, %v: want a new user", second, err)
	}
}

// joining is a store in which an administrator adds the user to a group before it reads them.
type joining struct {
	login.Store
	join func()
}

func (j *joining) User(
	ctx context.Context, scope tenant.Scope, t table.Table, id user.ID,
) (user.Account, table.Row, error) {
	if join := j.join; join != nil {
		j.join = nil
		join()
	}
	return j.Store.User(ctx, scope, t, id)
}

// TestClosedUserIsInNoGroup: a user who is added to a group while they close their account is no member of it.
func TestClosedUserIsInNoGroup(t *testing.T) {
	p := newPlatform(t)
	made := p.want(t, nil, registerUsername, ada, 201)
	users := p.logins.Users
	group, err := users.CreateGroup(t.Context(), shopScope, "late", 0)
	if err != nil {
		t.Fatal(err)
	}
	p.logins.Store = &joining{p.logins.Store, func() {
		late := user.Membership{Users: []user.ID{made.id()}, Groups: []user.GroupID{group.ID}}
		if err := users.ChangeMembership(t.Context(), shopScope, []user.Membership{late}); err != nil {
			t.Error(err)
		}
	}}
	if err := p.logins.Close(t.Context(), shopScope, made.id()); err != nil {
		t.Error(err)
	}
	if group, err = users.Group(t.Context(), shopScope, group.ID); err != nil || group.Members != 0 {
		t.Errorf("%+v, %v", group, err)
	}
}
