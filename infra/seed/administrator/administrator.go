// Package administrator creates the first console account of a new platform.
package administrator

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/clock"
	"minicloud/shared/console"
	"minicloud/shared/dynamo/attemptdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
)

// Email is the default email of the first account.
const Email = "admin@example.com"

// Credentials sign an administrator in.
type Credentials struct{ Email, Password string }

// Seed describes the account and its table.
type Seed struct {
	Email        string // "" means the constant Email
	Client       *dynamodb.Client
	ConsoleTable string
	Clock        clock.Clock
}

// Plant creates an account unless one exists, and returns its credentials. If an account exists, it returns earlier
// and changes nothing.
func (s Seed) Plant(ctx context.Context, earlier Credentials) (Credentials, error) {
	store := &consoledb.Store{Client: s.Client, Table: s.ConsoleTable}
	accounts := &console.Service{
		Accounts: store, Sessions: store, Attempts: (*attemptdb.Store)(store), Passwords: password.New(1),
		Clock: s.Clock, IDs: &id.Source{},
	}
	there, err := store.Accounts(ctx)
	if err != nil || len(there) > 0 {
		return earlier, err
	}

	fresh := Credentials{Email: cmp.Or(s.Email, Email), Password: newPassword()}
	_, err = accounts.Create(ctx, console.Draft{
		Email: fresh.Email, Password: fresh.Password, Name: "administrator", Role: console.Owner, AllApplications: true,
	})
	if err != nil {
		return Credentials{}, fmt.Errorf("seed the console's account: %w", err)
	}
	return fresh, nil
}

// newPassword returns a random password of 80 bits.
func newPassword() string {
	text := id.Hex(10)
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:]
}
