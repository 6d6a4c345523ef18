package action_test

import (
	"fmt"
	"slices"
	"testing"

	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/user"
)

// people has seven users of the shop, three of them in a group, and one user of another application.
type people struct {
	*platform
	users *user.Service
	ids   []int64
	group user.GroupID
}

func newPeople(t *testing.T) *people {
	p := newPlatform(t)
	client := p.client.Client
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	q := &people{platform: p, users: &user.Service{
		Tables: p.tables, Groups: &userdb.Groups{Client: client, Table: "UsersTable", Rows: rows},
		Accounts: &userdb.Accounts{Client: client, Table: "UsersTable"}, Clock: clock.Clock(p.time), IDs: new(id.Source),
	}}
	for i := range 7 {
		q.ids = append(q.ids, q.newUser(shop, map[string]any{"nickname": fmt.Sprintf("u%d", i%2)}))
	}
	q.newUser(tenant.Scope{App: 2}, map[string]any{"nickname": "u1"})

	g, err := q.users.CreateGroup(t.Context(), shop, "friends", 0)
	if err != nil {
		t.Fatal(err)
	}
	q.group = g.ID
	m := user.Membership{Groups: []user.GroupID{g.ID}}
	for _, i := range []int{5, 0, 3} {
		m.Users = append(m.Users, user.ID(q.ids[i]))
	}
	if err := q.users.ChangeMembership(t.Context(), shop, []user.Membership{m}); err != nil {
		t.Fatal(err)
	}
	return q
}

func (p *people) newUser(scope tenant.Scope, profile map[string]any) int64 {
	p.Helper()
	made, err := p.users.Create(p.Context(), scope, user.New{Profile: profile})
	if err != nil {
		p.Fatal(err)
	}
	return int64(made)
}

// TestFindsRecipients checks that each recipient is found once, oldest first, with any page size.
func TestFindsRecipients(t *testing.T) {
	p := newPeople(t)
	recipients := &action.Recipients{Users: p.users}
	for _, c := range []struct {
		to    trigger.Recipient
		maker any
		want  []int // of p.ids
		err   errs.Kind
	}{
		{to: trigger.Recipient{Kind: trigger.TriggeringUser}, maker: float64(p.ids[2]), want: []int{2}},
		{to: trigger.Recipient{Kind: trigger.TriggeringUser}, maker: float64(p.ids[6] + 1)},
		{to: trigger.Recipient{Kind: trigger.TriggeringUser}, maker: "nobody"},
		{to: trigger.Recipient{Kind: trigger.TriggeringUser}},
		{to: trigger.Recipient{Kind: trigger.SomeUsers}, want: []int{0, 1, 2, 3, 4, 5, 6}},
		{
			to:   trigger.Recipient{Kind: trigger.SomeUsers, Where: map[string]any{"nickname": map[string]any{"$eq": "u1"}}},
			want: []int{1, 3, 5},
		},
		{
			to:  trigger.Recipient{Kind: trigger.SomeUsers, Where: map[string]any{"gone": map[string]any{"$eq": "u1"}}},
			err: errs.KindInvalid,
		},
		{to: trigger.Recipient{Kind: trigger.UserGroup, Group: int64(p.group)}, want: []int{0, 3, 5}},
		{to: trigger.Recipient{Kind: trigger.UserGroup, Group: int64(p.group) + 1}, err: errs.KindNotFound},
		{to: trigger.Recipient{Kind: trigger.PhoneNumber, Phone: "1"}, err: errs.KindInvalid},
	} {
		w := rowWork(trigger.SMS, &trigger.SMSSettings{}, map[string]any{"created_by": c.maker})
		var got, want []int64
		for _, i := range c.want {
			want = append(want, p.ids[i])
		}

		some := page.Request{Limit: 2}
		for {
			found, next, err := recipients.Find(t.Context(), w, c.to, "nickname", some)
			if errs.KindOf(err) != c.err {
				t.Fatalf("%+v: %v", c.to, err)
			}

			for _, u := range found {
				got = append(got, u["id"].(int64))
				if u["nickname"] == nil || len(u) != 2 {
					t.Errorf("%v: want the id and the name", u)
				}
			}

			if some.After = next; next == "" {
				break
			}
		}

		if !slices.Equal(got, want) {
			t.Errorf("%+v made by %v: %v, want %v", c.to, c.maker, got, want)
		}
	}
}
