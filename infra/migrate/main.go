// Command migrate brings stored items to the form of this release, while the platform runs:
//
//	make migrate            counts what it would change
//	make migrate WRITE=1    changes it; after an interruption, once more goes on where it stopped
//
// For a deployed stack, FUNCTIONS_TABLE names the table, and the AWS_* environment the account; otherwise the command
// works on the running local cloud. It reads every item, at the price of a scan.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/migrate/migration"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/functiondb"
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
	client, table, err := functions(ctx)
	if err != nil {
		return err
	}

	all := []*migration.Run{
		{Table: table, Name: "composed-names", Step: migration.ComposedNames(&functiondb.Functions{Client: client, Table: table})},
	}
	refused := 0
	for _, m := range all {
		m.Client, m.Write, m.Rate, m.Sleep, m.Out = client, write, rate, sleep, out
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

// functions opens the table of functions that the environment names, otherwise that of the local cloud.
func functions(ctx context.Context) (*dynamodb.Client, string, error) {
	const variable = "FUNCTIONS_TABLE"
	var r env.Reader
	if table := r.Default(variable, ""); table != "" {
		cfg, err := config.LoadDefaultConfig(ctx)
		return dynamo.New(cfg), table, err
	}

	programs, address, err := cloud.Running(r.Default("DATA_DIR", ".local"), r.Default("AWS_BIND", "127.0.0.1"))
	if err != nil {
		return nil, "", fmt.Errorf("%s is not set: %w", variable, err)
	}
	for _, environment := range programs {
		if table := environment[variable]; table != "" {
			return ddb.NewClient(address), table, nil
		}
	}
	return nil, "", fmt.Errorf("no program of the local cloud has %s", variable)
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
