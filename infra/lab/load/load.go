// Package load uses the whole API of a platform at once and then compares the platform's data with the answers that
// its clients got. The answers are recorded in ledgers (packages client and promise). These counts must be zero:
//
//	lost        acknowledged and not there
//	doubled     there more often than it may be, or although it was refused
//	disordered  an effect before its turn
//	late        ended, or answered, later than it must be
//
// A load has parts, each with its own clients, requests and ledgers:
//
//	plant ─ Run: clients until the context or the budget of events ends ─ Settle ─ Judge
//
//	events     random events of all types, the triggers that they start, and rows whose triggers have an effect
//	requests   jobs, bulk requests and tokens
//	uploads    files of end users
//
// The witness and the receiver are servers that are never killed. A function reports to the witness when it begins, so
// the witness is the proof that a run has happened, whatever the platform has stored.
//
// Every effect must happen exactly once. Webhooks may be repeated only after a death, and ordered webhooks arrive in
// the order of their row's changes. A mail or an SMS may be interrupted if a worker died between its claim and its
// end; then it has happened at most once.
package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/shared/id"
	"minicloud/shared/job"
)

// Options sets the size and the pace of a load.
type Options struct {
	Name   string // name prefix of its applications
	Seed   uint64
	Events int // Run ends after this many events; 0 = only with its context
	Pace   Pace
}

// Pace sets the durations of function runs and delays.
type Pace struct {
	Run   time.Duration // maximum for one run in eight; the others take at most a fifth of it
	Delay time.Duration // maximum delay of a delayed run
	Real  bool          // real time, nothing hurried: lateness is checked
}

// Load runs all clients of a platform at once.
type Load struct {
	Options
	Cloud    *Cloud
	Lines    Lines
	Redriven int // dead letters sent again

	slots  chan struct{}
	parts  []Part
	made   atomic.Int64
	enough context.CancelFunc
}

// Part is one kind of load.
type Part interface {
	// Plant prepares the application. It runs before any process is killed.
	Plant(ctx context.Context) error
	// Clients returns the repeated operations; each is run by a client of its own.
	Clients() []Turns
	// Open counts unfinished work, by line, and returns the latest time for which pending work waits.
	Open(ctx context.Context) (open map[string]int, next time.Time, err error)
	// FindLost recovers the work of killed workers; if hurried, at once, although leases have not expired.
	FindLost(ctx context.Context, hurried bool) error
	// Judge fills the lines.
	Judge(ctx context.Context) error
}

// Base implements Part for parts without unfinished work.
type Base struct {
	*Load
	App *client.Application
}

// Open implements Part.
func (Base) Open(context.Context) (map[string]int, time.Time, error) { return nil, time.Time{}, nil }

// FindLost implements Part.
func (Base) FindLost(context.Context, bool) error { return nil }

// Turns is an operation that one client repeats.
type Turns struct {
	Pause time.Duration // maximum pause between two calls
	Once  func(*rand.Rand)
}

// New returns a load without parts.
func New(c *Cloud, o Options) *Load {
	return &Load{Options: o, Cloud: c, slots: client.Slots(), Lines: Lines{timed: o.Pace.Real}, enough: func() {}}
}

// Plant adds parts to the load and creates their applications. Call it before any process is killed.
func (l *Load) Plant(ctx context.Context, parts ...Part) error {
	for _, part := range parts {
		if err := part.Plant(ctx); err != nil {
			return fmt.Errorf("plant %s: %T: %w", l.Name, part, err)
		}
		l.parts = append(l.parts, part)
	}
	return nil
}

// Application creates an application.
func (l *Load) Application(ctx context.Context, name string) (*client.Application, error) {
	c := l.Cloud
	return client.New(ctx, c.URL, c.Database, l.Name+" "+name, l.slots)
}

// OpenJobs counts the pending jobs of a function and the running jobs of its application.
func (b Base) OpenJobs(ctx context.Context, function id.ID) (int, error) {
	store := b.Cloud.Jobs(0).Store
	waiting, err := store.Pending(ctx, b.App.Scope, function, time.Time{})
	if err != nil {
		return 0, err
	}
	held, err := store.Slots(ctx, b.App.Scope.App)
	return len(waiting) + len(held), err
}

// Run runs the clients until the context ends or enough events were made. It returns when all clients have received
// their last answers.
func (l *Load) Run(ctx context.Context) {
	ctx, l.enough = context.WithCancel(ctx)
	defer l.enough()
	var loading sync.WaitGroup
	n := uint64(0)
	for _, part := range l.parts {
		for _, turns := range part.Clients() {
			n++
			random := rand.New(rand.NewPCG(l.Seed, n))
			loading.Go(func() { turns.run(ctx, random) })
		}
	}
	loading.Wait()
}

func (t Turns) run(ctx context.Context, random *rand.Rand) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(UpTo(random, t.Pause)):
		}
		t.Once(random)
	}
}

// Event counts an event, and ends the load after the last one.
func (l *Load) Event() {
	if n := l.made.Add(1); l.Events > 0 && n >= int64(l.Events) {
		l.enough()
	}
}

// Made returns the number of events made.
func (l *Load) Made() int { return int(l.made.Load()) }

// redelivered is the maximum time until the message of a killed worker is delivered again and processed.
const redelivered = 75*time.Second + allowance

// Intervals between searches for the work of killed workers.
const (
	lookForLost  = 20 * time.Second
	hurryForLost = 3 * time.Second
)

// Settle waits until all expected work has ended, and returns what is missing, by line. Work that ends after a pause
// longer than a redelivery counts as late.
func (l *Load) Settle(ctx context.Context) (missing map[string]int, err error) {
	missing, err = l.rest(ctx)
	if err != nil || len(missing) == 0 || !l.Pace.Real {
		return missing, err // Judge reports what is missing
	}
	after, err := l.rest(ctx)
	for line, n := range missing {
		late := l.Lines.Line(line)
		late.Trouble(&late.Late, n-after[line], "%d came late", n-after[line])
	}
	return after, err
}

// rest waits until no work is left, or until nothing has ended for longer than a redelivery and nothing waits for a
// retry. It returns what is missing, by line.
func (l *Load) rest(ctx context.Context) (missing map[string]int, err error) {
	left, ended, looked := -1, time.Now(), time.Now()
	for {
		var next time.Time
		if missing, next, err = l.open(ctx); err != nil {
			return nil, err
		}
		n := 0
		for _, m := range missing {
			n += m
		}
		if n != left {
			left, ended = n, time.Now()
		}
		since := ended
		if next.After(since) {
			since = next
		}
		if n == 0 || time.Since(since) > client.Patient(redelivered) {
			return missing, nil
		}

		// A hurried load does not wait for the next attempt, which may be minutes away: a clock set ahead begins it.
		if err := l.findLost(ctx, ended, &looked); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
	}
}

func (l *Load) open(ctx context.Context) (missing map[string]int, next time.Time, err error) {
	missing = map[string]int{}
	for _, part := range l.parts {
		open, at, err := part.Open(ctx)
		if err != nil {
			return nil, next, fmt.Errorf("%T: %w", part, err)
		}
		for line, n := range open {
			if n > 0 {
				missing[line] += n
			}
		}
		if at.After(next) {
			next = at
		}
	}
	return missing, next, nil
}

// findLost recovers the work of killed workers: at the real pace by a tick of the clock; in a hurry with clocks set
// ahead, once nothing has ended for a while.
func (l *Load) findLost(ctx context.Context, ended time.Time, looked *time.Time) error {
	hurried := !l.Cloud.Hurried.IsZero()
	wait := time.Since(*looked)
	if hurried {
		wait = min(wait, time.Since(ended)) // a clock set ahead would also end live runs
	}
	if wait < hurryForLost || !hurried && wait < lookForLost {
		return nil
	}
	*looked = time.Now()
	dead, err := l.Cloud.redrive(ctx)
	if err != nil {
		return err
	}
	l.Redriven += dead

	for _, ahead := range sweeps() {
		if !hurried {
			break // the platform's reaper sweeps
		}
		if _, err := l.Cloud.Jobs(ahead).Sweep(ctx); err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	for _, part := range l.parts {
		if err := part.FindLost(ctx, hurried); err != nil {
			return fmt.Errorf("find lost work: %T: %w", part, err)
		}
	}
	return nil
}

// sweeps returns clock offsets such that every lost job is found with one of them. A sweep resends a pending job only
// in the first half of a minute of its age. Runs end within moments here, so the worker of a run older than its limit
// has died.
func sweeps() (clocks []time.Duration) {
	for ahead := time.Duration(0); ahead <= job.ResendAfter+job.ResendEvery; ahead += 10 * time.Second {
		clocks = append(clocks, ahead)
	}
	return append(clocks, job.AsyncTime+6*time.Second)
}

// Judge judges all parts and fills the report lines. It ends the load.
func (l *Load) Judge(ctx context.Context) error {
	for _, part := range l.parts {
		if err := part.Judge(ctx); err != nil {
			return fmt.Errorf("%s, seed %d: %T: %w", l.Name, l.Seed, part, err)
		}
	}
	return nil
}

// UpTo returns a random duration below d.
func UpTo(random *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(d)))
}
