package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/promise"
)

// The types of events, each a line of the table.
const (
	rowCreated  = "row created"
	rowUpdated  = "row updated"
	rowDeleted  = "row deleted"
	paid        = "payment"
	paidOrders  = "paid order"
	timerDue    = "timer"
	fileEvent   = "file"
	chatMessage = "chat message"
	hookCalled  = "hook call"
	badEvent    = "refused event"
	evaluations = "evaluations"
)

// Load is a number of random events of all types for several applications, and what they must have fired:
//
//	plant ─ Run: clients + kills ─ Settle ─ Judge
//
// Each client makes a part of the events, and at most atOnce of them at a time.
type Load struct {
	platform *Platform
	events   int
	apps     []*loadedApp
	actors   []*effects
	slots    chan struct{}

	mu       sync.Mutex
	lines    map[string]*Result
	late     map[string]int // runs that came late, by line
	ticked   time.Time      // the last minute
	refused  promise.Ledger // events that must be dead letters
	failures []error
}

// atOnce is how many requests are under way: each takes a process of its program.
const atOnce = 10

// loadedApp is an application with tables, triggers of all types and their watches.
type loadedApp struct {
	*Application
	load  *Load
	name  string
	table int64

	watchers []*watcher
	hook     string // path
	dead     string // path of a hook that is disabled
	marks    atomic.Int64
	orders   promise.Ledger // that must be paid
}

// watcher is a trigger and what it must make of events.
type watcher struct {
	promise.Watch

	id    int64
	line  string
	app   *loadedApp
	deaf  func(event map[string]any) bool // such events are none for it; nil = all are
	holds func(event map[string]any) bool // of files and messages
	rows  promise.Condition
	timer promise.Timer
	last  time.Time // of a timer: the last tick, or when it was made

	complete bool // all its runs were there
}

// mark names an event of the application.
func (a *loadedApp) mark() string {
	return fmt.Sprintf("%s%d", a.name, a.marks.Add(1))
}

// count counts an event.
func (l *Load) count(line string, known promise.Need) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines[line].Count(known)
}

// fail notes what must not happen to a client.
func (l *Load) fail(format string, a ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, fmt.Errorf(format, a...))
}

// shares are how many of a hundred events each client makes.
var shares = []struct {
	percent int
	client  func(*loadedApp) turn
}{
	{15, (*loadedApp).rowLife}, {15, (*loadedApp).rowLife},
	{10, (*loadedApp).payment}, {15, (*loadedApp).busEvent}, {10, (*loadedApp).hookCall},
}

// shareOfActors is how many of a hundred events have effects, by actorClients clients for each of their applications.
const (
	shareOfActors = 25
	actorClients  = 3
)

// turn makes some events and returns how many.
type turn func(random *rand.Rand) int

// Run has the clients make their events while processes are killed. The local cloud runs when it returns.
func (l *Load) Run(ctx context.Context, r Round) (*Played, error) {
	played := &Played{Round: r, app: l.apps[0].Application, kills: map[Victim]int{}}
	running, stop := context.WithCancel(ctx)
	defer stop()

	var loading sync.WaitGroup
	n := uint64(0)
	for _, app := range l.apps {
		for _, share := range shares {
			n++
			random := rand.New(rand.NewPCG(r.Seed, n))
			budget := max(l.events*share.percent/100/len(l.apps), 1)
			loading.Go(func() { spend(running, budget, random, share.client(app)) })
		}
	}
	for _, actor := range l.actors {
		for range actorClients {
			n++
			random := rand.New(rand.NewPCG(r.Seed, n))
			budget := max(l.events*shareOfActors/100/len(l.actors)/actorClients, 1)
			loading.Go(func() { spend(running, budget, random, actor.turn) })
		}
	}
	loading.Go(func() { l.ticks(running, rand.New(rand.NewPCG(r.Seed, 0)), l.events/10) })

	ended := make(chan struct{})
	go func() {
		loading.Wait()
		close(ended)
		stop()
	}()
	err := l.kill(running, played)
	stop()
	<-ended
	played.ended = time.Now()
	return played, err
}

// programsDie is how long programs are killed, until the database and the local cloud have their turn, which ends all
// programs: else little else would die.
const (
	programsDie = 8 * time.Second
	bothDie     = 2 * time.Second
)

// kill kills programs, and now and then what is below them.
func (l *Load) kill(ctx context.Context, played *Played) error {
	programs, err := l.platform.Programs()
	if err != nil {
		return err
	}

	for ctx.Err() == nil {
		for _, phase := range []struct {
			victims []Victim
			long    time.Duration
		}{{append(programs, Queues), programsDie}, {[]Victim{Database, Cloud}, bothDie}} {
			played.Victims = phase.victims
			dying, done := context.WithTimeout(ctx, phase.long)
			err := l.platform.kill(dying, played)
			done()
			if err != nil {
				return err
			}
		}
	}

	return nil
}

// spend takes turns until so many events are made.
func spend(ctx context.Context, budget int, random *rand.Rand, turn turn) {
	for budget > 0 && ctx.Err() == nil {
		budget -= turn(random)
	}
}

// busy takes one of the slots until the function is called that it returns.
func (l *Load) busy() (done func()) {
	l.slots <- struct{}{}
	return func() { <-l.slots }
}
