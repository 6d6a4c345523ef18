// Package administrator gives a new platform its first account of the console.
package administrator

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
)

// Email is that of the account of a platform that nobody has named one for.
const Email = "admin@example.com"

// Credentials are what somebody signs in with.
type Credentials struct{ Email, Password string }

// Seed is where to put the account.
type Seed struct {
	Email        string // of the account; "" = Email
	Client       *dynamodb.Client
	ConsoleTable string
	Clock        clock.Clock
}

// Plant makes sure that there is an account and returns its credentials, those from earlier where there is one: what
// its owner has changed stays changed.
func (s Seed) Plant(ctx context.Context, earlier Credentials) (Credentials, error) {
	store := &consoledb.Store{Client: s.Client, Table: s.ConsoleTable}
	accounts := &console.Service{
		Accounts: store, Sessions: store, Attempts: store, Passwords: password.New(1), Clock: s.Clock, IDs: &id.Source{},
	}
	there, err := store.Accounts(ctx)
	if err != nil || len(there) > 0 {
		return earlier, err
	}

	fresh := Credentials{Email: cmp.Or(s.Email, Email), Password: NewPassword()}
	_, err = accounts.Create(ctx, console.Draft{
		Email: fresh.Email, Password: fresh.Password, Name: "administrator", Role: console.Owner, AllApplications: true,
	})
	if err != nil {
		return Credentials{}, fmt.Errorf("seed the console's account: %w", err)
	}
	return fresh, nil
}

// NewPassword draws a password of 80 random bits.
func NewPassword() string {
	text := id.Hex(10)
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:]
}
