// Command migrate brings stored items to the form of this release, while the platform runs:
//
//	make migrate            counts what it would change
//	make migrate WRITE=1    changes it; after an interruption, once more goes on where it stopped
//
// For a deployed stack, FUNCTIONS_TABLE, USERS_TABLE and ORDERS_TABLE name the tables, and the AWS_* environment the
// account; otherwise the command works on the running local cloud. Each migration reads every item of its table, at the price of a scan.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/migrate/migration"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/program/env"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	write := flag.Bool("write", false, "change items; otherwise count what would be changed")
	rate := flag.Int("rate", 500, "items per second that are read at most")
	flag.Parse()

	if err := run(ctx, *write, *rate, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// errRefused makes the command fail if items stay in an older form.
var errRefused = errors.New("refused items keep their form: change them by the API, then run this again")

func run(ctx context.Context, write bool, rate int, out io.Writer) error {
	if rate < 1 {
		return fmt.Errorf("rate must be at least 1, not %d", rate)
	}
	functions, err := open(ctx, "FUNCTIONS_TABLE")
	if err != nil {
		return err
	}
	users, err := open(ctx, "USERS_TABLE")
	if err != nil {
		return err
	}
	orders, err := open(ctx, "ORDERS_TABLE")
	if err != nil {
		return err
	}

	sessions := &userdb.Sessions{Client: users.client, Table: users.name}
	all := []*migration.Run{
		functions.run("composed-names", migration.ComposedNames(&functiondb.Functions{Client: functions.client, Table: functions.name})),
		users.run("user-names", migration.UserNames(&userdb.Accounts{Client: users.client, Table: users.name})),
		users.run("temporary-users", migration.TemporaryUsers(sessions)),
		orders.run("orders-of-users", migration.OrdersOfUsers(&orderdb.Store{Client: orders.client, Table: orders.name})),
	}
	refused := 0
	for _, m := range all {
		m.Write, m.Rate, m.Sleep, m.Out = write, rate, clock.Sleep, out
		p, err := m.Do(ctx)
		if err != nil {
			return err
		}
		refused += p.Refused
	}
	if !write {
		fmt.Fprintln(out, "nothing was changed; WRITE=1 changes it")
	}
	if refused > 0 {
		return errRefused
	}
	return nil
}

// table is a table and its database.
type table struct {
	client *dynamodb.Client
	name   string
}

// run returns a migration of the table.
func (t table) run(name string, step migration.Step) *migration.Run {
	return &migration.Run{Client: t.client, Table: t.name, Name: name, Step: step}
}

// open opens the table that a variable of the environment names, otherwise that of the local cloud.
func open(ctx context.Context, variable string) (table, error) {
	var r env.Reader
	if name := r.Default(variable, ""); name != "" {
		cfg, err := config.LoadDefaultConfig(ctx)
		return table{dynamo.New(cfg), name}, err
	}

	programs, address, err := cloud.Running(r.Default("DATA_DIR", ".local"), r.Default("AWS_BIND", "127.0.0.1"))
	if err != nil {
		return table{}, fmt.Errorf("%s is not set: %w", variable, err)
	}
	for _, environment := range programs {
		if name := environment[variable]; name != "" {
			return table{ddb.NewClient(address), name}, nil
		}
	}
	return table{}, fmt.Errorf("no program of the local cloud has %s", variable)
}
