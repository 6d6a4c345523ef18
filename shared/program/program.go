// Package program sets up every program: its configuration, its log, and Go runtime settings that fit the memory of
// its Lambda function.
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

	"minicloud/shared/program/env"
	"minicloud/shared/trace/logging"
)

// Program is a program during its setup. Variables it has read may be missing until Ready has returned.
type Program struct {
	env.Reader
	Log *slog.Logger
}

// Run calls wire and serves the handler it returns until the Lambda runtime ends the program. The handler is any
// function that lambda.Start accepts.
func Run(wire func(*Program) any) {
	p := New()
	handler := wire(p)
	p.Ready()
	lambda.Start(handler)
}

// New reads the variables common to all programs and tunes the Go runtime.
func New() *Program {
	p := Read(os.LookupEnv)
	tune(p.Int("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", 512))
	return p
}

// Read is New with variables from lookup; it does not tune the Go runtime.
func Read(lookup func(name string) (string, bool)) *Program {
	p := &Program{Reader: env.Reader{Lookup: lookup}}
	p.Log = logging.New(os.Stdout, p.Default("LOG_LEVEL", "info"))
	return p
}

// AllowPrivate reports whether requests to URLs of users may reach private addresses; only tests of the local cloud
// set it.
func (p *Program) AllowPrivate() bool { return p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" }

// Ready ends the program if a variable it read is missing or malformed, and logs all such variables.
func (p *Program) Ready() { p.Must(p.Err()) }

// Must ends the program with a log line if err is not nil.
func (p *Program) Must(err error) {
	if err != nil {
		p.Log.Error("cannot start", "error", err.Error())
		os.Exit(1)
	}
}

const (
	// memoryPerProcessor is the memory, in MB, at which Lambda grants one full processor.
	memoryPerProcessor = 1769
	// garbagePercent lets the heap grow to five times the live data, about 30 MB here, before a collection. Go's
	// default would collect every few requests.
	garbagePercent = 400
)

// tune adapts the Go runtime to the memory of the Lambda function, in MB.
func tune(memory int) {
	// Lambda shows two processors but grants a share of one, so a second thread only adds context switches.
	runtime.GOMAXPROCS(processors(memory))

	debug.SetGCPercent(garbagePercent)
	// Near the limit the garbage collector runs as often as needed.
	debug.SetMemoryLimit(int64(memory) << 20 / 4 * 3)
}

// processors returns the number of processors for a memory size in MB, rounded up.
func processors(memory int) int {
	return max(1, min(runtime.NumCPU(), (memory+memoryPerProcessor-1)/memoryPerProcessor))
}
