package user_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

func (p *platform) newGroup(t *testing.T, name string) user.Group {
	t.Helper()
	g, err := p.CreateGroup(t.Context(), scope, name, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (p *platform) membership(t *testing.T, changes ...user.Membership) error {
	t.Helper()
	return p.ChangeMembership(t.Context(), scope, changes)
}

func (p *platform) wantMembers(t *testing.T, g user.GroupID, want int) {
	t.Helper()
	got, err := p.Group(t.Context(), scope, g)
	if err != nil || got.Members != want {
		t.Errorf("group %d: %d members, %v; want %d", g, got.Members, err, want)
	}
	where := `{"_group":{"$in":[` + digits(int64(g)) + `]}}`
	list, err := p.Profiles(t.Context(), scope, user.Query{Where: where, Page: page.Request{Limit: 1000}, Total: true})
	if err != nil || list.Total != want {
		t.Errorf("group %d: %d profiles, %v; want %d", g, list.Total, err, want)
	}
}

func TestManagesGroups(t *testing.T) {
	p := newPlatform(t)
	first, second := p.newGroup(t, "first"), p.newGroup(t, "二组")
	for _, name := range []string{"", " x", "x ", strings.Repeat("x", 65), strings.Repeat("x", 1<<20)} {
		_, err := p.CreateGroup(t.Context(), scope, name, 0)
		wantKind(t, "name", err, errs.KindInvalid)
		_, err = p.ChangeGroup(t.Context(), scope, first.ID, named(name))
		wantKind(t, "name", err, errs.KindInvalid)
	}

	renamed, err := p.ChangeGroup(t.Context(), scope, first.ID, named("renamed"))
	if err != nil || renamed != (user.Group{ID: first.ID, Name: "renamed"}) {
		t.Errorf("%+v, %v", renamed, err)
	}

	for _, c := range []struct {
		request page.Request
		want    []user.GroupID
		next    bool
	}{
		{page.Request{Limit: 20}, []user.GroupID{second.ID, first.ID}, false},
		{page.Request{Limit: 1}, []user.GroupID{second.ID}, true},
		{page.Request{Limit: 1, Offset: 1}, []user.GroupID{first.ID}, false},
		{page.Request{Limit: 1, Offset: 2}, nil, false},
	} {
		got, err := p.ListGroups(t.Context(), scope, 0, c.request)
		if err != nil || got.Total != 2 || len(got.Objects) != len(c.want) || (got.Next != "") != c.next {
			t.Errorf("%+v: %+v, %v", c.request, got, err)
			continue
		}
		for i, g := range got.Objects {
			if g.ID != c.want[i] {
				t.Errorf("%+v: %+v", c.request, got.Objects)
			}
		}
		if c.next {
			rest, err := p.ListGroups(t.Context(), scope, 0, page.Request{Limit: 1, Offset: 1, After: got.Next})
			if err != nil || len(rest.Objects) != 1 || rest.Objects[0].ID != first.ID {
				t.Errorf("next page: %+v, %v", rest, err)
			}
		}
	}

	for _, in := range []user.GroupID{first.ID + 1<<20, 0, -1} {
		_, err := p.Group(t.Context(), scope, in)
		wantKind(t, "unknown group", err, errs.KindNotFound)
		wantKind(t, "unknown group", p.DeleteGroup(t.Context(), scope, in), errs.KindNotFound)
		_, err = p.ChangeGroup(t.Context(), scope, in, named("x"))
		wantKind(t, "unknown group", err, errs.KindNotFound)
	}

	_, err = p.Group(t.Context(), other, first.ID)
	wantKind(t, "another application's group", err, errs.KindNotFound)
	_, err = p.ChangeGroup(t.Context(), other, first.ID, named("x"))
	wantKind(t, "another application's group", err, errs.KindNotFound)
	wantKind(t, "another application's group", p.DeleteGroup(t.Context(), other, first.ID), errs.KindNotFound)
}

func TestRefusesInvalidMembership(t *testing.T) {
	p := newPlatform(t)
	u, stranger := p.newUser(t, scope, nil), p.newUser(t, other, nil)
	g := p.newGroup(t, "friends")
	foreign, err := p.CreateGroup(t.Context(), other, "foreign", 0)
	if err != nil {
		t.Fatal(err)
	}
	users, groups := []user.ID{u}, []user.GroupID{g.ID}

	for name, m := range map[string]user.Membership{
		"no users":                     {Groups: groups},
		"no groups":                    {Users: users},
		"unknown user":                 {Users: []user.ID{u, u + 1}, Groups: groups},
		"impossible user":              {Users: []user.ID{-1}, Groups: groups},
		"another application's user":   {Users: []user.ID{stranger}, Groups: groups},
		"unknown group":                {Users: users, Groups: []user.GroupID{g.ID, 1}},
		"another application's group":  {Users: users, Groups: []user.GroupID{foreign.ID}},
		"remove from an unknown group": {Remove: true, Users: users, Groups: []user.GroupID{1}},
		"too many users":               {Users: make([]user.ID, user.MaxMembers+1), Groups: groups},
		"too many groups":              {Users: users, Groups: make([]user.GroupID, user.MaxMemberOf+1)},
	} {
		wantKind(t, name, p.membership(t, user.Membership{Users: users, Groups: groups}, m), errs.KindInvalid)
	}

	p.wantMembers(t, g.ID, 0) // the valid first part was not applied either
}

// TestAppliesMembershipChangesInOrder moves more users than fit in one transaction. Some are already in one of the
// groups.
func TestAppliesMembershipChangesInOrder(t *testing.T) {
	p := newPlatform(t)
	users := p.newUsers(t, 2*user.MaxMoved+20, func(int) map[string]any { return nil })
	first, second := p.newGroup(t, "first").ID, p.newGroup(t, "second").ID
	both := []user.GroupID{first, second}
	err := p.membership(t,
		user.Membership{Users: users[:30], Groups: []user.GroupID{first}},
		user.Membership{Users: users, Groups: both},
		user.Membership{Remove: true, Users: users[10:], Groups: []user.GroupID{second}},
		user.Membership{Users: users[:12], Groups: both},
		user.Membership{Remove: true, Users: users[:5], Groups: both},
	)
	if err != nil {
		t.Fatal(err)
	}
	p.wantMembers(t, first, len(users)-5)
	p.wantMembers(t, second, 12-5)
}

func TestConcurrentMembershipKeepsCounts(t *testing.T) {
	p := newPlatform(t)
	p.addFields(t)
	users := p.newUsers(t, 20, func(int) map[string]any { return nil })
	var groups []user.GroupID
	for range 3 {
		groups = append(groups, p.newGroup(t, "group").ID)
	}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(n)))
			for range 6 {
				var some []user.ID
				for range 5 {
					some = append(some, users[random.IntN(len(users))])
				}
				m := user.Membership{Remove: random.IntN(3) == 0, Users: some, Groups: groups[random.IntN(3):]}
				if err := p.membership(t, m); err != nil {
					t.Error(err)
				}
				if _, err := p.Update(
					t.Context(), scope, some[0], []byte(`{"level":{"$incr_by":1}}`), table.Origin{}, false,
				); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()

	want := map[user.GroupID]int{}
	levels := int64(0)
	for _, u := range users {
		profile, err := p.Profile(t.Context(), scope, u, "")
		if err != nil {
			t.Fatal(err)
		}
		seen := map[any]bool{}
		for _, g := range profile["user_group"].([]any) {
			if seen[g] {
				t.Errorf("user %d is in group %v twice", u, g)
			}
			seen[g] = true
			want[user.GroupID(g.(int64))]++
		}
		if level, ok := profile["level"].(int64); ok {
			levels += level
		}
	}

	for _, g := range groups {
		p.wantMembers(t, g, want[g])
	}
	if levels != 8*6 {
		t.Errorf("%d of %d increments beside", levels, 8*6)
	}
	for _, m := range []user.Membership{{Users: users, Groups: groups}, {Users: users, Groups: groups}} {
		if err := p.membership(t, m); err != nil {
			t.Fatal(err)
		}
	}

	p.wantMembers(t, groups[0], 20)
}

func TestDeletedGroupLeavesMembers(t *testing.T) {
	p := newPlatform(t)
	users := p.newUsers(t, 30, func(int) map[string]any { return nil })
	gone, kept := p.newGroup(t, "gone"), p.newGroup(t, "kept")
	if err := p.membership(t, user.Membership{Users: users, Groups: []user.GroupID{gone.ID, kept.ID}}); err != nil {
		t.Fatal(err)
	}
	p.pass(time.Second)
	if err := p.DeleteGroup(t.Context(), scope, gone.ID); err != nil {
		t.Fatal(err)
	}
	_, err := p.Group(t.Context(), scope, gone.ID)
	wantKind(t, "deleted", err, errs.KindNotFound)
	wantKind(
		t, "join a deleted group", p.membership(t, user.Membership{Users: users[:1], Groups: []user.GroupID{gone.ID}}),
		errs.KindInvalid,
	)
	wantKind(t, "delete again", p.DeleteGroup(t.Context(), scope, gone.ID), errs.KindNotFound)
	p.finish(t)
	for _, u := range users {
		profile, err := p.Profile(t.Context(), scope, u, "")
		if groups, ok := profile["user_group"].([]any); err != nil || !ok || len(groups) != 1 ||
			groups[0] != int64(kept.ID) {
			t.Errorf("user %d is in %v, %v", u, groups, err)
		}
	}

	p.wantMembers(t, kept.ID, 30)
	list, err := p.ListGroups(t.Context(), scope, 0, firstPage)
	if err != nil || list.Total != 1 || list.Objects[0].Members != 30 {
		t.Errorf("%+v, %v", list, err)
	}
}

// overtaken are stores in which another request comes in between, once.
type overtaken struct {
	user.GroupStore
	user.AccountStore
	listed, left func() // after the groups were listed, and after the user has left their groups
}

func (o *overtaken) ListGroups(ctx context.Context, in tenant.Scope) ([]user.Group, error) {
	all, err := o.GroupStore.ListGroups(ctx, in)
	once(&o.listed)
	return all, err
}

func (o *overtaken) DeleteConsents(ctx context.Context, in tenant.Scope, id user.ID) error {
	once(&o.left)
	return o.AccountStore.DeleteConsents(ctx, in, id)
}

func once(f *func()) {
	if call := *f; call != nil {
		*f = nil
		call()
	}
}

// TestSuperGroupWhileItsGroupIsDeleted: a super group is made and changed although one of its groups is deleted
// meanwhile.
func TestSuperGroupWhileItsGroupIsDeleted(t *testing.T) {
	p := newPlatform(t)
	super, err := p.CreateSuperGroup(t.Context(), scope, "super", nil)
	if err != nil {
		t.Fatal(err)
	}
	store := &overtaken{GroupStore: p.Groups}
	p.Groups = store
	for name, write := range map[string]func(children []user.GroupID) (user.SuperGroup, error){
		"create": func(children []user.GroupID) (user.SuperGroup, error) {
			return p.CreateSuperGroup(t.Context(), scope, "super", children)
		},
		"change": func(children []user.GroupID) (user.SuperGroup, error) {
			return p.UpdateSuperGroup(t.Context(), scope, super.ID, user.SuperGroupChange{Children: &children})
		},
	} {
		child := p.newGroup(t, "child")
		store.listed = func() {
			if err := p.DeleteGroup(t.Context(), scope, child.ID); err != nil {
				t.Error(err)
			}
		}
		made, err := write([]user.GroupID{child.ID})
		if err != nil || made.Name != "super" || len(made.Groups) != 0 {
			t.Errorf("%s: %+v, %v", name, made, err)
		}
	}
}

// TestChildrenOfSuperGroupWhileItIsRenamed: of two changes of different fields at once, both are kept.
func TestChildrenOfSuperGroupWhileItIsRenamed(t *testing.T) {
	p := newPlatform(t)
	child := p.newGroup(t, "child")
	made, err := p.CreateSuperGroup(t.Context(), scope, "old", nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, renamed := *p.Service, "new"
	p.Groups = &overtaken{GroupStore: plain.Groups, listed: func() {
		if _, err := plain.UpdateSuperGroup(t.Context(), scope, made.ID, user.SuperGroupChange{Name: &renamed}); err != nil {
			t.Error(err)
		}
	}}
	got, err := p.UpdateSuperGroup(t.Context(), scope, made.ID, user.SuperGroupChange{Children: &[]user.GroupID{child.ID}})
	if err != nil || got.Name != renamed || len(got.Groups) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestDeletedUserIsInNoGroup: the number of members is right although the user joins a group while they are deleted, and
// was in a group that has just been deleted.
func TestDeletedUserIsInNoGroup(t *testing.T) {
	p := newPlatform(t)
	u := p.newUser(t, scope, nil)
	gone, kept := p.newGroup(t, "gone"), p.newGroup(t, "kept")
	join := func(g user.GroupID) {
		if err := p.membership(t, user.Membership{Users: []user.ID{u}, Groups: []user.GroupID{g}}); err != nil {
			t.Error(err)
		}
	}
	join(gone.ID)
	if err := p.DeleteGroup(t.Context(), scope, gone.ID); err != nil {
		t.Fatal(err)
	}
	p.Accounts = &overtaken{AccountStore: p.Accounts, left: func() { join(kept.ID) }}
	if err := p.Delete(t.Context(), scope, u, table.Origin{}); err != nil {
		t.Error(err)
	}
	p.wantMembers(t, kept.ID, 0)
}

func named(name string) user.GroupChange { return user.GroupChange{Name: &name} }

// TestUserOfDeletedGroupIsDeleted: a user can be deleted before the background operation has removed a deleted group from
// their profile.
func TestUserOfDeletedGroupIsDeleted(t *testing.T) {
	p := newPlatform(t)
	u, gone, kept := p.newUser(t, scope, nil), p.newGroup(t, "gone").ID, p.newGroup(t, "kept").ID
	if err := p.membership(t, user.Membership{Users: []user.ID{u}, Groups: []user.GroupID{gone, kept}}); err != nil {
		t.Fatal(err)
	}
	if err := p.DeleteGroup(t.Context(), scope, gone); err != nil {
		t.Fatal(err)
	}
	if err := p.Delete(t.Context(), scope, u, table.Origin{}); err != nil {
		t.Error(err)
	}
	p.wantMembers(t, kept, 0)
}
