package triggerdb_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// flowing is a log, and a trigger whose runs it stores.
type flowing struct {
	*testing.T
	runs *rundb.Runs
	id   trigger.ID
	flow trigger.Flow
	once trigger.Frequency
}

func newFlowing(t *testing.T, f trigger.Flow) *flowing {
	return &flowing{T: t, runs: &rundb.Runs{Client: dynamotest.Start(t, table), Table: table}, id: 3, flow: f}
}

// next returns another trigger with the same log.
func (f *flowing) next(flow trigger.Flow) *flowing {
	return &flowing{T: f.T, runs: f.runs, id: f.id + 1, flow: flow}
}

func after(second int) time.Time { return noon.Add(time.Duration(second) * time.Second) }

// run returns the run of an event.
func (f *flowing) run(event string, second int) run.Run {
	r := run.Run{
		ID: run.IDOf(shop, f.id, event, 4), Scope: shop, Trigger: f.id, TriggerName: "t", Action: 4,
		ActionType: trigger.CloudFunction, Status: run.Pending, CreatedAt: after(second),
		Event: trigger.Event{
			ID: event, Scope: shop, Type: trigger.TypeTimer, Kind: trigger.OnTimer, At: after(second),
			Payload: map[string]any{"event": event},
		},
	}
	if f.flow.Uses() {
		r.Flow = &run.Flow{Flow: f.flow, Key: "=k"}
	}
	return r
}

// event starts the run of an event at its time, and then again: the second delivery must give the same result.
func (f *flowing) event(event string, second int) run.Started {
	f.Helper()
	return f.start(f.run(event, second), second)
}

func (f *flowing) start(r run.Run, second int) run.Started {
	f.Helper()
	started, err := f.runs.Start(f.Context(), r, f.once, after(second))
	if err != nil {
		f.Fatal(err)
	}
	again, err := f.runs.Start(f.Context(), r, f.once, after(second+1))
	if err != nil || again.Run.Status != started.Run.Status || !again.Run.NextAttempt.Equal(started.Run.NextAttempt) ||
		!cmp.Equal(again.Run.Flow, started.Run.Flow) {
		f.Fatalf("event %s once more: %+v, %v; before %+v", r.Event.ID, again.Run, err, started.Run)
	}
	wants := ""
	switch flow := started.Run.Flow; {
	case started.Run.Status == run.Pending:
		wants = r.ID
	case flow != nil && flow.Batch != nil:
		wants = flow.Batch.ID
	}
	if (len(again.Enqueue) > 0) != (wants != "") || wants != "" && again.Enqueue[0].ID != wants {
		f.Fatalf("event %s once more asks for %v", r.Event.ID, again.Enqueue)
	}
	asks := slices.ContainsFunc(started.Enqueue, func(asked run.Run) bool { return asked.ID == r.ID })
	if asks != (wants == r.ID) {
		f.Fatalf("event %s asks for %v", r.Event.ID, started.Enqueue)
	}
	return started
}

// begins begins a run.
func (f *flowing) begins(r run.Run, second int) run.Beginning {
	f.Helper()
	return begin(f.T, f.runs, r, "a worker", after(second))
}

// ends ends a run that was begun, and returns the run to enqueue next.
func (f *flowing) ends(b run.Beginning, second int) *run.Run {
	f.Helper()
	r := b.Run
	r.Status, r.FinishedAt = run.Succeeded, after(second)
	if err := f.runs.End(f.Context(), r, "a worker"); err != nil {
		f.Fatal(err)
	}
	next, err := f.runs.Leave(f.Context(), r, after(second))
	if err != nil {
		f.Fatal(err)
	}
	return next
}

func (f *flowing) logged(r run.Run) run.Run {
	f.Helper()
	stored, err := f.runs.Run(f.Context(), shop, r.Ref())
	if err != nil {
		f.Fatal(err)
	}
	return stored
}

// ids returns the ids of the events that a worker gets.
func ids(t *testing.T, b run.Beginning) string {
	t.Helper()
	var all []string
	for _, e := range b.Events {
		all = append(all, e.ID)
		if e.Payload["event"] != e.ID {
			t.Errorf("event %s brings %.80v", e.ID, e.Payload)
		}
	}
	return strings.Join(all, " ")
}

func standing(t *testing.T, what string, b run.Beginning, want run.Standing) {
	t.Helper()
	if b.Standing != want {
		t.Fatalf("%s stands %v, want %v: %+v", what, b.Standing, want, b)
	}
}

func TestDebouncedRuns(t *testing.T) {
	f := newFlowing(t, trigger.Flow{DebounceSeconds: 10})
	a, b := f.event("a", 0), f.event("b", 5)
	if !b.Run.NextAttempt.Equal(after(15)) || b.Run.Waits() != "waits until 2026-11-21T12:00:15Z: debounce" {
		t.Errorf("the newest: %+v, %s", b.Run, b.Run.Waits())
	}
	skipped := f.logged(a.Run)
	if skipped.Status != run.Skipped || skipped.Error == nil || skipped.Error.Type != run.SkippedDebounced ||
		!skipped.NextAttempt.IsZero() || !skipped.FinishedAt.Equal(after(5)) {
		t.Errorf("the one before: %+v", skipped)
	}
	standing(t, "the one before", f.begins(a.Run, 10), run.Over)
	standing(t, "the newest, early", f.begins(b.Run, 14), run.Early)
	begun := f.begins(b.Run, 15)
	standing(t, "the newest", begun, run.Begun)
	if begun.Run.Event.Payload["event"] != "b" {
		t.Errorf("%+v", begun.Run.Event)
	}

	// The running run is left alone, and a run of an older event does not follow it.
	f.event("c", 16)
	if f.ends(begun, 17); f.logged(b.Run).Status != run.Succeeded {
		t.Errorf("%+v", f.logged(b.Run))
	}
	if old := f.start(f.run("old", 15), 18); old.Run.Status != run.Skipped || len(old.Enqueue) > 0 {
		t.Errorf("an older one: %+v", old)
	}
}

func TestBatchedRuns(t *testing.T) {
	f := newFlowing(t, trigger.Flow{Batch: &trigger.Batch{Size: 4, Seconds: 60}})
	large := f.run("b", 1)
	var text strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&text, "%x", uint32(i)*2654435761)
	}
	large.Event.Before = map[string]any{"text": text.String()} // an event may be large although its payload is small

	a, b, late := f.event("a", 2), f.start(large, 3), f.start(f.run("late", 0), 4)
	if a.Run.Waits() != "waits until 2026-11-21T12:01:02Z: batch" || len(b.Enqueue) > 0 ||
		b.Run.Status != run.Skipped ||
		b.Run.Error.Type != run.SkippedBatched || b.Run.Flow.Batch.ID != a.Run.ID {
		t.Fatalf("the first: %+v\nanother: %+v", a, b)
	}
	if err := f.runs.Replay(t.Context(), shop, late.Run.Ref(), after(5), 1); !errs.Is(err, errs.KindConflict) ||
		!strings.Contains(err.Error(), a.Run.Ref().LogID()) {
		t.Errorf("replay of an event of a batch: %v", err)
	}
	standing(t, "a batch that is not full", f.begins(a.Run, 5), run.Early)

	d := f.event("d", 6)
	if len(d.Enqueue) != 1 || d.Enqueue[0].ID != a.Run.ID || !d.Enqueue[0].NextAttempt.IsZero() {
		t.Fatalf("the last: %+v", d)
	}
	begun := f.begins(a.Run, 6)
	standing(t, "a full batch", begun, run.Begun)
	if got := ids(t, begun); got != "late b a d" {
		t.Errorf("its events: %s", got)
	}

	// A batch that begins because of its age accepts no more events.
	e := f.event("e", 10)
	f.event("f", 11)
	begun = f.begins(e.Run, 71)
	standing(t, "an old batch", begun, run.Begun)
	if g := f.event("g", 72); g.Run.Status != run.Pending || ids(t, begun) != "e f" {
		t.Errorf("%+v; events %s", g, ids(t, begun))
	}

	// A replay has the same batch.
	f.ends(begun, 73)
	if err := f.runs.Replay(t.Context(), shop, e.Run.Ref(), after(80), 2); err != nil {
		t.Fatal(err)
	}
	begun = f.begins(e.Run, 81)
	standing(t, "a batch once more", begun, run.Begun)
	if got := ids(t, begun); got != "e f" {
		t.Errorf("its events once more: %s", got)
	}
}

func TestThrottledRuns(t *testing.T) {
	f := newFlowing(t, trigger.Flow{Throttle: &trigger.Throttle{Count: 2, PeriodSeconds: 60}})
	var all []run.Run
	for i := range 5 {
		all = append(all, f.event(fmt.Sprint(i), i).Run)
	}
	for i, r := range all {
		waits, begins := []int{0, 0, 60, 60, 120}[i], []int{0, 1, 60, 125, 126}[i] // the fourth one is late
		if waits > 0 {
			if !r.NextAttempt.Equal(after(waits)) {
				t.Errorf("run %d waits until %s", i, r.NextAttempt)
			}
			standing(t, r.Event.ID, f.begins(r, waits-1), run.Early)
		}
		standing(t, r.Event.ID, f.begins(r, begins), run.Begun)
	}
}

func TestOrderedRuns(t *testing.T) {
	f := newFlowing(t, trigger.Flow{Ordered: true})
	var all []run.Run
	for i := range 3 {
		all = append(all, f.event(fmt.Sprint(i), i).Run)
	}
	waiting := f.begins(all[1], 3)
	standing(t, "the second", waiting, run.Behind)
	if len(waiting.Enqueue) > 0 {
		t.Errorf("asks for the first, which has just come: %v", waiting.Enqueue)
	}
	first := f.begins(all[0], 3)
	standing(t, "the first", first, run.Begun)

	// A retry keeps its place in the order.
	first.Run.Status, first.Run.NextAttempt = run.WaitingRetry, after(600)
	if err := f.runs.Wait(t.Context(), first.Run, "a worker"); err != nil {
		t.Fatal(err)
	}
	behind := f.begins(all[1], 500)
	standing(t, "the second meanwhile", behind, run.Behind)
	if len(behind.Enqueue) > 0 {
		t.Errorf("asks for the first, which waits: %v", behind.Enqueue)
	}
	// If it is still idle three minutes after its time, its message must be lost.
	if behind = f.begins(all[1], 800); len(behind.Enqueue) != 1 || behind.Enqueue[0].ID != all[0].ID {
		t.Errorf("does not ask for the first: %+v", behind)
	}

	first = f.begins(all[0], 801)
	standing(t, "the first again", first, run.Begun)
	if next := f.ends(first, 802); next == nil || next.ID != all[1].ID {
		t.Fatalf("after the first %v", next)
	}
	if next, err := f.runs.Leave(t.Context(), first.Run, after(803)); err != nil || next == nil || next.ID != all[1].ID {
		t.Errorf("and once more %v, %v", next, err)
	}
	second := f.begins(all[1], 803)
	standing(t, "the second", second, run.Begun)
	if next, err := f.runs.Leave(t.Context(), first.Run, after(804)); err != nil || next != nil {
		t.Errorf("while the second is under way %v, %v", next, err)
	}
	if next := f.ends(second, 805); next == nil || next.ID != all[2].ID {
		t.Errorf("after the second %v", next)
	}
	if next := f.ends(f.begins(all[2], 806), 807); next != nil {
		t.Errorf("after the last %v", next)
	}
}

// TestFrequencyPrecedesFlowControls: for an action that runs once, the first event gets the turn, regardless of flow
// controls.
func TestFrequencyPrecedesFlowControls(t *testing.T) {
	f := newFlowing(t, trigger.Flow{DebounceSeconds: 10, Batch: &trigger.Batch{Size: 2, Seconds: 60}, Ordered: true})
	f.once.Mode = trigger.Once
	a, b := f.event("a", 0), f.event("b", 1)
	if a.Run.Status != run.Pending || b.Run.Status != run.Skipped ||
		b.Run.Error.Type != run.SkippedFrequency {
		t.Errorf("%+v, %+v", a.Run, b.Run)
	}
	standing(t, "the first", f.begins(a.Run, 10), run.Early)
	standing(t, "its batch", f.begins(a.Run, 70), run.Begun)
}

// TestReplayAtAGate: a run at a gate stays there; an ended run bypasses its flow controls.
func TestReplayAtAGate(t *testing.T) {
	f := newFlowing(t, trigger.Flow{DebounceSeconds: 10})
	a := f.event("a", 0)
	if err := f.runs.Replay(t.Context(), shop, a.Run.Ref(), after(1), 3); err != nil {
		t.Fatal(err)
	}
	standing(t, "one that waits", f.begins(a.Run, 2), run.Early)
	f.event("b", 3)
	if err := f.runs.Replay(t.Context(), shop, a.Run.Ref(), after(4), 4); err != nil {
		t.Fatal(err)
	}
	standing(t, "one that was debounced", f.begins(a.Run, 5), run.Begun)
}

// TestConcurrentRuns: two engines receive events of one key concurrently.
func TestConcurrentRuns(t *testing.T) {
	const events = 24
	f := newFlowing(t, trigger.Flow{
		Batch: &trigger.Batch{Size: 5, Seconds: 60}, Throttle: &trigger.Throttle{Count: 1, PeriodSeconds: 1},
	})
	group, mu, all := sync.WaitGroup{}, sync.Mutex{}, map[string]run.Run{}
	for i := range 2 * events {
		group.Go(func() {
			r := f.run(fmt.Sprint(i%events), 0)
			if _, err := f.runs.Start(t.Context(), r, trigger.Frequency{}, after(1)); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			all[r.ID] = r
		})
	}
	group.Wait()

	var in []string
	windows := map[time.Time]bool{}
	for _, r := range all {
		if stored := f.logged(r); stored.Status == run.Pending {
			begun := f.begins(r, 1)
			for second := 61; begun.Standing == run.Early; second += 60 {
				begun = f.begins(r, second)
			}
			batch := strings.Fields(ids(t, begun))
			if len(batch) > 5 {
				t.Errorf("%d events in a batch", len(batch))
			}
			in = append(in, batch...)
			if full := len(batch) == 5; full && windows[stored.Flow.Until] {
				t.Errorf("two runs in the window to %s", stored.Flow.Until)
			}
			windows[stored.Flow.Until] = true
		}
	}
	slices.Sort(in)
	if len(in) != events || len(slices.Compact(in)) != events {
		t.Errorf("%d events are in batches: %v", len(in), in)
	}
}

// TestCostOfFlowControls counts the database calls from an event to the end of its run. An action without flow controls
// makes no extra call.
func TestCostOfFlowControls(t *testing.T) {
	batch := &trigger.Batch{Size: 2, Seconds: 60}
	throttle := &trigger.Throttle{Count: 100, PeriodSeconds: 600}
	for _, c := range []struct {
		what              string
		flow              trigger.Flow
		start, begin, end string
	}{
		{"nothing", trigger.Flow{}, "PutItem", "UpdateItem", "UpdateItem"},
		{"debounce", trigger.Flow{DebounceSeconds: 1}, "BatchGetItem TransactWriteItems",
			"UpdateItem GetItem TransactWriteItems UpdateItem", "UpdateItem"},
		{"batch", trigger.Flow{Batch: batch}, "BatchGetItem TransactWriteItems",
			"UpdateItem GetItem TransactWriteItems UpdateItem Query", "UpdateItem"},
		{"throttle", trigger.Flow{Throttle: throttle}, "BatchGetItem TransactWriteItems", "UpdateItem", "UpdateItem"},
		{"ordered", trigger.Flow{Ordered: true}, "BatchGetItem TransactWriteItems",
			"UpdateItem Query UpdateItem", "UpdateItem DeleteItem Query"},
		{"all", trigger.Flow{DebounceSeconds: 1, Batch: batch, Throttle: throttle, Ordered: true},
			"BatchGetItem TransactWriteItems",
			"UpdateItem GetItem TransactWriteItems UpdateItem " + // settled
				"UpdateItem GetItem TransactWriteItems UpdateItem " + // the batch has reached its age
				"Query GetItem TransactWriteItems UpdateItem Query", // its turn, its window
			"UpdateItem DeleteItem Query"},
	} {
		f := newFlowing(t, c.flow)
		recorder := dynamotest.Record(f.runs.Client)
		f.runs.Client = recorder.Client
		r := f.run("a", 0)
		if _, err := f.runs.Start(t.Context(), r, trigger.Frequency{}, noon); err != nil {
			t.Fatal(err)
		}
		took(t, c.what+", start", recorder, c.start)

		b := f.begins(r, 60)
		if b.Standing == run.Early {
			b = f.begins(r, 120)
		}
		standing(t, c.what, b, run.Begun)
		took(t, c.what+", begin", recorder, c.begin)
		f.ends(b, 121)
		took(t, c.what+", end", recorder, c.end)
	}
}

func took(t *testing.T, what string, r *dynamotest.Recorder, want string) {
	t.Helper()
	if got := strings.Join(r.Take(), " "); got != want {
		t.Errorf("%s takes %s, want %s", what, got, want)
	}
}
