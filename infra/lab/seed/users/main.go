// Command users fills the demo application of the local cloud with random users who came over the last year, for
// benchmarks and for trying lists:
//
//	make seed USERS=100000
//
// The command works on DATA_DIR (.local) while no local cloud does, and adds as many users as are missing. After an
// interruption the same command continues. The counters follow from the stream: the programs of the local cloud count
// while the command runs, and the next `make run` counts the rest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/seeder"
	"minicloud/infra/seed/people"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/program/env"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// year is how long ago the first made-up user came.
const year = 365 * 24 * time.Hour

// chunk is the number of users between two reports and checks for an interruption.
const chunk = 500

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	n := flag.Int("n", 100_000, "how many users there shall be")
	flag.Parse()
	if err := run(ctx, *n, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run starts a local cloud, whose seeder creates the demo application, and fills it.
func run(ctx context.Context, n int, terminal io.Writer) error {
	root, err := ddb.Root()
	if err != nil {
		return err
	}

	var r env.Reader
	dir := r.Default("DATA_DIR", filepath.Join(root, ".local"))
	local, err := cloud.Start(ctx, cloud.Config{Root: root, DataDir: dir, StoppedClock: true, Seed: seeder.Demo})
	if err != nil {
		return err
	}
	defer local.Stop()
	client, now := ddb.NewClient(local.Database), time.Now()
	scope := tenant.Scope{App: local.Credentials.Miniapp, Env: tenant.Production}
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable"}
	t, err := people.Prepare(ctx, &rowdb.Tables{Client: client, Name: "TablesTable"}, rows, scope, now)
	if err != nil {
		return err
	}

	return Fill(ctx, rows, scope, t, n, now, progress(terminal, n))
}

// Fill adds the users that are missing for n users, created over the year before now. It calls report after each
// chunk with the number of users.
func Fill(
	ctx context.Context, rows *rowdb.Rows, scope tenant.Scope, t table.Table, n int, now time.Time,
	report func(users int),
) error {
	have, err := number(ctx, rows, scope, t)
	if err != nil {
		return err
	}

	for have < n {
		if ctx.Err() != nil {
			return fmt.Errorf("there are %d of %d users now, the same command goes on", have, n)
		}
		users := made(t, have, min(have+chunk, n), n, now)
		changes := make([]table.Change, len(users))
		for i := range users {
			changes[i].New = &users[i]
		}
		if err := errors.Join(rows.Write(context.WithoutCancel(ctx), scope, t, changes)...); err != nil {
			return err
		}
		have += len(users)
		report(have)
	}
	return nil
}

// number returns the number of users by a walk over all: the counters may lag behind.
func number(ctx context.Context, rows *rowdb.Rows, scope tenant.Scope, t table.Table) (n int, err error) {
	for from := table.RowID(""); ; {
		step, err := rows.ScanRows(ctx, scope, t, table.RowScan{From: from, IDsOnly: true})
		if n += len(step.Rows); err != nil || step.Last == "" {
			return n, err
		}
		from = step.Last + "0"
	}
}

// made returns the users number from to number to of n, evenly over the year.
func made(t table.Table, from, to, n int, now time.Time) []table.Row {
	users := make([]table.Row, 0, to-from)
	step := year / time.Duration(n)
	for i := from; i < to; i++ {
		random := rand.New(rand.NewPCG(uint64(n), uint64(i)))
		at := now.Add(-year + time.Duration(i)*step + time.Duration(random.Int64N(int64(step)+1)))
		number := id.First(at.Truncate(time.Millisecond)) | id.ID(random.Int64N(1<<12))
		users = append(users, people.Person(random, t, number))
	}
	return users
}

// progress returns what prints a line for each tenth.
func progress(out io.Writer, n int) func(done int) {
	begun := time.Now()
	tenth, before := 0, -1
	return func(done int) {
		if before < 0 { // users of an earlier run do not count for the rate
			tenth, before = done*10/n, done
		}
		if done*10/n > tenth {
			tenth = done * 10 / n
			fmt.Fprintf(out, "%7d of %d users, %5.0f/s\n", done, n, float64(done-before)/time.Since(begun).Seconds())
		}
	}
}
