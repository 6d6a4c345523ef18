package job

import (
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// role is the task of a process: a synchronous run, the job of a message, a tick, a sweep.
type role string

const (
	caller  role = "caller"
	worker  role = "worker"
	ticker  role = "ticker"
	sweeper role = "sweeper"
)

// death ends the next process of a role: before or after the effect of its call-th call, or, when call is zero, at a
// certain age.
type death struct {
	role  role
	call  int
	after bool
	age   time.Duration
}

func (d death) String() string {
	if d.call == 0 {
		return fmt.Sprintf("%s after %v", d.role, d.age)
	}
	return fmt.Sprintf("%s at call %d (after it: %v)", d.role, d.call, d.after)
}

// world is the platform with one job, in virtual time. Every message, tick and call has its own process; deaths happen
// one after another.
type world struct {
	store    *memory
	ids      id.Source
	takes    time.Duration // of the function
	mu       sync.Mutex
	deaths   []death
	begun    []time.Time // starts of user code
	lost     time.Time   // when its worker died
	stranded bool        // a worker died between taking the slot and starting the run
	last     time.Time   // latest death
}

// process is a simulated process that may die.
type process struct {
	world  *world
	calls  int
	fate   *death
	holds  bool          // a slot, with the run not started yet
	died   chan struct{} // closed when it reaches its age limit
	active sync.Mutex    // guards calls
}

func (w *world) process(r role) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &process{world: w, died: make(chan struct{})}
	if len(w.deaths) > 0 && w.deaths[0].role == r {
		fate := w.deaths[0]
		p.fate, w.deaths = &fate, w.deaths[1:]
		if fate.call == 0 {
			time.AfterFunc(fate.age, func() { close(p.died) })
		}
	}
	return p
}

// die ends the calling goroutine without an error, as a kill ends a process.
func (p *process) die() {
	p.world.mu.Lock()
	p.world.last = time.Now()
	p.world.stranded = p.world.stranded || p.holds
	p.world.mu.Unlock()
	runtime.Goexit()
}

// does makes one call with an effect. The call takes a while, and the process may die before or after the effect.
func (p *process) does(effect func() error) error {
	p.active.Lock()
	p.calls++
	mine := p.fate != nil && p.fate.call == p.calls
	p.active.Unlock()
	select {
	case <-p.died:
		p.die()
	case <-time.After(5 * time.Millisecond):
	}
	if mine && !p.fate.after {
		p.die()
	}
	err := effect()
	if mine {
		p.die()
	}
	return err
}

// Run fakes the sandbox: it also runs user code whose caller has died.
func (p *process) Run(
	ctx context.Context, _ tenant.Scope, _ sandbox.Plan, req sandbox.Request,
) (sandbox.Result, error) {
	w := p.world
	p.holds = false
	w.mu.Lock()
	w.begun = append(w.begun, time.Now())
	w.mu.Unlock()
	result, takes := sandbox.Result{Outcome: sandbox.OutcomeFulfilled}, w.takes
	if limit := time.Duration(req.TimeoutMS) * time.Millisecond; takes > limit {
		takes, result.Outcome = limit, sandbox.OutcomeDeadlineExceeded
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return sandbox.Result{}, ctx.Err()
	case <-p.died:
		w.mu.Lock()
		w.lost = time.Now()
		w.mu.Unlock()
		p.die()
	}
	return result, nil
}

func (w *world) service(p *process) *Service {
	return &Service{
		Functions: onlyFunction{}, Store: mortal{w.store, p}, Runner: p, Queue: mortalQueue{w, p}, IDs: &w.ids,
		Clock: clock.System,
	}
}

// starts runs a process to its end. It returns false if the process died.
func (w *world) starts(r role, do func(*Service)) (lived bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(w.service(w.process(r)))
		lived = true
	}()
	<-done
	return lived
}

// deliver delivers a message to a worker, and again after the visibility timeout if the worker died.
func (w *world) deliver(m Message) {
	r := worker
	if m.Sweep {
		r = sweeper
	}
	again := false
	lived := w.starts(r, func(s *Service) { again = s.Work(context.Background(), m) != nil })
	if (again || !lived) && !m.Sweep {
		time.Sleep(330 * time.Second)
		w.deliver(m)
	}
}

// onlyFunction is a Functions with a single function.
type onlyFunction struct{}

func (onlyFunction) Read(context.Context, tenant.Scope, string) (cloudfunction.Function, error) {
	return cloudfunction.Function{
		ID: 1, Name: "f", Audit: cloudfunction.AuditApproved, Plan: sandbox.PlanFree, Revision: 1,
	}, nil
}

func (f onlyFunction) ReadID(ctx context.Context, scope tenant.Scope, _ id.ID) (cloudfunction.Function, error) {
	return f.Read(ctx, scope, "f")
}

// mortalQueue is the queue of a process; a send may kill the process.
type mortalQueue struct {
	world   *world
	process *process
}

func (q mortalQueue) Send(_ context.Context, delay time.Duration, all ...Message) error {
	return q.process.does(func() error {
		for _, m := range all {
			time.AfterFunc(delay, func() { q.world.deliver(m) })
		}
		return nil
	})
}

// mortal is the store of a process; a call may kill the process.
type mortal struct {
	*memory
	process *process
}

func (s mortal) Accept(ctx context.Context, scope tenant.Scope, w PendingJob, delayed bool) error {
	return s.process.does(func() error { return s.memory.Accept(ctx, scope, w, delayed) })
}

func (s mortal) ReadPending(ctx context.Context, scope tenant.Scope, fn, job id.ID) (w PendingJob, err error) {
	err = s.process.does(func() error { w, err = s.memory.ReadPending(ctx, scope, fn, job); return err })
	return w, err
}

func (s mortal) Begin(ctx context.Context, r Running, from Place) error {
	return s.process.does(func() error {
		err := s.memory.Begin(ctx, r, from)
		s.process.holds = err == nil
		return err
	})
}

func (s mortal) Renew(ctx context.Context, r Running, until time.Time) error {
	return s.process.does(func() error { return s.memory.Renew(ctx, r, until) })
}

func (s mortal) End(ctx context.Context, scope tenant.Scope, r Record, from Place) (recorded id.ID, err error) {
	err = s.process.does(func() (err error) { recorded, err = s.memory.End(ctx, scope, r, from); return err })
	return recorded, err
}

func (s mortal) Expire(ctx context.Context, scope tenant.Scope, r Record) (recorded id.ID, err error) {
	err = s.process.does(func() (err error) { recorded, err = s.memory.Expire(ctx, scope, r); return err })
	return recorded, err
}

func (s mortal) Announce(ctx context.Context, a Active) error {
	return s.process.does(func() error { return s.memory.Announce(ctx, a) })
}

func (s mortal) Active(ctx context.Context) (active []Active, err error) {
	err = s.process.does(func() error { active, err = s.memory.Active(ctx); return err })
	return active, err
}

func (s mortal) Slots(ctx context.Context, app tenant.AppID) (held []Running, err error) {
	err = s.process.does(func() error { held, err = s.memory.Slots(ctx, app); return err })
	return held, err
}

func (s mortal) Pending(
	ctx context.Context, scope tenant.Scope, fn id.ID, before time.Time,
) (pending []PendingJob, err error) {
	err = s.process.does(func() error { pending, err = s.memory.Pending(ctx, scope, fn, before); return err })
	return pending, err
}

// play runs one job in a world with two process deaths and returns the job.
func play(w *world, kind ServiceType, delay, phase time.Duration) (r Record, ready time.Time) {
	time.Sleep(time.Until(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))) // synctest starts in the year 2000
	stop := make(chan struct{})
	var ticks sync.WaitGroup
	ticks.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Minute):
				ticks.Go(func() { w.starts(ticker, func(s *Service) { s.Tick(context.Background()) }) })
			}
		}
	})
	// The job starts right after a tick or shortly before the next one.
	time.Sleep(2*time.Minute + phase)

	ready = time.Now()
	switch kind {
	case TimeSensitive:
		w.starts(caller, func(s *Service) { s.RunSync(context.Background(), shop, "f", Call{}) })
	default:
		var runAt time.Time
		if delay > 0 {
			runAt = ready.Add(delay)
			ready = runAt
		}
		w.service(&process{world: w, died: make(chan struct{})}).Start(context.Background(), shop, "f", Call{}, runAt)
	}
	time.Sleep(delay + 8*time.Minute)
	close(stop)
	ticks.Wait()
	time.Sleep(15 * time.Minute) // for the last messages

	for _, r = range w.store.ended {
	}
	return r, ready
}

// TestSurvivesTwoProcessDeaths at any moments: every accepted job is terminal 30 s after its limit, counted from the
// time it may run; user code begins at most once; a job that had not begun still runs; and a run whose worker died ends
// as failed within a minute (D19: jobs end in time, and an end never changes).
func TestSurvivesTwoProcessDeaths(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 50
	}
	var failed, again, undisturbed int
	for seed := range rounds {
		random := rand.New(rand.NewSource(int64(seed)))
		kind, first := Batch, worker
		if random.Intn(4) == 0 {
			kind, first = TimeSensitive, caller
		}
		doomed := func(r role) death {
			if random.Intn(2) == 0 {
				return death{role: r, call: 1 + random.Intn(6), after: random.Intn(2) == 0}
			}
			return death{role: r, age: time.Duration(random.Int63n(int64(kind.Time() * 11 / 10)))}
		}
		w := &world{store: newMemory(), takes: time.Duration(random.Int63n(int64(kind.Time() * 11 / 10)))}
		w.deaths = []death{doomed(first), doomed([]role{worker, ticker, sweeper}[random.Intn(3)])}
		said := fmt.Sprintf("seed %d, %s of %v: %v", seed, kind, w.takes, w.deaths)
		var delay time.Duration
		if kind == Batch && random.Intn(3) == 0 {
			delay = time.Duration(random.Int63n(int64(5 * time.Minute))).Truncate(time.Second)
		}
		phase := time.Duration(random.Int63n(int64(time.Minute)))
		synctest.Test(t, func(t *testing.T) {
			r, ready := play(w, kind, delay, phase)
			if kind == TimeSensitive && r.ID == 0 && len(w.begun) == 0 {
				return // its caller died before the job was accepted
			}
			late := r.FinishedAt.Sub(ready.Add(kind.Time() + 30*time.Second))
			switch {
			case r.ID == 0 || !r.Status.Terminal() || len(w.store.pending)+len(w.store.slots) > 0:
				t.Errorf("%s: job %+v did not end", said, r)
			case late > 0:
				t.Errorf("%s: %s %v late", said, r.Status, late)
			case len(w.begun) > 1:
				t.Errorf("%s: it began %d times", said, len(w.begun))
			case len(w.begun) == 0 && !w.stranded:
				t.Errorf("%s: it never ran, and is %s %+v", said, r.Status, r.Error)
			case r.Status == StatusExecutionFailed && r.Error.Type != TypeSandbox:
				t.Errorf("%s: error %+v", said, r.Error)
			case !w.lost.IsZero() && r.FinishedAt.Sub(w.lost) > time.Minute:
				t.Errorf("%s: noticed %v later", said, r.FinishedAt.Sub(w.lost))
			}
			switch {
			case r.Status == StatusExecutionFailed:
				failed++
			case len(w.begun) == 1 && w.begun[0].Sub(ready) > 20*time.Second:
				again++
			default:
				undisturbed++
			}
		})
	}
	if failed == 0 || again == 0 || undisturbed == 0 {
		t.Errorf("%d failed, %d ran after their worker's death, %d as if nothing were", failed, again, undisturbed)
	}
	t.Logf("%d failed, %d ran after their worker's death, %d as if nothing were", failed, again, undisturbed)
}

// TestLongRunRenewsItsLease, also after a store outage longer than the lease. The worker does not wait for a run that
// another process has ended.
func TestLongRunRenewsItsLease(t *testing.T) {
	for _, c := range []struct {
		what      string
		takes     time.Duration
		down      time.Duration
		taken     bool
		renewals  int
		fulfilled bool
	}{
		{"short", 24 * time.Second, 0, false, 0, true},
		{"long", 299 * time.Second, 0, false, 11, true},
		{"the store is down", 299 * time.Second, time.Minute, false, 10, true},
		{"it was ended", 299 * time.Second, 0, true, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)))
			w := &world{store: newMemory(), takes: c.takes}
			store := &leases{memory: w.store, down: time.Now().Add(c.down)}
			s := w.service(&process{world: w, died: make(chan struct{})})
			s.Store = store
			began := time.Now()
			s.Start(t.Context(), shop, "f", Call{}, time.Time{})
			for _, waiting := range w.store.pending {
				if c.taken {
					time.AfterFunc(20*time.Second, w.store.empty)
				}
				if err := s.work(t.Context(), shop, waiting, 1); err != nil {
					t.Error(err)
				}
			}
			took := time.Since(began)
			if store.renewals != c.renewals || c.fulfilled != (len(w.store.ended) == 1) || c.taken && took > renewEvery+
				time.Second {
				t.Errorf("%s: %d renewals, %d ended after %v", c.what, store.renewals, len(w.store.ended), took)
			}
			time.Sleep(10 * time.Minute) // until its message has been delivered
		})
	}
}

// leases is a store that counts renewals and fails them for a while.
type leases struct {
	*memory
	down     time.Time
	renewals int
}

func (s *leases) Renew(ctx context.Context, r Running, until time.Time) error {
	if time.Now().Before(s.down) {
		return errs.Unavailable(1, "down")
	}
	s.renewals++
	return s.memory.Renew(ctx, r, until)
}
