// Command users fills the demo application of the local cloud with made-up
// users who came over the last year, for benchmarks and for trying lists:
//
//	make seed USERS=100000
//
// It works on DATA_DIR (.local) while no local cloud does. Interrupted it keeps
// what it has; killed it leaves users that totals do not know: delete DATA_DIR.
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
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/mattn/go-isatty"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/seeder"
	"minicloud/infra/seed/people"
	"minicloud/shared/dynamo"
	"minicloud/shared/env"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// year is how long ago the first made-up user came.
const year = 365 * 24 * time.Hour

// chunk is how many users one writer makes up and writes before it takes more.
const (
	chunk   = 500
	writers = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	n := flag.Int("n", 100_000, "how many users to add")
	flag.Parse()
	if err := run(ctx, *n, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run starts a local cloud, whose seeder knows the tables and the demo
// application, and stops it again.
func run(ctx context.Context, n int, terminal io.Writer) error {
	root, err := ddb.Root()
	if err != nil {
		return err
	}
	var r env.Reader
	local, err := cloud.Start(ctx, cloud.Config{
		Root: root, DataDir: r.Default("DATA_DIR", filepath.Join(root, ".local")), StoppedClock: true,
		Seed: func(ctx context.Context, client *dynamodb.Client, tables map[string]string, earlier cloud.Credentials) (cloud.Credentials, error) {
			credentials, err := seeder.Demo(ctx, client, tables, earlier)
			if err != nil {
				return credentials, err
			}
			scope := tenant.Scope{App: tenant.AppID(credentials.Miniapp), Env: tenant.Production}
			rows := &dynamo.Rows{Client: client, Table: tables["RowsTable"], Indexes: tables["RowIndexesTable"]}
			t, err := people.Prepare(ctx, &dynamo.Tables{Client: client, Name: tables["TablesTable"]}, rows, scope, time.Now())
			if err != nil {
				return credentials, err
			}
			return credentials, Fill(ctx, rows, scope, t, n, time.Now(), progress(terminal, n))
		},
	})
	if err != nil {
		return err
	}
	local.Stop()
	return nil
}

// Fill adds n users who came over the year before now, and counts them. report
// is called now and then with how many there are.
func Fill(ctx context.Context, rows *dynamo.Rows, scope tenant.Scope, t table.Table, n int, now time.Time, report func(done int)) error {
	loader := rows.NewLoader(scope, t)
	var next, done atomic.Int64
	errors := make([]error, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(w), uint64(n)))
			for ctx.Err() == nil && errors[w] == nil {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return
				}
				users := made(random, t, from, min(from+chunk, n), n, now)
				errors[w] = loader.Load(context.WithoutCancel(ctx), users)
				report(int(done.Add(int64(len(users)))))
			}
		})
	}
	wg.Wait()
	// What is there must be counted, also after an interrupt.
	if err := loader.Close(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// made makes up the users from to to of n, evenly over the year.
func made(random *rand.Rand, t table.Table, from, to, n int, now time.Time) []table.Row {
	users := make([]table.Row, 0, to-from)
	step := year / time.Duration(n)
	for i := from; i < to; i++ {
		at := now.Add(-year + time.Duration(i)*step + time.Duration(random.Int64N(int64(step)+1)))
		number := id.First(at.Truncate(time.Millisecond)) | id.ID(random.Int64N(1<<12))
		users = append(users, people.Person(random, t, number))
	}
	return users
}

// progress returns what prints a bar on a terminal, and a line per tenth
// elsewhere.
func progress(out io.Writer, n int) func(done int) {
	begun := time.Now()
	file, isFile := out.(*os.File)
	live := isFile && isatty.IsTerminal(file.Fd())
	var mu sync.Mutex
	tenth := 0
	return func(done int) {
		mu.Lock()
		defer mu.Unlock()
		rate := float64(done) / time.Since(begun).Seconds()
		line := fmt.Sprintf("%7d of %d users, %5.0f/s", done, n, rate)
		switch {
		case live:
			const width = 40
			filled := done * width / n
			fmt.Fprintf(out, "\r[%-*s] %s", width, bar[:filled], line)
			if done == n {
				fmt.Fprintln(out)
			}
		case done*10/n > tenth:
			tenth = done * 10 / n
			fmt.Fprintln(out, line)
		}
	}
}

const bar = "########################################"
