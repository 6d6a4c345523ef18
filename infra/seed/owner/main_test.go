package main

import (
	"strings"
	"testing"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/attemptdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
)

// TestCreatesTheFirstAccountOnce: and its owner can sign in.
func TestCreatesTheFirstAccountOnce(t *testing.T) {
	const table = "ConsoleTable"
	client := dynamotest.Start(t, table)
	fresh, err := create(t.Context(), client, table, "you@example.com")
	if err != nil || fresh.Email != "you@example.com" {
		t.Fatalf("%+v, %v", fresh, err)
	}

	store := &consoledb.Store{Client: client, Table: table}
	accounts := &console.Service{
		Accounts: store, Sessions: store, Attempts: (*attemptdb.Store)(store), Passwords: password.New(1), Clock: clock.System, IDs: &id.Source{},
	}
	_, _, account, err := accounts.SignIn(t.Context(), console.SignIn{Email: "You@example.com", Password: fresh.Password})
	if err != nil || account.Administrator().Everywhere() != nil {
		t.Errorf("%+v, %v", account, err)
	}

	if _, err := create(t.Context(), client, table, "other@example.com"); err == nil ||
		!strings.Contains(err.Error(), "has accounts already") {
		t.Errorf("a second first account: %v", err)
	}
	if _, err := create(t.Context(), client, table, "no address"); err == nil {
		t.Error("an address that is none passes")
	}
}

func TestSaysHowToUseIt(t *testing.T) {
	for _, args := range [][]string{nil, {"a@example.com"}, {"a@example.com", "b@example.com"}} {
		if err := run(t.Context(), args, ""); err == nil || !strings.Contains(err.Error(), "usage:") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
