// Package load uses the whole API of a platform at once and then holds the platform's data against the answers that its
// clients got. The answers stand in ledgers (packages client and promise), of which these numbers must be zero:
//
//	lost        acknowledged and not there
//	doubled     there more often than it may be, or although it was refused
//	disordered  an effect before its turn
//	late        ended, or answered, later than it must be
//
// A load has parts, each with its clients, its requests and its ledgers:
//
//	plant ─ Run: clients until the context or the budget of events ends ─ Settle ─ Judge
//
//	events     random events of all types, the triggers that they start, and rows whose triggers have an effect
//	requests   jobs, sums, bulk requests, names and tokens
//
// A witness and a receiver are servers that are never killed. A function tells the witness when it begins, so a run
// has happened when the witness heard of it, whatever the platform remembers.
//
// An effect has happened once. Webhooks come again only after a death, ordered ones in the order of their row. A mail
// or an SMS may be interrupted when a worker died between its claim and its end: then it has happened once at most.
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

// Options are the size and the pace of a load.
type Options struct {
	Name   string // of its applications
	Seed   uint64
	Events int // Run ends when so many are made; 0 = only with its context
	Pace   Pace
}

// Pace is how long functions take.
type Pace struct {
	Run   time.Duration // one run in eight, at most; the others take a fifth of it
	Delay time.Duration // the longest until a delayed run may begin
	Real  bool          // nothing is hurried, so lateness counts
}

// Load is everything that the clients of a platform do at once.
type Load struct {
	Options
	Cloud    *Cloud
	Lines    Lines
	Redriven int // dead letters that were sent again

	slots  chan struct{}
	parts  []Part
	made   atomic.Int64
	enough context.CancelFunc
}

// Part is one kind of load.
type Part interface {
	// Plant prepares the application, before a process is killed.
	Plant(ctx context.Context) error
	// Clients are what is done again and again, each by a client of its own.
	Clients() []Turns
	// Open counts what is under way, by line, and says when the last of it begins that waits for a time.
	Open(ctx context.Context) (open map[string]int, next time.Time, err error)
	// FindLost has the work of killed workers done: hurried work at once, although its lease has not expired.
	FindLost(ctx context.Context, hurried bool) error
	// Judge fills the lines.
	Judge(ctx context.Context) error
}

// Base is a part with nothing under way.
type Base struct {
	*Load
	App *client.Application
}

// Open implements Part.
func (Base) Open(context.Context) (map[string]int, time.Time, error) { return nil, time.Time{}, nil }

// FindLost implements Part.
func (Base) FindLost(context.Context, bool) error { return nil }

// Turns are taken by one client.
type Turns struct {
	Pause time.Duration // the longest between two
	Once  func(*rand.Rand)
}

// New returns a load without parts.
func New(c *Cloud, o Options) *Load {
	return &Load{Options: o, Cloud: c, slots: client.Slots(), Lines: Lines{timed: o.Pace.Real}, enough: func() {}}
}

// Plant adds parts to the load and makes their applications. Do it before a process is killed.
func (l *Load) Plant(ctx context.Context, parts ...Part) error {
	for _, part := range parts {
		if err := part.Plant(ctx); err != nil {
			return fmt.Errorf("plant %s: %T: %w", l.Name, part, err)
		}
		l.parts = append(l.parts, part)
	}
	return nil
}

// Application makes an application.
func (l *Load) Application(ctx context.Context, name string) (*client.Application, error) {
	c := l.Cloud
	return client.New(ctx, c.URL, c.Database, c.Environment["APPLICATIONS_TABLE"], l.Name+" "+name, l.slots)
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

// Run has the clients take their turns until the context ends, or the events are made. It returns when all of them have
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

// Event counts an event, and ends the load when there are enough.
func (l *Load) Event() {
	if n := l.made.Add(1); l.Events > 0 && n >= int64(l.Events) {
		l.enough()
	}
}

// Made is how many events were made.
func (l *Load) Made() int { return int(l.made.Load()) }

// redelivered is when the message of a killed worker has come back and is worked on, at the latest.
const redelivered = 75*time.Second + allowance

// How often the work of killed workers is looked for.
const (
	lookForLost  = 20 * time.Second
	hurryForLost = 3 * time.Second
)

// Settle waits until everything has ended that must, and returns what it waited for in vain, by line. What comes after
// nothing came for longer than a message needs to be delivered again is late.
func (l *Load) Settle(ctx context.Context) (missing map[string]int, err error) {
	missing, err = l.rest(ctx)
	if err != nil || len(missing) == 0 || !l.Pace.Real {
		return missing, err // Judge tells what is missing
	}
	after, err := l.rest(ctx)
	for line, n := range missing {
		late := l.Lines.Line(line)
		late.Trouble(&late.Late, n-after[line], "%d came late", n-after[line])
	}
	return after, err
}

// rest waits until nothing is under way, or nothing has ended for a while though nothing waits for a later attempt, and
// returns what is missing of each line.
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

		// In a hurry the next attempt is not waited for: it may be minutes away, and a clock that is ahead begins it.
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

// findLost has the work of killed workers done: by a tick of the clock, in a hurry by clocks that are ahead, when
// nothing has ended for a while.
func (l *Load) findLost(ctx context.Context, ended time.Time, looked *time.Time) error {
	hurried := !l.Cloud.Hurried.IsZero()
	wait := time.Since(*looked)
	if hurried {
		wait = min(wait, time.Since(ended)) // a clock that is ahead would end living runs, too
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
			break // the reaper of the platform sweeps
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

// sweeps are clocks of which one finds each lost job. Pending jobs are sent again by sweeps in the first half of a
// minute of their age; runs end within moments here, so the worker of one that is older than its limit has died.
func sweeps() (clocks []time.Duration) {
	for ahead := time.Duration(0); ahead <= job.ResendAfter+job.ResendEvery; ahead += 10 * time.Second {
		clocks = append(clocks, ahead)
	}
	return append(clocks, job.AsyncTime+6*time.Second)
}

// Judge fills the lines. It is the end of the load.
func (l *Load) Judge(ctx context.Context) error {
	for _, part := range l.parts {
		if err := part.Judge(ctx); err != nil {
			return fmt.Errorf("%s, seed %d: %T: %w", l.Name, l.Seed, part, err)
		}
	}
	return nil
}

// UpTo is a random time below d.
func UpTo(random *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(random.Int64N(int64(d)))
}
