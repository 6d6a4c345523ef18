// Command mutate reports changes of packages that their tests do not notice.
//
//	make mutate PACKAGE="./shared/job ./shared/bulk" [ONLY=file.go:12] [TIME=5]
//
// The command makes small changes to a package, one at a time, and runs the tests of that package which reach the
// change. Tests that all pass have not noticed it: the change survives. All changes of a package are compiled into one
// test binary and each is switched on by the environment, so that a mutant costs the time of a few tests and no
// compiler. A run that is interrupted prints the table of what it has tried.
//
//	condition   an operand is always true, or always false
//	boundary    < is <=, Before holds at the same time
//	arithmetic  the second operand is left out; so is that of min and max
//	statement   a call, an assignment, n++, break or continue is left out
//	error       an error is returned as nil
//
// Logging, locks and the end of what is open (Close, cancel) are left alone: no result depends on them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/tools/go/packages"
)

func main() {
	only := flag.String("only", "", "try only the mutants whose place holds this text")
	minutes := flag.Float64("minutes", 0, "stop after so many, with the table of what was tried; 0 = never")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "which package? make mutate PACKAGE=./shared/job")
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *minutes > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(*minutes*float64(time.Minute)))
		defer cancel()
		ctx = limited
	}

	found, err := load(flag.Args()...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	failed := false
	var table []report
	for _, p := range found {
		if ctx.Err() != nil {
			break
		}
		r, err := try(ctx, p, *only)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", p.PkgPath, err)
			// A package that does not compile must not keep the others from being tried.
			failed = true
			continue
		}
		table = append(table, r)
	}

	fmt.Println("package                      mutants covered  killed  survived timed out  efficacy")
	for _, r := range table {
		fmt.Printf("%-28s %7d %7d %7d %9d %9d %8.0f%%\n",
			r.name, r.all, r.covered, r.killed, r.survived, r.timedOut, r.efficacy())
	}
	if failed {
		os.Exit(1)
	}
}

// report counts the mutants of a package. covered counts decided mutants; killed includes those that timed out,
// since a test run that hangs is noticed.
type report struct {
	name                                     string
	all, covered, killed, survived, timedOut int
}

func (r report) efficacy() float64 {
	if r.covered == 0 {
		return 100
	}
	return 100 * float64(r.killed) / float64(r.covered)
}

// try tries the mutants of a package, and prints those that survive.
func try(ctx context.Context, loaded *packages.Package, only string) (report, error) {
	p, err := mutate(loaded)
	if err != nil {
		return report{}, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return report{}, err
	}
	defer os.RemoveAll(dir)

	b := &bench{dir: dir, source: p.dir}
	if err := b.build(p); err != nil {
		return report{}, err
	}
	if err := b.measure(ctx, p.mutants); err != nil {
		return report{}, err
	}

	r := report{name: strings.TrimPrefix(p.name, "minicloud/"), all: len(p.mutants)}
	var chosen []*mutant
	for _, m := range p.mutants {
		if strings.Contains(m.place, only) && len(m.tests) > 0 {
			chosen = append(chosen, m)
		}
	}
	b.kill(ctx, chosen)
	return r.with(chosen), nil
}

// with counts mutants that were decided, and prints those that survive.
func (r report) with(mutants []*mutant) report {
	for _, m := range mutants {
		switch m.outcome {
		case undecided:
			continue
		case killed:
			r.killed++
		// A mutant that loops forever was noticed, so a timeout counts as killed.
		case timedOut:
			r.killed, r.timedOut = r.killed+1, r.timedOut+1
		case survived:
			r.survived++
			fmt.Printf("survived %s %s: %s\n", filepath.Join(r.name, m.place), m.kind, m.text)
		}
		r.covered++
	}
	return r
}
