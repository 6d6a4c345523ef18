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

	"minicloud/infra/local/account"
	"minicloud/infra/migrate/migration"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/userdb"
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
	cfg, names, err := account.Open(ctx, "FUNCTIONS_TABLE", "USERS_TABLE", "ORDERS_TABLE")
	if err != nil {
		return err
	}

	client := dynamo.New(cfg)
	functions, users, orders := names["FUNCTIONS_TABLE"], names["USERS_TABLE"], names["ORDERS_TABLE"]
	refused := 0
	for _, m := range []*migration.Run{
		{Name: "composed-names", Table: functions,
			Step: migration.ComposedNames(&functiondb.Functions{Client: client, Table: functions})},
		{Name: "user-names", Table: users, Step: migration.UserNames(&userdb.Accounts{Client: client, Table: users})},
		{Name: "temporary-users", Table: users,
			Step: migration.TemporaryUsers(&userdb.Sessions{Client: client, Table: users})},
		{Name: "orders-of-users", Table: orders,
			Step: migration.OrdersOfUsers(&orderdb.Store{Client: client, Table: orders})},
	} {
		m.Client, m.Write, m.Rate, m.Sleep, m.Out = client, write, rate, clock.Sleep, out
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
