// Command users fills the demo application of the local cloud with made-up
// users who came over the last year, for benchmarks and for trying lists:
//
//	make seed USERS=100000
//
// The command works on DATA_DIR (.local) while no local cloud does, and adds as many
// users as are missing. When it is interrupted or killed, it keeps those it has added,
// counted exactly: the same command goes on.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"minicloud/infra/lab/seed/datafile"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/seeder"
	"minicloud/infra/seed/people"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/program/env"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// year is how long ago the first made-up user came.
const year = 365 * 24 * time.Hour

// chunk is how many users one transaction adds.
const chunk = 1000

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

// run starts a local cloud, whose seeder knows the tables and the demo
// application, fills it, and stops it again. The credentials are stored before
// the first user is: who is killed finds the same application again.
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
	names := local.Template.TableNames()
	client, now := ddb.NewClient(local.Database), time.Now()
	scope := tenant.Scope{App: tenant.AppID(local.Credentials.Miniapp), Env: tenant.Production}
	rows := &rowdb.Rows{Client: client, Table: names["RowsTable"], Indexes: names["RowIndexesTable"]}
	counts := &countdb.Store{Table: names["CountsTable"]}
	t, err := people.Prepare(ctx, &rowdb.Tables{Client: client, Name: names["TablesTable"]}, rows, scope, now)
	if err != nil {
		return err
	}

	return Fill(ctx, rows, counts, filepath.Join(dir, "ddb.db"), scope, t, n, now, progress(terminal, n))
}

// Fill makes them n users: it adds those that are missing, who came over the
// year before now. Rows, entries and counters of a chunk become the file's at
// path in one transaction. report is called after each with how many users there
// are.
func Fill(
	ctx context.Context, rows *rowdb.Rows, counts *countdb.Store, path string, scope tenant.Scope, t table.Table,
	n int, now time.Time, report func(users int),
) error {
	file, err := datafile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	have, err := file.Count(ctx, rows.Table, string(table.Collection(scope, t.ID)))
	if err != nil || have >= n {
		return err
	}

	// The first goes through the database's door: it begins the partitions. It is in the
	// stream, which the next program to read it counts; the others are counted here.
	first := made(t, have, have+1, n, now)
	if err := file.Commit(); err != nil {
		return err
	}
	if err := rows.Write(ctx, scope, t, []table.Change{{New: &first[0]}})[0]; err != nil {
		return err
	}
	door := file.Client(rows.Client)
	direct := &rowdb.Rows{Client: door, Table: rows.Table, Indexes: rows.Indexes}
	have++
	report(have)

	for have < n {
		if ctx.Err() != nil {
			return fmt.Errorf("there are %d of %d users now, the same command goes on", have, n)
		}
		users := made(t, have, min(have+chunk, n), n, now)
		if err := people.Load(context.WithoutCancel(ctx), direct, counts, scope, t, users); err != nil {
			return err
		}
		if err := file.Commit(); err != nil {
			return err
		}
		have += len(users)
		report(have)
	}
	return nil
}

// made makes up the users from to to of n, evenly over the year; the same ones
// whenever it is asked, but for the time.
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
