// Package program is what every program begins with: its configuration, its log,
// and a Go runtime that fits what Lambda gives it.
//
//	program.Run(func(p *program.Program) any {
//		store := &jobdb.Store{Table: p.String("JOBS_TABLE"), …}
//		return lambdabatch.Adapt(p.Log, …)
//	})
package program

import (
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/shared/logging"
	"minicloud/shared/program/env"
)

// Program is a program that is being put together. What it reads from the
// environment may be missing until Ready has returned.
type Program struct {
	env.Reader
	Log *slog.Logger
}

// Run puts a program together and serves what wire returns, a function that package lambda takes, until the runtime
// ends the program.
func Run(wire func(*Program) any) {
	p := New()
	handler := wire(p)
	p.Ready()
	lambda.Start(handler)
}

// New reads what is common to all programs and tunes the runtime.
func New() *Program {
	p := Read(os.LookupEnv)
	tune(p.Int("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", 512))
	return p
}

// Read is New with other variables than those of this process, whose runtime it leaves alone.
func Read(lookup func(name string) (string, bool)) *Program {
	p := &Program{Reader: env.Reader{Lookup: lookup}}
	p.Log = logging.New(os.Stdout, p.Default("LOG_LEVEL", "info"))
	return p
}

// AllowPrivate reports whether requests that users direct may go to this machine: only the local cloud's tests say so.
func (p *Program) AllowPrivate() bool { return p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" }

// Ready ends the program when something it read is missing or malformed, and
// names all of it.
func (p *Program) Ready() { p.Must(p.Err()) }

// Must ends the program when err says that it cannot start.
func (p *Program) Must(err error) {
	if err != nil {
		p.Log.Error("cannot start", "error", err.Error())
		os.Exit(1)
	}
}

const (
	// memoryPerProcessor is how many MB of memory come with a whole processor.
	memoryPerProcessor = 1769
	// garbagePercent lets the heap grow to five times what is in use, some 30 MB
	// here, before it is collected: the default collects every few requests.
	garbagePercent = 400
)

// tune fits the runtime to the memory, in MB, that the program was given.
func tune(memory int) {
	// Lambda shows two processors and grants a share of one: a second thread only
	// adds the switching to it.
	runtime.GOMAXPROCS(processors(memory))

	debug.SetGCPercent(garbagePercent)
	// Near its limit the heap is collected as often as it takes.
	debug.SetMemoryLimit(int64(memory) << 20 / 4 * 3)
}

// processors is how many processors a program of that memory gets, rounded up.
func processors(memory int) int {
	return max(1, min(runtime.NumCPU(), (memory+memoryPerProcessor-1)/memoryPerProcessor))
}
