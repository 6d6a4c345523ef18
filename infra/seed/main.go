// Command seed creates an application with a test environment and prints its
// credentials, the only time they can be seen,
//
//	go run ./infra/seed -name shop -environment staging -owner ada@example.com
//
// or gives a client a new secret, which revokes all its tokens (D10), or has the console list an older application:
//
//	go run ./infra/seed -reset-secret <client id>
//	go run ./infra/seed -list <client id>
//
// It works on the account and region of the AWS_* environment, or on the local
// cloud when AWS_ENDPOINT_URL_DYNAMODB names it. APPLICATIONS_TABLE is the name
// of the deployed table; with FUNCTIONS_TABLE the example functions are created
// too, with USERS_TABLE, TABLES_TABLE, ROWS_TABLE and ROW_INDEXES_TABLE a few
// users.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/aws/aws-sdk-go-v2/config"

	"minicloud/infra/seed/demo"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/program/env"
	"minicloud/shared/tenant"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run reads flags and environment, plants, and prints the credentials as JSON.
func run(ctx context.Context, args []string, out, usage io.Writer) error {
	flags := flag.NewFlagSet("seed", flag.ContinueOnError)
	flags.SetOutput(usage)
	name := flags.String("name", "demo", "name of the application")
	environment := flags.String("environment", "test", "name of its test environment")
	reset := flags.String("reset-secret", "", "give the client of this `id` a new secret instead, and revoke its tokens")
	list := flags.String("list", "", "have the console list the application of the client of this `id`, which is older than it")
	owner := app.Owner{}
	flags.Int64Var(&owner.UserID, "owner-id", 1, "user id of the administrator who owns it")
	flags.StringVar(&owner.Email, "owner", "admin@example.com", "their email address")
	flags.StringVar(&owner.Nickname, "nickname", "administrator", "their nickname")
	flags.StringVar(&owner.AvatarLink, "avatar", "", "URL of their picture")
	if err := flags.Parse(args); err != nil {
		return err
	}

	var r env.Reader
	seed := demo.Seed{
		ApplicationsTable: r.String("APPLICATIONS_TABLE"), FunctionsTable: r.Default("FUNCTIONS_TABLE", ""),
		UsersTable: r.Default("USERS_TABLE", ""), TablesTable: r.Default("TABLES_TABLE", ""),
		RowsTable: r.Default("ROWS_TABLE", ""), RowIndexesTable: r.Default("ROW_INDEXES_TABLE", ""),
		Clock: clock.System, Name: *name, Environment: *environment, Owner: owner,
	}
	if err := r.Err(); err != nil {
		return err
	}

	// An administrator's account may be known by a profile or by SSO.
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	seed.Client = dynamo.New(cfg)

	plant := func() (demo.Credentials, error) { return seed.Plant(ctx, demo.Credentials{}) }
	if *reset != "" {
		plant = func() (demo.Credentials, error) { return resetSecret(ctx, seed, app.ClientID(*reset)) }
	}

	if *list != "" {
		return enlist(ctx, seed, app.ClientID(*list))
	}
	credentials, err := plant()
	if err != nil {
		return err
	}

	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")

	return encoder.Encode(credentials)
}

// enlist adds the application of a client to the list of all.
func enlist(ctx context.Context, seed demo.Seed, client app.ClientID) error {
	store := &appdb.Applications{Client: seed.Client, Table: seed.ApplicationsTable}
	a, err := (&app.Service{Store: store}).ByClient(ctx, client)
	if err != nil {
		return err
	}
	return store.List(ctx, a)
}

// resetSecret gives a client a new secret and returns its credentials.
func resetSecret(ctx context.Context, seed demo.Seed, client app.ClientID) (demo.Credentials, error) {
	apps := &app.Service{
		Store: &appdb.Applications{Client: seed.Client, Table: seed.ApplicationsTable}, Clock: seed.Clock,
	}
	a, err := apps.ByClient(ctx, client)
	if err != nil {
		return demo.Credentials{}, err
	}
	c := demo.Credentials{ClientID: string(a.ClientID), Miniapp: a.ID, Environments: map[string]tenant.EnvID{}}
	for env, name := range a.Environments {
		c.Environments[name] = env
	}
	c.ClientSecret, err = apps.ResetSecret(ctx, a.ID)
	return c, err
}
