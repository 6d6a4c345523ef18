package action_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

var (
	morning = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	here    = tenant.Scope{App: 7, Env: tenant.Production}
)

// sent is a message that a queue received.
type sent struct {
	message run.Message
	delay   time.Duration
}

type queue struct {
	mu   sync.Mutex
	all  []sent
	fail error
}

func (q *queue) Send(_ context.Context, delay time.Duration, all ...run.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fail != nil {
		return q.fail
	}
	for _, m := range all {
		q.all = append(q.all, sent{m, delay})
	}
	return nil
}

// take returns the messages since the last take.
func (q *queue) take() []sent {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.all
	q.all = nil
	return all
}

// doer is a fake Doer that calls do and records its works.
type doer struct {
	mu    sync.Mutex
	works []action.Work
	do    func(context.Context, action.Work) (action.Result, error)
}

func (d *doer) Do(ctx context.Context, w action.Work) (action.Result, error) {
	d.mu.Lock()
	d.works = append(d.works, w)
	do := d.do
	d.mu.Unlock()
	if do == nil {
		return action.Result{StatusCode: 200, Response: "fine"}, nil
	}
	return do(ctx, w)
}

// fails makes the doer return an error.
func (d *doer) fails(err error) {
	d.do = func(context.Context, action.Work) (action.Result, error) {
		return action.Result{StatusCode: 500, Response: "oh"}, err
	}
}

type kit struct {
	*testing.T
	now      time.Time
	client   *dynamotest.Recorder
	triggers *triggerdb.Triggers
	runs     *rundb.Runs
	queue    *queue
	doer     *doer
	engine   *engine.Engine
	executor *action.Executor
	trigger  trigger.Trigger
}

// newKit returns a kit with a trigger on chat messages: a webhook (4), a function (5) and an email (6) without a doer.
func newKit(t *testing.T) *kit {
	k := &kit{T: t, now: morning, queue: &queue{}, doer: &doer{}}
	k.client = dynamotest.Record(dynamotest.Start(t, "TriggersTable", "TriggerLogTable"))
	now := clock.Clock(func() time.Time { return k.now })
	k.triggers = &triggerdb.Triggers{Client: k.client.Client, Table: "TriggersTable", Clock: now}
	k.runs = &rundb.Runs{Client: k.client.Client, Table: "TriggerLogTable"}
	k.engine = &engine.Engine{Triggers: k.triggers, Runs: k.runs, Queue: k.queue, Clock: now}
	k.executor = &action.Executor{
		Runs: k.runs, Triggers: k.triggers,
		Waker: &run.Waker{Queue: k.queue, Wakes: k.runs, Clock: now},
		Doers: map[trigger.ActionType]action.Doer{trigger.Webhook: k.doer, trigger.CloudFunction: k.doer}, Clock: now,
	}

	k.trigger = trigger.Trigger{
		ID: 3, Name: "t", Enabled: true, Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{},
		Timezone: "Asia/Shanghai", Revision: 1, Actions: []trigger.Action{
			{ID: 4, Type: trigger.Webhook, Settings: &trigger.WebhookSettings{URL: "https://example.com/"}},
			{ID: 5, Type: trigger.CloudFunction, Settings: &trigger.CloudFunctionSettings{Function: "f"}},
			{ID: 6, Type: trigger.Email, Settings: &trigger.EmailSettings{}},
		},
	}
	if err := k.triggers.Insert(t.Context(), here, k.trigger, time.Time{}); err != nil {
		t.Fatal(err)
	}
	return k
}

// fire fires a chat message event, and returns the message of one action's run.
func (k *kit) fire(event string, a trigger.ActionID) run.Message {
	k.Helper()
	e := trigger.MessageEvent(here, event, k.now, map[string]any{"text": "hi"})
	if _, err := k.engine.Fire(k.Context(), []trigger.Event{e}); err != nil {
		k.Fatal(err)
	}
	for _, s := range k.queue.take() {
		if s.message.Run == run.IDOf(here, 3, e.ID, a) {
			return s.message
		}
	}
	k.Fatalf("action %d was not asked for", a)
	return run.Message{}
}

func (k *kit) handle(m run.Message) {
	k.Helper()
	if err := k.executor.Handle(k.Context(), m); err != nil {
		k.Fatal(err)
	}
}

func ref(m run.Message) run.Ref {
	return run.Ref{Trigger: m.Trigger, At: time.UnixMilli(m.At).UTC(), ID: m.Run}
}

func (k *kit) run(m run.Message) run.Run {
	k.Helper()
	r, err := k.runs.Run(k.Context(), here, ref(m))
	if err != nil {
		k.Fatal(err)
	}
	return r
}

// change replaces the trigger.
func (k *kit) change(how func(*trigger.Trigger)) {
	k.Helper()
	old, err := k.triggers.Trigger(k.Context(), here, 3)
	if err != nil {
		k.Fatal(err)
	}
	t := old
	how(&t)
	t.Revision++
	if err := k.triggers.Replace(k.Context(), here, old, t, time.Time{}); err != nil {
		k.Fatal(err)
	}
}

func TestLogsSuccessfulAttempt(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 4)
	long := strings.Repeat("é", run.MaxResponse)
	k.doer.do = func(ctx context.Context, w action.Work) (action.Result, error) {
		if until, ok := ctx.Deadline(); !ok || time.Until(until) > action.AttemptTime {
			t.Errorf("the attempt has until %v", until)
		}
		k.now = k.now.Add(250 * time.Millisecond)
		return action.Result{StatusCode: 204, Response: "x" + long}, nil
	}

	k.handle(m)
	r := k.run(m)
	if r.Status != run.Succeeded || r.Error != nil || !r.FinishedAt.Equal(morning.Add(250*time.Millisecond)) {
		t.Errorf("%+v", r)
	}
	a := r.Attempts[0]
	if len(r.Attempts) != 1 || a.At != morning.UnixMilli() || a.DurationMS != 250 || a.StatusCode != 204 ||
		a.Error != "" || len(a.Response) != run.MaxResponse ||
		!strings.HasPrefix("x"+long, strings.TrimSuffix(a.Response, "…")) {
		t.Errorf("%+v", r.Attempts)
	}
	w := k.doer.works[0]
	if w.Run.ID != m.Run || w.Attempt != 1 || w.Action.ID != 4 || w.Trigger.ID != 3 ||
		w.Run.Event.Payload["text"] != "hi" {
		t.Errorf("was given %+v", w)
	}

	k.handle(m) // the message is delivered again
	if len(k.doer.works) != 1 || len(k.queue.take()) != 0 {
		t.Error("an action that has ended was done again")
	}
}

// TestActionCostsFourCalls counts the DynamoDB calls of a run, without those of its effect.
func TestActionCostsFourCalls(t *testing.T) {
	k := newKit(t)
	k.change(func(t *trigger.Trigger) { t.Actions = t.Actions[:1] })
	k.client.Take()
	m := k.fire("one", 4)
	k.handle(m)
	calls := k.client.Take()
	t.Logf("%d calls: %v (the first, of the candidates, is of the event)", len(calls), calls)
	if got := strings.Join(calls, " "); got != "Query PutItem UpdateItem GetItem UpdateItem" {
		t.Errorf("%s", got)
	}
}

// TestVerdictsOfFirstAttempt has one row per result of a doer. Alarms depend on the level of the log.
func TestVerdictsOfFirstAttempt(t *testing.T) {
	const again = run.WaitingRetry
	k, log := newKit(t), new(bytes.Buffer)
	k.executor.Log = slog.New(slog.NewTextHandler(log, nil))
	for _, c := range []struct {
		what    string
		err     error
		status  run.Status
		kind    string // type of the run's error, or of the attempt's
		atLeast time.Duration
		level   slog.Level // of the log
	}{
		{"permanent", action.Permanent("refused", "no %d", 7), run.Failed, "refused: no 7", 0, slog.LevelInfo},
		{"wrapped", fmt.Errorf("x: %w", action.Permanent("refused", "no")), run.Failed, "refused: no", 0, slog.LevelInfo},
		{"again", action.Again(0, "busy", "later"), again, "busy: later", 4 * time.Second, slog.LevelInfo},
		{"not before", action.Again(time.Hour, "busy", "later"), again, "busy: later", time.Hour, slog.LevelInfo},
		{"not before a year", action.Again(9999*time.Hour, "busy", "later"), again, "busy: later", action.MaxAfter, slog.LevelInfo},
		{"not found", errs.NotFound("no function"), run.Failed, "not_found: no function", 0, slog.LevelInfo},
		{"invalid", errs.Invalid("age is no number"), run.Failed, "invalid: age is no number", 0, slog.LevelInfo},
		{"unavailable", errs.Unavailable(30, "busy"), again, "unavailable: busy", 30 * time.Second, slog.LevelWarn},
		{"conflict", errs.Conflict("met"), again, "conflict: met", 4 * time.Second, slog.LevelWarn},
		{"too many", errs.TooMany(1, "slow down"), again, "too_many: slow down", 4 * time.Second, slog.LevelWarn},
		{"time", fmt.Errorf("x: %w", context.DeadlineExceeded), again, "timeout: it took longer than 40s", 4 * time.Second, slog.LevelError},
		{"ours", errors.New("secret"), again, "internal: the platform failed", 4 * time.Second, slog.LevelError},
	} {
		t.Run(c.what, func(t *testing.T) {
			log.Reset()
			m := k.fire(c.what, 5)
			k.doer.fails(c.err)
			k.handle(m)

			r, asked := k.run(m), k.queue.take()
			a := r.Attempts[0]
			if r.Status != c.status || a.Error != c.kind || a.StatusCode != 500 || a.Response != "oh" {
				t.Errorf("%+v", r)
			}
			warned, failed := strings.Contains(log.String(), "level=WARN"), strings.Contains(log.String(), "level=ERROR")
			if warned != (c.level == slog.LevelWarn) || failed != (c.level == slog.LevelError) {
				t.Errorf("the log, which needs %v: %s", c.level, log)
			}
			if c.status == run.Failed {
				if got := r.Error.Type + ": " + r.Error.Message; got != c.kind || r.FinishedAt.IsZero() || len(asked) > 0 {
					t.Errorf("failed with %s, asked again %v", got, asked)
				}
				return
			}

			wait := r.NextAttempt.Sub(morning)
			if wait < c.atLeast || wait > max(c.atLeast, 6*time.Second) {
				t.Errorf("waits for %v, want %v", wait, c.atLeast)
			}
			planned, err := k.runs.Planned(t.Context(), morning.Add(action.MaxAfter), 10)
			if err != nil {
				t.Fatal(err)
			}
			planned = slices.DeleteFunc(planned, func(w run.Wake) bool { return w.Message.Run != m.Run })
			if soon := wait <= 15*time.Minute; soon && (len(asked) != 1 || asked[0].delay != wait || asked[0].message.Group() != "7") ||
				!soon && (len(planned) != 1 || !planned[0].At.Equal(r.NextAttempt)) {
				t.Errorf("asked for again: %v, planned: %v", asked, planned)
			}
		})
	}
}

func TestPanicIsFailedAttempt(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	k.doer.do = func(context.Context, action.Work) (action.Result, error) { panic("at the disco") }
	k.handle(m)
	if r := k.run(m); r.Status != run.WaitingRetry || r.Attempts[0].Error != "internal: the platform failed" {
		t.Errorf("%+v", r)
	}
}

// TestFailsAfterLastRetry checks the eleven attempts of a webhook over days. A replay starts over.
func TestFailsAfterLastRetry(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 4)
	k.doer.fails(action.Again(0, "status", "503"))
	want := []time.Duration{
		5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	for i, d := range want {
		k.handle(m)
		r := k.run(m)
		wait := r.NextAttempt.Sub(k.now)
		if r.Status != run.WaitingRetry || wait < d*8/10 || wait > d*12/10+time.Millisecond {
			t.Fatalf("after attempt %d: %s, waits %v, want %v", i+1, r.Status, wait, d)
		}
		k.now = r.NextAttempt
	}

	k.handle(m)
	r := k.run(m)
	if r.Status != run.Failed || r.Error.Type != "status" || len(r.Attempts) != 11 || len(k.doer.works) != 11 {
		t.Errorf("%+v", r)
	}

	for n := range 30 {
		if err := k.runs.Replay(t.Context(), here, r.Ref(), k.now, id.ID(n+1)); err != nil {
			t.Fatal(err)
		}
		k.handle(m)
		k.now = k.run(m).NextAttempt
	}

	if r := k.run(m); r.Tries != 1 || len(r.Attempts) != run.MaxAttempts || r.Status != run.WaitingRetry {
		t.Errorf("after replays: %d tries, %d attempts", r.Tries, len(r.Attempts))
	}
}

// TestEarlyMessageIsSentAgain checks that a message before its time is sent again with the remaining delay.
func TestEarlyMessageIsSentAgain(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	k.doer.fails(action.Again(20*time.Minute, "busy", "later"))
	k.handle(m)
	next := k.run(m).NextAttempt

	k.now = next.Add(-10 * time.Minute)
	k.handle(m)
	if asked := k.queue.take(); len(asked) != 1 || asked[0].delay != 10*time.Minute || asked[0].message != m {
		t.Errorf("%v", asked)
	}
	k.now, k.doer.do = next, nil
	k.handle(m)
	if r := k.run(m); r.Status != run.Succeeded || len(r.Attempts) != 2 || k.doer.works[1].Attempt != 2 {
		t.Errorf("%+v", r)
	}
}

// TestSecondWorkerAsksAfterLease checks that a second worker sends the message again for the end of the first worker's
// lease, in case that worker dies.
func TestSecondWorkerAsksAfterLease(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	k.doer.do = func(context.Context, action.Work) (action.Result, error) {
		k.handle(m)
		return action.Result{}, nil
	}
	k.handle(m)
	if asked := k.queue.take(); len(k.doer.works) != 1 || len(asked) != 1 || asked[0].delay != action.LeaseTime {
		t.Errorf("%d worked, asked again %v", len(k.doer.works), asked)
	}
	k.now = k.now.Add(action.LeaseTime)
	k.handle(m)
	if len(k.doer.works) != 1 || len(k.queue.take()) != 0 {
		t.Error("done twice")
	}
}

// TestRetriesAfterDeath checks that a run whose worker died between effect and mark is retried with the same id, and
// that the log has the lost attempt. A run whose worker always dies fails in the end.
func TestRetriesAfterDeath(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	k.executor.Runs = mortal{k.runs, errors.New("killed")}
	for i := range action.MaxTries(trigger.CloudFunction) {
		if err := k.executor.Handle(t.Context(), m); err == nil {
			t.Fatalf("try %d: the message must come again", i)
		}
		k.now = k.now.Add(action.LeaseTime)
	}
	for _, w := range k.doer.works {
		if w.Run.ID != m.Run {
			t.Errorf("done with id %s, want %s", w.Run.ID, m.Run)
		}
	}

	k.executor.Runs = k.runs
	k.handle(m)
	r := k.run(m)
	if r.Status != run.Failed || r.Error.Type != "lost" || !strings.HasPrefix(r.Attempts[0].Error, "lost: ") ||
		len(k.doer.works) != action.MaxTries(trigger.CloudFunction) {
		t.Errorf("%+v", r)
	}
	if len(k.queue.take()) != 0 {
		t.Error("asked for it again")
	}
}

// mortal is run.Leases of a worker that dies before it can store the result of an attempt.
type mortal struct {
	run.Leases
	err error
}

func (m mortal) End(context.Context, run.Run, string) error  { return m.err }
func (m mortal) Wait(context.Context, run.Run, string) error { return m.err }

// TestExpiredWorkerChangesNothing checks that a worker cannot store a result after another one has taken its run over.
func TestExpiredWorkerChangesNothing(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	first := true
	k.doer.do = func(context.Context, action.Work) (action.Result, error) {
		if !first {
			return action.Result{Response: "second"}, nil
		}
		first = false
		k.now = k.now.Add(action.LeaseTime)
		k.handle(m)
		return action.Result{}, action.Permanent("late", "too late")
	}

	k.handle(m)
	r := k.run(m)
	if r.Status != run.Succeeded || len(r.Attempts) != 2 || r.Attempts[1].Response != "second" {
		t.Errorf("%+v", r)
	}
	if asked := k.queue.take(); len(asked) != 1 || asked[0].delay != action.LeaseTime {
		t.Errorf("asked for %+v", asked)
	}
}

// TestAsksAgainAfterLostLease checks that a worker which lost its lease sends the message again: a queue may deliver a
// message twice and delete both copies, and the second worker, whose clock is ahead, dies.
func TestAsksAgainAfterLostLease(t *testing.T) {
	k := newKit(t)
	m := k.fire("one", 5)
	k.doer.do = func(context.Context, action.Work) (action.Result, error) {
		ahead := run.Lease{Owner: "dies", Until: k.now.Add(2 * action.LeaseTime)}
		_, err := k.runs.Begin(t.Context(), here, ref(m), ahead, k.now.Add(action.LeaseTime))
		return action.Result{}, err
	}
	k.handle(m)
	if r := k.run(m); r.Status != run.Running {
		t.Fatalf("%+v", r)
	}

	k.doer.do = nil
	for range 3 {
		for _, asked := range k.queue.take() {
			k.now = k.now.Add(asked.delay)
			k.handle(asked.message)
		}
	}
	if r := k.run(m); r.Status != run.Succeeded {
		t.Errorf("%+v", r)
	}
}

// TestAttemptAfterLostLeaseIsNoProgress checks that an attempt is progress in the chain of messages only if it could be
// stored.
func TestAttemptAfterLostLeaseIsNoProgress(t *testing.T) {
	for _, lost := range []bool{false, true} {
		k := newKit(t)
		m := k.fire("one", 5)
		k.doer.do = func(context.Context, action.Work) (action.Result, error) {
			if lost {
				ahead := run.Lease{Owner: "another", Until: k.now.Add(2 * action.LeaseTime)}
				if _, err := k.runs.Begin(t.Context(), here, ref(m), ahead, k.now.Add(action.LeaseTime)); err != nil {
					t.Fatal(err)
				}
			}
			return action.Result{}, errors.New("the receiver answered 503")
		}
		ctx := chain.NewContext(t.Context(), chain.Link{}, "actions")
		if err := k.executor.Handle(ctx, m); err != nil {
			t.Fatal(err)
		}
		if next, _ := chain.Next(ctx, "actions"); (next.Idle == 1) != lost || next.Generation != 1 {
			t.Errorf("lease lost %v: the next message is %+v", lost, next)
		}
	}
}
