package triggerdb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// statePK returns the partition key of the state of flowing's only key, and runPK that of its runs.
func (f *flowing) statePK() string { return fmt.Sprintf("7.production#flow#%d#4#=k", f.id) }
func (f *flowing) runPK() string   { return fmt.Sprintf("7.production#run#%d", f.id) }

func runSK(r run.Run) string { return fmt.Sprintf("%013d#%s", r.CreatedAt.UnixMilli(), r.ID) }

func (f *flowing) item(pk, sk string) dynamo.Item {
	f.Helper()
	it, err := dynamo.GetItem(f.Context(), f.runs.Client, table, pk, sk)
	if err != nil {
		f.Fatal(err)
	}
	return it
}

func (f *flowing) put(it dynamo.Item) {
	f.Helper()
	name := table
	if _, err := f.runs.Client.PutItem(f.Context(), &dynamodb.PutItemInput{TableName: &name, Item: it}); err != nil {
		f.Fatal(err)
	}
}

// expire deletes an item, as TTL does.
func (f *flowing) expire(pk, sk string) {
	f.Helper()
	if len(f.item(pk, sk)) == 0 {
		f.Fatalf("there is no %s, %s", pk, sk)
	}
	name := table
	if _, err := f.runs.Client.DeleteItem(f.Context(), &dynamodb.DeleteItemInput{
		TableName: &name, Key: dynamo.Key(pk, sk),
	}); err != nil {
		f.Fatal(err)
	}
}

func (f *flowing) expireRun(r run.Run) { f.Helper(); f.expire(f.runPK(), runSK(r)) }

// TestDebouncedRunsJoinBatches: debounced runs join a batch when their time has come. The run that fills the batch
// enqueues it, and so does a run that is too large for it.
func TestDebouncedRunsJoinBatches(t *testing.T) {
	f := newFlowing(t, trigger.Flow{DebounceSeconds: 10, Batch: &trigger.Batch{Size: 2, Seconds: 60}})
	a := f.event("a", 0).Run
	standing(t, "the first", f.begins(a, 10), run.Early)
	b := f.event("b", 20).Run
	joined := f.begins(b, 30)
	standing(t, "the one that joins", joined, run.Over)
	if len(joined.Enqueue) == 0 || joined.Enqueue[0].ID != a.ID {
		t.Errorf("asks for %v", joined.Enqueue)
	}
	if err := f.runs.Replay(t.Context(), shop, b.Ref(), after(31), 1); !errs.Is(err, errs.KindConflict) ||
		!strings.Contains(err.Error(), a.Ref().LogID()) {
		t.Errorf("replay of an event of a batch: %v", err)
	}
	begun := f.begins(a, 31)
	if standing(t, "the batch", begun, run.Begun); ids(t, begun) != "a b" {
		t.Errorf("its events: %s", ids(t, begun))
	}

	large := func(event string, second int) run.Run {
		r := f.run(event, second)
		r.Event.Payload["text"] = strings.Repeat("x", run.MaxBatchData*2/3)
		return f.start(r, second).Run
	}
	c := large("c", 100)
	standing(t, "a large one", f.begins(c, 110), run.Early)
	d := large("d", 120)
	apart := f.begins(d, 130)
	standing(t, "another large one", apart, run.Early)
	if len(apart.Enqueue) != 1 || apart.Enqueue[0].ID != c.ID || !apart.Until.Equal(after(190)) {
		t.Errorf("asks for %v, and waits until %s", apart.Enqueue, apart.Until)
	}
	standing(t, "the batch that it does not fit", f.begins(c, 131), run.Begun)
}

// TestExpiredRunsReleaseTheOrder: expired runs hold back no others, although the state of their key still lists them.
func TestExpiredRunsReleaseTheOrder(t *testing.T) {
	f := newFlowing(t, trigger.Flow{DebounceSeconds: 10})
	f.expireRun(f.event("a", 0).Run)
	b := f.event("b", 5).Run
	f.event("c", 6)
	if skipped := f.logged(b); skipped.Status != run.Skipped {
		t.Errorf("the newest one is not debounced: %+v", skipped)
	}

	f = f.next(trigger.Flow{Batch: &trigger.Batch{Size: 2, Seconds: 60}})
	f.expireRun(f.event("a", 0).Run)
	if b := f.event("b", 5).Run; b.Status != run.Pending || !b.NextAttempt.Equal(after(65)) {
		t.Errorf("an event that would have filled a batch: %+v", b)
	}

	f = f.next(trigger.Flow{DebounceSeconds: 10, Batch: &trigger.Batch{Size: 2, Seconds: 60}})
	a := f.event("a", 0).Run
	standing(t, "the first", f.begins(a, 10), run.Early)
	f.expireRun(a)
	b = f.event("b", 20).Run
	standing(t, "one that would have filled a batch", f.begins(b, 30), run.Early)
	begun := f.begins(b, 90)
	if standing(t, "its own batch", begun, run.Begun); ids(t, begun) != "b" {
		t.Errorf("its events: %s", ids(t, begun))
	}

	f = f.next(trigger.Flow{Ordered: true})
	a, b = f.event("a", 0).Run, f.event("b", 5).Run
	f.expireRun(a)
	behind := f.begins(b, 600)
	standing(t, "while the place of the first is there", behind, run.Behind)
	if len(behind.Enqueue) > 0 {
		t.Errorf("asks for a run that is gone: %v", behind.Enqueue)
	}
	for _, second := range []int{0, 5} {
		f.expire(f.statePK(), fmt.Sprintf("place#%020d", after(second).UnixMilli()))
	}
	standing(t, "without any place", f.begins(b, 601), run.Begun)
}

// TestLostMessagesOfAnOrder: a run behind the first one enqueues it if it has been idle for three minutes, and not
// earlier, whatever the first one waits for.
func TestLostMessagesOfAnOrder(t *testing.T) {
	f := newFlowing(t, trigger.Flow{})
	for _, c := range []struct {
		what  string
		do    func(f *flowing, first run.Run)
		since int // seconds
	}{
		{"pending", func(*flowing, run.Run) {}, 0},
		{"under way", func(f *flowing, first run.Run) { f.begins(first, 10) }, 70}, // the lease is one minute
		{"waiting", func(f *flowing, first run.Run) {
			b := f.begins(first, 10)
			b.Run.Status, b.Run.NextAttempt = run.WaitingRetry, after(600)
			if err := f.runs.Wait(f.Context(), b.Run, "a worker"); err != nil {
				f.Fatal(err)
			}
		}, 600},
	} {
		f = f.next(trigger.Flow{Ordered: true})
		first, second := f.event("a", 0).Run, f.event("b", 1).Run
		c.do(f, first)
		for late, asks := range map[int]bool{179: false, 180: true} {
			b := f.begins(second, c.since+late)
			if b.Standing != run.Behind || asks != (len(b.Enqueue) == 1) || asks && b.Enqueue[0].ID != first.ID {
				t.Errorf("%s, %d s later: stands %v, asks for %v", c.what, late, b.Standing, b.Enqueue)
			}
		}
	}

	// Runs of the same time: the end of each enqueues the next, even if the whole order takes no time.
	f = f.next(trigger.Flow{Ordered: true})
	var all []run.Run
	for i := range 3 {
		all = append(all, f.event(fmt.Sprint(i), 0).Run)
	}
	for i, r := range all {
		next := f.ends(f.begins(r, 0), 0)
		if last := i == 2; last != (next == nil) || !last && next.ID != all[i+1].ID {
			t.Errorf("after run %d: %v", i, next)
		}
	}
}

// TestOrderedRunsWaitForTheirWindow: ordered runs wait for their throttle windows, one after the other.
func TestOrderedRunsWaitForTheirWindow(t *testing.T) {
	f := newFlowing(t, trigger.Flow{Ordered: true, Throttle: &trigger.Throttle{Count: 1, PeriodSeconds: 60}})
	a, b := f.event("a", 0).Run, f.event("b", 1).Run
	begun := f.begins(a, 1)
	standing(t, "the first", begun, run.Begun)
	standing(t, "the second", f.begins(b, 2), run.Behind)
	f.ends(begun, 3)
	early := f.begins(b, 4)
	if standing(t, "the second, without a window", early, run.Early); !early.Until.Equal(after(61)) {
		t.Errorf("waits until %s", early.Until)
	}
	standing(t, "before its window", f.begins(b, 60), run.Early)
	begun = f.begins(b, 61)
	if standing(t, "in its window", begun, run.Begun); begun.Run.Flow.Place == 0 {
		t.Errorf("it has lost its place: %+v", begun.Run.Flow)
	}
	if next := f.ends(begun, 62); next != nil {
		t.Errorf("after the last %v", next)
	}
}

// TestStatesOfKeysExpire: a state expires a month after it was last needed, and is not written if nothing changes.
func TestStatesOfKeysExpire(t *testing.T) {
	f := newFlowing(t, trigger.Flow{DebounceSeconds: 10, Throttle: &trigger.Throttle{Count: 5, PeriodSeconds: 60}})
	expires := func(what string, second int) {
		t.Helper()
		at := time.Unix(dynamo.IntegerOf(f.item(f.statePK(), "state")["expires_at"]), 0)
		if want := after(second).Add(30 * 24 * time.Hour); !at.Equal(want) {
			t.Errorf("%s: expires at %s, want %s", what, at, want)
		}
	}
	a := f.event("a", 0).Run
	expires("debounced", 0)
	standing(t, "the first", f.begins(a, 10), run.Begun)
	expires("in its window", 70)
	f.event("b", 200)
	expires("after its window", 200)

	revision := func() int64 { return dynamo.IntegerOf(f.item(f.statePK(), "state")["revision"]) }
	before := revision()
	f.event("old", 100)
	if now := revision(); now != before {
		t.Errorf("an event that changes nothing writes the state: revision %d, %d before", now, before)
	}
}

// TestDamagedFlows: damaged items return errors, and no run begins.
func TestDamagedFlows(t *testing.T) {
	debounced, ordered := trigger.Flow{DebounceSeconds: 10}, trigger.Flow{Ordered: true}
	batched := trigger.Flow{Batch: &trigger.Batch{Size: 3, Seconds: 60}}
	f := newFlowing(t, trigger.Flow{})
	noJSON, text, number := dynamo.Binary([]byte("{")), dynamo.Text("x"), dynamo.Number(1)
	for _, c := range []struct {
		flow     trigger.Flow
		of, name string
		to       types.AttributeValue
		fails    string // "a", "b": runs; "c": another event
	}{
		{debounced, "state", "state", noJSON, "b c"}, {debounced, "state", "revision", text, "b c"},
		{debounced, "run a", "tries", text, "a"}, {debounced, "run b", "flow", noJSON, "b"},
		{debounced, "run b", "tries", text, "b"}, {debounced, "run b", "event", noJSON, "b"},
		{batched, "run b", "joined", text, "a b"}, {batched, "run b", "tries", text, "a b"},
		{batched, "member", "run", text, "a"}, {batched, "member", "run", number, "a"},
		{ordered, "place", "run", text, "a b"}, {ordered, "place", "run", number, "a b"},
		{ordered, "run a", "tries", text, "a b"},
	} {
		f = f.next(c.flow)
		a, b := f.event("a", 0).Run, f.event("b", 1).Run
		places := map[string][2]string{
			"state": {f.statePK(), "state"}, "place": {f.statePK(), fmt.Sprintf("place#%020d", noon.UnixMilli())},
			"run a": {f.runPK(), runSK(a)}, "run b": {f.runPK(), runSK(b)},
			"member": {"7.production#batch#" + a.ID, "000001"},
		}
		it := f.item(places[c.of][0], places[c.of][1])
		if it[c.name] == nil && c.name != "tries" {
			t.Fatalf("%s has no %s: %v", c.of, c.name, it)
		}
		it[c.name] = c.to
		f.put(it)

		for _, what := range strings.Fields("a b c") {
			var err error
			switch what {
			case "a":
				_, err = f.runs.Begin(t.Context(), shop, a.Ref(), lease("w", after(130)), after(70))
			case "b":
				_, err = f.runs.Begin(t.Context(), shop, b.Ref(), lease("w", after(130)), after(70))
			default:
				_, err = f.runs.Start(t.Context(), f.run("c", 71), trigger.Frequency{}, after(71))
			}
			if fails := strings.Contains(c.fails, what); fails != (err != nil) {
				t.Errorf("%s, %s is damaged: %s: %v", c.of, c.name, what, err)
			}
		}
	}
}

// TestTurns: an action that may run once, or at most once per interval, runs for the first event, however often that
// event is delivered.
func TestTurns(t *testing.T) {
	f := newFlowing(t, trigger.Flow{})
	for _, c := range []struct {
		limit trigger.Frequency
		runs  []bool // of events at 0, 59, 60 and 61 s
		last  int
	}{
		{trigger.Frequency{}, []bool{true, true, true, true}, -1},
		{trigger.Frequency{Mode: trigger.Repeatable}, []bool{true, true, true, true}, -1},
		{trigger.Frequency{Mode: trigger.Once}, []bool{true, false, false, false}, 0},
		{trigger.Frequency{Mode: trigger.Intermittent, IntervalSeconds: 60}, []bool{true, false, true, false}, 60},
	} {
		f = f.next(trigger.Flow{})
		f.once = c.limit
		for i, second := range []int{0, 59, 60, 61} {
			started := f.event(fmt.Sprint(second), second)
			if runs := started.Run.Status == run.Pending; runs != c.runs[i] {
				t.Errorf("%+v, event at %d s: %+v", c.limit, second, started.Run)
			}
			stored := f.logged(started.Run)
			if stored.Status != started.Run.Status || !cmp.Equal(stored.Error, started.Run.Error) {
				t.Errorf("%+v, event at %d s is stored as %+v", c.limit, second, stored)
			}
		}
		at, err := f.runs.LastTurn(t.Context(), shop, f.id, 4)
		if err != nil || at.IsZero() != (c.last < 0) || c.last >= 0 && !at.Equal(after(c.last)) {
			t.Errorf("%+v: the last turn was at %s, %v", c.limit, at, err)
		}
	}

	// A run that ended before it began enters no gate.
	f = f.next(trigger.Flow{DebounceSeconds: 10})
	r := f.run("a", 0)
	r.Status = run.Failed
	if started := f.start(r, 0); started.Run.Status != run.Failed || len(f.item(f.statePK(), "state")) > 0 {
		t.Errorf("%+v", started.Run)
	}
}
