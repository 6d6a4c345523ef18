package email_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// worker is an executor of mails with its database.
type worker struct {
	*platform
	now      time.Time
	runs     *rundb.Runs
	triggers *triggerdb.Triggers
	executor *action.Executor
	message  run.Message
	before   func() // called before the sender sends
	after    func()
}

// nowhere is a queue that drops all messages.
type nowhere struct{}

func (nowhere) Send(context.Context, time.Duration, ...run.Message) error { return nil }

// newWorker returns a worker with one run of a mail, and its message.
func newWorker(t *testing.T) *worker {
	w := &worker{platform: newPlatform(t), now: noon, before: func() {}, after: func() {}}
	client, now := dynamotest.Start(t, "TriggersTable", "TriggerLogTable"), clock.Clock(func() time.Time { return w.now })
	w.runs = &rundb.Runs{Client: client, Table: "TriggerLogTable"}
	w.triggers = &triggerdb.Triggers{Client: client, Table: "TriggersTable", Clock: now}
	w.doer.Sender = w
	w.executor = &action.Executor{
		Runs: w.runs, Triggers: w.triggers, Clock: now, Waker: &run.Waker{Queue: nowhere{}, Wakes: w.runs, Clock: now},
		Doers: map[trigger.ActionType]action.Doer{trigger.Email: w.doer},
	}

	made := trigger.Trigger{
		ID: 3, Name: "t", Enabled: true, Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{},
		Timezone: "Asia/Shanghai", Revision: 1, Actions: []trigger.Action{{ID: 4, Type: trigger.Email,
			Settings: &trigger.EmailSettings{To: []string{"a@example.com"}, Subject: "s", Body: "b"}}},
	}
	if err := w.triggers.Insert(t.Context(), shop, made, time.Time{}); err != nil {
		t.Fatal(err)
	}
	engine := &engine.Engine{Triggers: w.triggers, Runs: w.runs, Queue: nowhere{}, Clock: now}
	if _, err := engine.Fire(t.Context(), []trigger.Event{trigger.MessageEvent(shop, "one", noon, nil)}); err != nil {
		t.Fatal(err)
	}
	ref := run.Ref{Trigger: 3, At: noon, ID: run.IDOf(shop, 3, trigger.MessageEvent(shop, "one", noon, nil).ID, 4)}
	w.message = run.MessageOf(ref, shop)
	return w
}

func (w *worker) Send(ctx context.Context, m email.Mail) (email.Receipt, error) {
	w.before()
	sent, err := w.platform.Send(ctx, m)
	w.after()
	return sent, err
}

// handle delivers the message once; the worker may die while handling it.
func (w *worker) handle() {
	w.Helper()
	done := make(chan error, 1)
	go func() {
		defer close(done)
		done <- w.executor.Handle(w.Context(), w.message)
	}()
	if err := <-done; err != nil {
		w.Error(err)
	}
}

func (w *worker) run() run.Run {
	w.Helper()
	ref := run.Ref{Trigger: 3, At: noon, ID: w.message.Run}
	r, err := w.runs.Run(w.Context(), shop, ref)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *worker) replay(operation id.ID) {
	w.Helper()
	if err := w.runs.Replay(w.Context(), shop, w.run().Ref(), w.now, operation); err != nil {
		w.Fatal(err)
	}
}

// came returns the status of the run, and the type of its error.
func (w *worker) came() string {
	w.Helper()
	r := w.run()
	if r.Error != nil {
		return string(r.Status) + " " + r.Error.Type
	}
	return string(r.Status)
}

// die ends the goroutine as a killed program ends: nothing more is called or stored.
func die() { runtime.Goexit() }

const interrupted = "failed " + action.Interrupted

// TestMailIsSentOnce delivers a run several times: the mail is sent once. A mail that was certainly not sent is
// retried.
func TestMailIsSentOnce(t *testing.T) {
	unknown := errors.New("the connection broke")
	for name, c := range map[string]struct {
		fail          []error
		before, after func() // of the first attempt
		want          []string
		sent          int
	}{
		"sent":            {want: []string{"succeeded", "succeeded"}, sent: 1},
		"sent, then died": {after: die, want: []string{"running", interrupted, interrupted}, sent: 1},
		"died before":     {before: die, want: []string{"running", interrupted, interrupted}},
		"it panics":       {after: func() { panic("oh") }, want: []string{interrupted, interrupted}, sent: 1},
		"throttled":       {fail: []error{errs.TooMany(0, "slow")}, want: []string{"waiting_retry", "succeeded"}, sent: 1},
		"unreachable":     {fail: []error{errs.Unavailable(0, "no")}, want: []string{"waiting_retry", "succeeded"}, sent: 1},
		"refused":         {fail: []error{errs.Invalid("no")}, want: []string{"failed invalid", "failed invalid"}},
		"nobody knows":    {fail: []error{unknown}, want: []string{interrupted, interrupted}},
		"throttled, then lost": {
			fail: []error{errs.TooMany(0, "x"), unknown}, want: []string{"waiting_retry", interrupted, interrupted},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t)
			w.fail = c.fail
			if c.before != nil {
				w.before = c.before
			}
			if c.after != nil {
				w.after = c.after
			}

			var got []string
			for range c.want {
				w.handle()
				got = append(got, w.came())
				w.before, w.after, w.now = func() {}, func() {}, w.now.Add(2*action.LeaseTime)
			}
			if !slices.Equal(got, c.want) || len(w.sent) != c.sent {
				t.Errorf("%v, want %v; %d were sent", got, c.want, len(w.sent))
			}
		})
	}
}

// TestReplaySendsInterruptedMail checks that a replay sends an interrupted mail once: the owner has seen that it may
// have been sent.
func TestReplaySendsInterruptedMail(t *testing.T) {
	w := newWorker(t)
	w.fail = []error{errors.New("the connection broke")}
	w.handle()
	w.replay(1)
	w.after = die // the worker of the replay dies as well
	w.handle()
	if w.came() != "running" || len(w.sent) != 1 {
		t.Fatalf("%s, %d sent", w.came(), len(w.sent))
	}

	// Replaying a run whose worker died does not send: the run was not marked as interrupted, so its owner does not
	// know.
	w.now, w.after = w.now.Add(2*action.LeaseTime), func() {}
	w.replay(2)
	w.handle()
	if w.came() != interrupted || len(w.sent) != 1 {
		t.Errorf("%s, %d sent", w.came(), len(w.sent))
	}
	w.replay(3)
	w.handle()
	w.handle()
	if w.came() != "succeeded" || len(w.sent) != 2 {
		t.Errorf("%s, %d sent", w.came(), len(w.sent))
	}
	if attempts := w.run().Attempts; !strings.HasPrefix(attempts[0].Error, action.Interrupted+":") {
		t.Errorf("%+v", attempts)
	}
}

// TestConcurrentWorkersSendOneMail runs two workers on one run, also if the clock of one is minutes ahead.
func TestConcurrentWorkersSendOneMail(t *testing.T) {
	for ahead, want := range map[time.Duration]string{0: "succeeded", 2 * action.LeaseTime: interrupted} {
		w := newWorker(t)
		began, goOn := make(chan struct{}), make(chan struct{})
		w.before = func() { close(began); <-goOn }
		done := make(chan error)
		go func() { done <- w.executor.Handle(t.Context(), w.message) }()
		<-began

		mine := w.executor
		other := &action.Executor{
			Runs: mine.Runs, Triggers: mine.Triggers, Waker: mine.Waker, Doers: mine.Doers,
			Clock: clock.Fixed(noon.Add(ahead)),
		}
		if err := other.Handle(t.Context(), w.message); err != nil {
			t.Error(err)
		}
		close(goOn)
		if err := <-done; err != nil || w.came() != want || len(w.sent) != 1 {
			t.Errorf("%v: %v, %s, %d sent", ahead, err, w.came(), len(w.sent))
		}
	}
}
