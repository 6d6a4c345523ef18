// Command bench measures speed and cost on this machine and prints the numbers:
//
//	go run -C infra/lab ./bench            everything
//	go run -C infra/lab ./bench api start  some of it
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"

	"minicloud/infra/lab/bench/actions"
	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/hotrow"
	"minicloud/infra/lab/bench/jobs"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/lab/bench/query"
	"minicloud/infra/lab/bench/sandbox"
	"minicloud/infra/lab/bench/startup"
	"minicloud/infra/lab/bench/triggers"
	"minicloud/infra/lab/bench/units"
	"minicloud/infra/local/cloudtest"
)

// bench is one benchmark.
type bench struct {
	name string
	what string
	run  func(context.Context, measure.Report) error
}

// benches are the benchmarks in the order they run.
var benches = []bench{
	{"start", "how long things take to start, and how large they are", startup.Run},
	{"sandbox", "the sandbox: fresh runs, children, memory, and the same function elsewhere", sandbox.Run},
	{"api", "the HTTP API on a local cloud: speed, processor time and DynamoDB calls per request", api.Run},
	{"units", "what a request costs: DynamoDB calls, read and write units, dollars per million", units.Run},
	{"actions", "webhooks: row to receipt, deliveries a second, dead receivers among others", actions.Run},
	{"hotrow", "2,000 runs that change one row, and what another application feels of them", hotrow.Run},
	{"jobs", "asynchronous runs: accepted, begun, sustained; a history of JOBS=200000", jobs.Run},
	{"triggers", "triggers: the floor, write to action message, events a second, endpoint 13", triggers.Run},
	{"query", "lists over ROWS=100000 rows on a local cloud, and on PocketBase", query.Run},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, name := range os.Args[1:] {
		if !known(name) {
			fmt.Fprintf(os.Stderr, "there is no benchmark %q; there are:\n", name)
			for _, b := range benches {
				fmt.Fprintf(os.Stderr, "  %-10s %s\n", b.name, b.what)
			}
			os.Exit(2)
		}
	}

	chosen := slices.DeleteFunc(benches, func(b bench) bool {
		return len(os.Args) > 1 && !slices.Contains(os.Args[1:], b.name)
	})
	if err := measureAll(ctx, measure.Report{Out: os.Stdout}, chosen); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measureAll runs the benchmarks. One that fails, or has a program denied by its own policies, does not stop the
// others; an interrupt does. The error has what failed, a line each.
func measureAll(ctx context.Context, report measure.Report, chosen []bench) (failed error) {
	for _, b := range chosen {
		if ctx.Err() != nil {
			return errors.Join(failed, ctx.Err())
		}
		report.Head(b.name + ": " + b.what)
		if err := errors.Join(b.run(ctx, report), cloudtest.Denied()); err != nil {
			fmt.Fprintln(report.Out, "  failed:", err)
			failed = errors.Join(failed, fmt.Errorf("%s: %w", b.name, err))
		}
	}
	return failed
}

func known(name string) bool {
	for _, b := range benches {
		if b.name == name {
			return true
		}
	}
	return false
}
