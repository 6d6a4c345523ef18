package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/shared/clock"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// TestFlowControls: chat messages of three senders go through two engines and the workers to an action with a random
// combination of flow controls. Whatever befalls them, each control keeps its word, and nothing is lost or doubled.
func TestFlowControls(t *testing.T) {
	for seed := range uint64(*seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			cryptotest.SetGlobalRandom(t, seed)
			synctest.Test(t, func(t *testing.T) { flowUnderFaults(t, seed) })
		})
	}
}

// messages is a program that gets pushed chat messages.
func messages(i *sim.Instance) any {
	engine := i.Queues.Engine()
	return func(ctx context.Context, e events.CloudWatchEvent) error {
		var detail map[string]any
		if err := json.Unmarshal(e.Detail, &detail); err != nil {
			return err
		}
		_, err := engine.Fire(ctx, []trigger.Event{trigger.MessageEvent(shop, e.ID, e.Time, detail)})
		return err
	}
}

// flowOf is one of the sixteen combinations, by seed, with random numbers.
func flowOf(seed uint64, random *rand.Rand) trigger.Flow {
	f := trigger.Flow{Ordered: seed&1 > 0, Key: "{{ FromUserName }}"}
	long := 20 // seconds: of the events' own pace, or beyond what a queue holds back
	if random.IntN(3) == 0 {
		long = 1200
	}
	if seed&2 > 0 {
		f.DebounceSeconds = 1 + random.IntN(20)
	}
	if seed&4 > 0 {
		f.Batch = &trigger.Batch{Size: 2 + random.IntN(3), Seconds: 1 + random.IntN(long)}
	}
	if seed&8 > 0 {
		f.Throttle = &trigger.Throttle{Count: 1 + random.IntN(3), PeriodSeconds: 5 + random.IntN(long)}
	}
	return f
}

// recorder is what the actions do in the world outside: it notes who did what and when.
type recorder struct {
	random *rand.Rand
	mu     sync.Mutex
	calls  []flowCall
}

type flowCall struct {
	run        string
	key        string
	place      int64
	tries      int
	events     []string
	begin, end time.Time // end is zero where its worker died
}

// Do implements action.Doer. Some calls take long, some fail.
func (r *recorder) Do(ctx context.Context, w action.Work) (action.Result, error) {
	r.mu.Lock()
	c := flowCall{run: w.Run.ID, tries: w.Run.Tries, begin: time.Now()}
	if w.Run.Flow != nil {
		c.key, c.place = w.Run.Flow.Key, w.Run.Flow.Place
	}
	all := w.Events
	if all == nil {
		all = []trigger.Event{w.Run.Event}
	}
	for _, e := range all {
		c.events = append(c.events, fmt.Sprint(e.Payload["MsgId"]))
	}
	i := len(r.calls)
	r.calls = append(r.calls, c)
	lasts, fault := time.Duration(r.random.IntN(4000))*time.Millisecond, r.random.IntN(10)
	r.mu.Unlock()

	if err := clock.Sleep(ctx, lasts); err != nil {
		return action.Result{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[i].end = time.Now()
	switch fault {
	case 0:
		return action.Result{}, action.Again(0, "busy", "try again")
	case 1:
		return action.Result{}, action.Permanent("no", "never")
	}
	return action.Result{}, nil
}

// worker is a program that works on runs.
func worker(i *sim.Instance, doer action.Doer) any {
	runs := i.Backend.Runs()
	waker := &trigger.Waker{
		Queue: i.Queues.Actions(), Wakes: runs, Clock: clock.System,
	}
	return &action.Executor{
		Runs: runs, Triggers: i.Backend.Triggers(), Waker: waker,
		Doers: map[trigger.ActionType]action.Doer{trigger.CloudFunction: doer}, Clock: clock.System,
	}
}

// work has workers take messages off the queue, and wakes sent each minute.
func work(w *sim.World, doer action.Doer) {
	start := func(i *sim.Instance) any { return worker(i, doer) }
	handle := func(handlers any) sim.SQSHandler {
		return func(ctx context.Context, batch events.SQSEvent) (answer events.SQSEventResponse, err error) {
			for _, record := range batch.Records {
				var m trigger.Message
				if err := json.Unmarshal([]byte(record.Body), &m); err != nil {
					return answer, err
				}
				if err := handlers.(*action.Executor).Handle(ctx, m); err != nil {
					failed := events.SQSBatchItemFailure{ItemIdentifier: record.MessageId}
					answer.BatchItemFailures = append(answer.BatchItemFailures, failed)
				}
			}
			return answer, nil
		}
	}
	w.Consume("actions", "worker", start, 3, handle)
	w.Consume("actions", "another worker", start, 2, handle)
	w.Tick("waker", start, func(ctx context.Context, handlers any, _ time.Time) error {
		_, err := handlers.(*action.Executor).Waker.Tick(ctx)
		return err
	})
}

func flowUnderFaults(t *testing.T, seed uint64) {
	w := sim.New(seed, memdb.New(clock.System, "TriggersTable*", "TriggerLogTable"))
	defer w.Stop()
	random := rand.New(rand.NewPCG(seed, 6))
	f := flowOf(seed, random)
	plantFlow(t, w, f)
	did := &recorder{random: rand.New(rand.NewPCG(seed, 7))}
	work(w, did)

	handler := func(handlers any) sim.EventHandler { return handlers.(sim.EventHandler) }
	engine := func(i *sim.Instance) any {
		return sim.EventHandler(messages(i).(func(context.Context, events.CloudWatchEvent) error))
	}
	var arrive sync.WaitGroup
	keyOf := map[string]string{}
	for n := range 24 {
		id, from := fmt.Sprint(n), fmt.Sprint("sender", random.IntN(3))
		keyOf[id] = "=" + from
		text, _ := json.Marshal(map[string]any{"MsgId": id, "FromUserName": from})
		program := fmt.Sprint("platformevent", random.IntN(2))
		arrive.Go(func() {
			w.Event(program, engine, handler, sim.Put{Source: "minicloud", DetailType: "chat-message", Detail: string(text)})
		})
		if random.IntN(3) == 0 { // the others come in bursts
			time.Sleep(w.Jitter(time.Duration(random.IntN(12)) * time.Second))
		}
		checkGates(t, w)
	}
	arrive.Wait()

	calm := time.Now().Add(30 * time.Minute)
	for minute := 0; !allEnded(w, len(keyOf)); minute++ {
		if time.Now().After(calm) {
			w.Rates = sim.Rates{}
		}
		if minute > 24*60 {
			t.Fatalf("%+v: after a day not all have ended:\n%s", f, strings.Join(logLines(w), "\n"))
		}
		time.Sleep(w.Jitter(time.Minute))
		checkGates(t, w)
	}
	w.Rates = sim.Rates{}
	time.Sleep(3 * time.Hour) // until the last messages have come
	did.check(t, w, f, keyOf)
}

// plantFlow stores a trigger before anything goes wrong.
func plantFlow(t *testing.T, w *sim.World, f trigger.Flow) {
	rates := w.Rates
	w.Rates = sim.Rates{}
	defer func() { w.Rates = rates }()

	store := w.Instance("planter", messages).Backend.Triggers()
	one := trigger.Trigger{
		ID: 1, Name: "flow", Type: trigger.TypeChatMessage, Enabled: true, Revision: 1, Timezone: trigger.DefaultTimezone,
		Condition: &trigger.MessageCondition{Match: trigger.MatchAll},
		Actions: []trigger.Action{{
			ID: 10, Type: trigger.CloudFunction, Flow: f, Settings: &trigger.CloudFunctionSettings{Function: "f"},
		}},
	}
	if err := store.Insert(t.Context(), shop, one, time.Time{}); err != nil {
		t.Fatal(err)
	}
}

// flowRuns are the runs in the log.
func flowRuns(w *sim.World) (runs []memdb.Item) {
	for _, it := range w.DB.Items("TriggerLogTable") {
		if strings.Contains(attribute(it, "pk"), "#run#") {
			runs = append(runs, it)
		}
	}
	return runs
}

func logLines(w *sim.World) (lines []string) {
	for _, it := range w.DB.Items("TriggerLogTable") {
		lines = append(lines, fmt.Sprint(it))
	}
	return lines
}

func allEnded(w *sim.World, events int) bool {
	runs := flowRuns(w)
	return len(runs) == events && !slices.ContainsFunc(runs, func(it memdb.Item) bool {
		return !trigger.RunStatus(attribute(it, "status")).Ended()
	})
}

// flowKeyOf is the key of a run, from what it remembers of its flow.
func flowKeyOf(it memdb.Item) string {
	var settings struct {
		Key string `json:"key"`
	}
	_ = json.Unmarshal(binary(it, "flow"), &settings)
	return settings.Key
}

func binary(it memdb.Item, name string) []byte {
	v, _ := it[name].(map[string]any)
	var out struct{ B []byte }
	text, _ := json.Marshal(v)
	_ = json.Unmarshal(text, &out)
	return out.B
}

// checkGates looks at what must hold at every moment: of each key at most one run is debounced.
func checkGates(t *testing.T, w *sim.World) {
	debounced := map[string]int{}
	for _, it := range flowRuns(w) {
		if attribute(it, "status") == string(trigger.RunPending) && attribute(it, "gate") == string(trigger.GateDebounce) {
			debounced[flowKeyOf(it)]++
		}
	}
	for key, n := range debounced {
		if n > 1 {
			t.Errorf("%d runs of key %s are debounced at a time", n, key)
		}
	}
}

// check holds what was done against what each control promises.
func (r *recorder) check(t *testing.T, w *sim.World, f trigger.Flow, keyOf map[string]string) {
	r.checkEvents(t, w, f, keyOf)
	r.checkThrottle(t, w, f)
	if f.Ordered {
		r.checkOrder(t)
	}
	for _, it := range w.DB.Items("TriggerLogTable") {
		if pk, sk := attribute(it, "pk"), attribute(it, "sk"); pk == "wake" || strings.HasPrefix(sk, "place#") {
			t.Errorf("left behind: %s %s", pk, sk)
		}
	}
	if left := w.Queue("actions").All(); len(left) > 0 {
		t.Errorf("%d messages go on for ever: %v", len(left), left[0])
	}
}

// checkEvents: each event was given to exactly one run, or a newer one of its key came before its time.
func (r *recorder) checkEvents(t *testing.T, w *sim.World, f trigger.Flow, keyOf map[string]string) {
	in := map[string]string{}  // run by event
	had := map[string]string{} // events by run
	for _, c := range r.calls {
		got := strings.Join(c.events, " ")
		if before, known := had[c.run]; known && before != got {
			t.Errorf("run %s was given %s and then %s", c.run, before, got)
		}
		had[c.run] = got
		if f.Batch == nil && len(c.events) != 1 || f.Batch != nil && len(c.events) > f.Batch.Size {
			t.Errorf("%d events in a run", len(c.events))
		}
		for _, e := range c.events {
			if in[e] != "" && in[e] != c.run {
				t.Errorf("event %s was given to two runs", e)
			}
			if in[e] = c.run; f.Uses() && c.key != keyOf[e] {
				t.Errorf("event %s of key %s came to key %s", e, keyOf[e], c.key)
			}
		}
	}

	debounced, newest := 0, map[string]string{}
	runs := map[string]int{} // by key and instant, those that were not debounced
	for _, it := range flowRuns(w) {
		key := flowKeyOf(it)
		at, _, _ := strings.Cut(attribute(it, "sk"), "#")
		newest[key] = max(newest[key], at)
		if strings.Contains(fmt.Sprint(it["error"]), trigger.SkippedDebounced) {
			debounced++
		} else {
			runs[key+at]++
		}
	}
	for key, at := range newest {
		if runs[key+at] == 0 {
			t.Errorf("the newest event of key %s was debounced", key)
		}
	}
	if len(in)+debounced != len(keyOf) || debounced > 0 && f.DebounceSeconds == 0 {
		t.Errorf("%d events, %d were done, %d debounced", len(keyOf), len(in), debounced)
	}
}

// slack is how long a run may take from its beginning to its first call: requests get lost, and are tried again.
const slack = 30 * time.Second

// checkThrottle: no window holds more runs than it may, none overlaps another of its key, and each run begins in its
// own.
func (r *recorder) checkThrottle(t *testing.T, w *sim.World, f trigger.Flow) {
	if f.Throttle == nil {
		return
	}
	period := time.Duration(f.Throttle.PeriodSeconds) * time.Second
	first := map[string]flowCall{}
	for _, c := range r.calls {
		if _, known := first[c.run]; !known {
			first[c.run] = c
		}
	}

	windows := map[string]map[int64]int{}
	for _, it := range flowRuns(w) {
		_, run, _ := strings.Cut(attribute(it, "sk"), "#")
		began, done := first[run]
		if !done {
			continue
		}
		key, end := flowKeyOf(it), number(it, "until")
		if windows[key] == nil {
			windows[key] = map[int64]int{}
		}
		if windows[key][end]++; windows[key][end] > f.Throttle.Count {
			t.Errorf("%d runs of key %s in a window of %d", windows[key][end], key, f.Throttle.Count)
		}
		late := began.begin.Sub(time.UnixMilli(end))
		if late < -period || began.tries == 1 && late > slack {
			t.Errorf("run %s began %s after the end of its window of %s", run, late, period)
		}
		for other := range windows[key] {
			if apart := (time.Duration(other-end) * time.Millisecond).Abs(); apart > 0 && apart < period {
				t.Errorf("windows of key %s overlap by %s", key, period-apart)
			}
		}
	}
}

func number(it memdb.Item, name string) (n int64) {
	v, _ := it[name].(map[string]any)
	fmt.Sscan(fmt.Sprint(v["N"]), &n)
	return n
}

// checkOrder: the runs of a key follow each other in the order of their places, each with all its attempts.
func (r *recorder) checkOrder(t *testing.T) {
	last := map[string]flowCall{}
	for _, c := range r.calls {
		before, known := last[c.key]
		switch {
		case c.place == 0:
			t.Errorf("run %s has no place", c.run)
		case known && c.place < before.place:
			t.Errorf("run %s of key %s began after one behind it", c.run, c.key)
		case known && c.run != before.run && !before.end.IsZero() && c.begin.Before(before.end):
			t.Errorf("run %s of key %s began before the one before it had ended", c.run, c.key)
		}
		last[c.key] = c
	}
}
