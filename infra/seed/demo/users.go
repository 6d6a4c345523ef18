package demo

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"minicloud/infra/seed/people"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Users is the number of users of the demo application.
const Users = 20

// firstUser is the time at which the first user was created, the others a day apart: their ids are the same in every
// demo, so that examples can name them.
var firstUser = time.Date(2025, 1, 15, 8, 0, 0, 0, time.UTC)

// UserID returns the id of the i-th user, from 0.
func UserID(i int) user.ID { return user.ID(id.First(firstUser.AddDate(0, 0, i))) }

// createUsers creates random users; the first has login information, five are testers.
func (s Seed) createUsers(ctx context.Context, scope tenant.Scope) error {
	if !s.Users {
		return nil
	}

	schemas := &rowdb.Tables{Client: s.Client, Name: "TablesTable"}
	rows := &rowdb.Rows{Client: s.Client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	t, err := people.Prepare(ctx, schemas, rows, scope, s.Clock.Now())
	if err != nil {
		return err
	}

	random := rand.New(rand.NewPCG(1, 2))
	changes := make([]table.Change, Users)
	for i := range changes {
		row := people.Person(random, t, id.ID(UserID(i)))
		if i == 0 {
			row.Fields["nickname"], row.Fields["level"] = "Ada", int64(12)
		}
		changes[i].New = &row
	}

	if err := errors.Join(rows.Write(ctx, scope, t, changes)...); err != nil {
		return err
	}

	ids := new(id.Source)
	users := &user.Service{
		Tables:    &manage.Service{Schemas: schemas, Rows: rows, Clock: s.Clock, IDs: ids},
		Accounts:  &userdb.Accounts{Client: s.Client, Table: "UsersTable"},
		Groups:    &userdb.Groups{Client: s.Client, Table: "UsersTable", Rows: rows},
		Passwords: cmp.Or(s.Passwords, password.New(1)), Clock: s.Clock, IDs: ids,
	}
	if _, err := users.ChangeAccount(ctx, scope, UserID(0), user.AccountChange{
		Username: user.To("ada"), Email: user.To("ada@example.com"), NewPassword: user.To("correct horse"),
	}); err != nil {
		return err
	}

	testers, err := users.CreateGroup(ctx, scope, "testers", 0)
	if err != nil {
		return err
	}

	members := user.Membership{Groups: []user.GroupID{testers.ID}}
	for i := range 5 {
		members.Users = append(members.Users, UserID(i))
	}

	return users.ChangeMembership(ctx, scope, []user.Membership{members})
}
