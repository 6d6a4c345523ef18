package migration_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/infra/local/dynamotest"
	"minicloud/infra/migrate/migration"
	"minicloud/shared/app"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

const usersTable = "UsersTable"

// earlier stores the account of an earlier release, which claimed usernames and emails only.
func earlier(t *testing.T, client *dynamodb.Client, scope tenant.Scope, id user.ID, attributes string) {
	t.Helper()
	it := dynamo.Key(fmt.Sprintf("%s#user#%d", scope, id), "account")
	it["user_id"], it["updated_at"], it["revision"] = dynamo.Number(int64(id)), dynamo.Number(1000), dynamo.Number(3)
	for pair := range strings.SplitSeq(attributes, " ") {
		name, value, _ := strings.Cut(pair, "=")
		if it[name] = dynamo.Text(value); name == "username" {
			owner := dynamo.Key(scope.String()+"#username#"+value, "owner")
			owner["user_id"] = dynamo.Number(int64(id))
			put(t, client, owner)
		}
	}
	put(t, client, it)
}

func put(t *testing.T, client *dynamodb.Client, it dynamo.Item) {
	t.Helper()
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(usersTable), Item: it}); err != nil {
		t.Fatal(err)
	}
}

// migrate runs a migration of a table and returns its progress and lines.
func migrate(t *testing.T, client *dynamodb.Client, table, name string, step migration.Step, write bool) (migration.Progress, string) {
	t.Helper()
	var said strings.Builder
	run := &migration.Run{
		Client: client, Table: table, Name: name, Step: step, Write: write, Rate: 5, Out: &said,
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
	p, err := run.Do(t.Context())
	if err != nil && !errors.Is(err, errCrashed) {
		t.Fatal(err)
	}
	return p, said.String()
}

var errCrashed = errors.New("crash")

// TestUserNames: names of earlier releases are claimed, also by runs that crash, and a name that two users have is refused.
func TestUserNames(t *testing.T) {
	client := dynamotest.Start(t, usersTable)
	accounts := &userdb.Accounts{Client: client, Table: usersTable}
	const ada, twin, odd, other = 101, 102, 103, 104
	earlier(t, client, shop, ada, `username=ada phone=13800138000 providers={"chat":{"openid":"o-1"},"chat_unionid":"u-1"}`)
	earlier(t, client, shop, twin, `username=twin providers={"chat":{"openid":"o-1"}}`)
	earlier(t, client, shop, odd, `phone=12`)
	earlier(t, client, shopTest, other, `phone=13800138000`)
	step := migration.UserNames(accounts)

	before, said := migrate(t, client, usersTable, "user-names", step, false)
	if before.Migrated != 3 || before.Refused != 1 || !strings.Contains(said, "phone") {
		t.Errorf("a dry run: %+v\n%s", before, said)
	}
	if a, err := accounts.Account(t.Context(), shop, ada); err != nil || a.PhoneKey != "" || a.Revision != 3 {
		t.Errorf("a dry run changed %+v, %v", a, err)
	}

	// Each life dies after one item more.
	var end migration.Progress
	for life := 1; !end.Ended; life++ {
		calls := 0
		end, said = migrate(t, client, usersTable, "user-names", func(ctx context.Context, it dynamo.Item, write bool) (migration.Outcome, error) {
			if calls++; calls > life {
				return migration.Current, errCrashed
			}
			return step(ctx, it, write)
		}, true)
	}
	if end.Refused != 2 {
		t.Errorf("%+v\n%s", end, said)
	}
	a, err := accounts.Account(t.Context(), shop, ada)
	b, failed := accounts.Account(t.Context(), shop, twin)
	if err != nil || failed != nil || a.PhoneKey != "+8613800138000" || b.Username != "twin" {
		t.Errorf("%+v, %+v, %v, %v", a, b, err, failed)
	}
	for _, own := range append(a.Names(), b.Names()...) {
		owner, err := accounts.Owner(t.Context(), shop, own)
		if err != nil || owner != ada && own.Key != "o-1" && own.Key != "twin" || owner == 0 {
			t.Errorf("%s %s belongs to %d, %v", own.Kind, own.Key, owner, err)
		}
	}

	// The claims hold: nobody else gets the phone, and who gives it up frees it.
	taken := user.Account{UserID: 105, Phone: "13800138000", PhoneKey: a.PhoneKey, Revision: 1}
	if err := accounts.ReplaceAccount(t.Context(), shop, user.Account{UserID: 105}, taken); !errs.Is(err, errs.KindDuplicate) {
		t.Errorf("another user takes the phone: %v", err)
	}
	without := a
	without.Phone, without.PhoneKey, without.Revision = "", "", a.Revision+1
	if err := accounts.ReplaceAccount(t.Context(), shop, a, without); err != nil {
		t.Fatal(err)
	}
	if err := accounts.ReplaceAccount(t.Context(), shop, user.Account{UserID: 105}, taken); err != nil {
		t.Errorf("a free phone: %v", err)
	}
	if again, said := migrate(t, client, usersTable, "user-names", step, true); again.Migrated != 0 || again.Refused != 2 {
		t.Errorf("once more: %+v\n%s", again, said)
	}
}

// TestTemporaryUsers: temporary users of earlier releases get the entries by which they are deleted.
func TestTemporaryUsers(t *testing.T) {
	client := dynamotest.Start(t, usersTable)
	sessions := &userdb.Sessions{Client: client, Table: usersTable}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	temporary := func(id user.ID) {
		it := dynamo.Key(fmt.Sprintf("%s#user#%d", shop, id), "account")
		it["user_id"], it["updated_at"], it["revision"] = dynamo.Number(int64(id)), dynamo.Number(now.Unix()), dynamo.Number(1)
		it["temporary"] = &types.AttributeValueMemberBOOL{Value: true}
		put(t, client, it)
	}
	temporary(201)
	temporary(202)
	earlier(t, client, shop, 203, "username=ada")
	opened, _ := session.New(201, 0, app.LoginAnonymous, session.Sender{}, now, time.Hour)
	if err := sessions.InsertSession(t.Context(), shop, 201, opened); err != nil {
		t.Fatal(err)
	}

	step := migration.TemporaryUsers(sessions)
	for _, c := range []struct {
		write    bool
		migrated int
		entries  string
	}{{false, 2, ""}, {true, 2, "201 1h0m0s, 202 720h0m0s"}, {true, 0, "201 1h0m0s, 202 720h0m0s"}} {
		if p, said := migrate(t, client, usersTable, "temporary-users", step, c.write); p.Migrated != c.migrated {
			t.Errorf("%+v: %+v\n%s", c, p, said)
		}
		due, err := sessions.Expired(t.Context(), now.Add(session.MaxLifetime+login.KeepTemporary), 10)
		var entries []string
		for _, e := range due {
			entries = append(entries, fmt.Sprintf("%d %v", e.User, e.At.Sub(now)-login.KeepTemporary))
		}
		if got := strings.Join(entries, ", "); err != nil || got != c.entries {
			t.Errorf("%+v: entries %s, %v", c, got, err)
		}
	}
}
