package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/sandbox"
)

// TestSendsCallbackMessages: the worker sends one when its job has ended, and a tick when that was lost. The worker that
// gets it reads the job first.
func TestSendsCallbackMessages(t *testing.T) {
	d, b := withBooks(t)
	receiver := &callbacks{kept: Callback{Status: CallbackPending}, status: 200}
	d.Callbacks = &Callbacks{Store: receiver, Keys: &CallbackKeys{Store: receiver, Clock: d.Clock}, Depths: receiver, Poster: receiver, Queue: d, Clock: d.Clock}
	r, m := d.start(0, Call{Callback: "https://a.example/"})
	d.take()
	d.work(m)
	asked := d.take()
	if len(asked) != 1 || !asked[0].Callback || asked[0].Job != r.ID || asked[0].Function != 1 || asked[0].delay != 0 {
		t.Fatalf("sent %+v", asked)
	}
	d.store.due = []Due{{Scope: shop, Function: 1, Job: r.ID, RunAt: d.now.Add(time.Minute), Callback: true}}
	if _, err := d.Tick(t.Context()); err != nil || len(d.store.due) != 0 {
		t.Errorf("%v, due %v", err, d.store.due)
	}
	again := slices.DeleteFunc(d.take(), func(m sent) bool { return m.Sweep })
	if len(again) != 1 || again[0].Message != asked[0].Message || again[0].delay != time.Minute {
		t.Errorf("a tick sent %+v", again)
	}

	b.fails["Read"] = errDown
	if err := d.Work(t.Context(), asked[0].Message); !errors.Is(err, errDown) || receiver.posted != 0 {
		t.Errorf("%v, told %d times", err, receiver.posted)
	}
	b.fails["Read"] = errs.NotFound("its function was deleted")
	d.work(asked[0].Message)
	b.fails["Read"] = nil
	d.work(asked[0].Message)
	if receiver.posted != 1 || receiver.kept.Status != CallbackDelivered {
		t.Errorf("told %d times, %+v", receiver.posted, receiver.kept)
	}
	d.full = errDown
	if _, err := d.Tick(t.Context()); !errors.Is(err, errDown) {
		t.Errorf("the queue is down: %v", err)
	}
}

// TestCallbackStatusFollowsTheAnswer of the receiver, which also decides when the next attempt comes.
func TestCallbackStatusFollowsTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		attempts int // before
		code     int
		failed   error
		status   CallbackStatus
		why      string
		sent     bool // by a message, not by a tick
	}{
		"done":           {0, 200, nil, CallbackDelivered, "", false},
		"done, somehow":  {3, 299, nil, CallbackDelivered, "", false},
		"no":             {0, 300, nil, CallbackPending, "it was answered with 300", true},
		"too low":        {0, 199, nil, CallbackPending, "it was answered with 199", true},
		"in a minute":    {1, 503, nil, CallbackPending, "it was answered with 503", true},
		"in five":        {2, 503, nil, CallbackPending, "it was answered with 503", false},
		"gone":           {0, 410, nil, CallbackFailed, "it was answered with 410", false},
		"forbidden":      {0, 0, errs.Invalid("no public address"), CallbackFailed, "no public address", false},
		"no answer":      {0, 0, errs.Timeout("no answer within 5s"), CallbackPending, "no answer within 5s", true},
		"our fault":      {0, 0, errDown, CallbackPending, "the platform failed", true},
		"the last but 1": {9, 500, nil, CallbackPending, "it was answered with 500", false},
		"the last":       {10, 500, nil, CallbackFailed, "it was answered with 500", false},
	} {
		d := newDesk(t)
		kept := Callback{Function: 1, Job: 4, URL: "https://a.example/", Status: CallbackPending, Attempts: c.attempts, Result: json.RawMessage(`1`), Error: "before"}
		receiver := &callbacks{kept: kept, status: c.code, failed: c.failed}
		told := &Callbacks{Store: receiver, Keys: &CallbackKeys{Store: receiver, Clock: d.Clock}, Depths: receiver, Poster: receiver, Queue: d, Clock: d.Clock}
		if err := told.deliver(t.Context(), shop, Record{ID: 4, Function: 1}); err != nil {
			t.Fatal(err)
		}
		got := receiver.kept
		if got.Status != c.status || got.Attempts != c.attempts+1 || got.Error != c.why || got.StatusCode != c.code ||
			(got.Result == nil) == (c.status == CallbackPending) || (len(d.sent) == 1) != c.sent {
			t.Errorf("%s: %+v, sent %+v", name, got, d.sent)
		}
		if c.sent && (!d.sent[0].Callback || d.sent[0].Job != 4 || d.sent[0].group != "7" || d.sent[0].delay != got.Next.Sub(d.now)) {
			t.Errorf("%s: sent %+v", name, d.sent)
		}
		if c.status != CallbackPending {
			if err := told.deliver(t.Context(), shop, Record{ID: 4, Function: 1}); err != nil || receiver.posted != 1 {
				t.Errorf("%s: %v, told %d times", name, err, receiver.posted)
			}
		}
	}
}

// TestCallbackErrorsRedeliverTheMessage, unless there is no callback to deliver.
func TestCallbackErrorsRedeliverTheMessage(t *testing.T) {
	for name, c := range map[string]struct {
		reads, keys, writes, sends error
		ok                         bool
	}{
		"all is well": {nil, nil, nil, nil, true}, "no callback": {errs.NotFound("none"), nil, nil, nil, true},
		"no store": {errDown, nil, nil, nil, false}, "no keys": {nil, errDown, nil, nil, false},
		"another attempt": {nil, nil, errs.Conflict("other attempts"), nil, true}, "not written": {nil, nil, errDown, nil, false},
		"not sent": {nil, nil, nil, errDown, false},
	} {
		d := newDesk(t)
		receiver := &callbacks{kept: Callback{Status: CallbackPending}, status: 503, reads: c.reads, keys: c.keys, writes: c.writes}
		told := &Callbacks{Store: receiver, Keys: &CallbackKeys{Store: receiver, Clock: d.Clock}, Depths: receiver, Poster: receiver, Queue: d, Clock: d.Clock}
		d.full = c.sends
		if err := told.deliver(t.Context(), shop, Record{ID: 4, Function: 1}); (err == nil) != c.ok || !c.ok && !errors.Is(err, errDown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCallbackBodyAndSignature: the body describes the job; requests are signed only when there is a key.
func TestCallbackBodyAndSignature(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 500e6, time.UTC)
	r := Record{ID: id.First(at), Name: "f", Status: StatusFulfilled, FinishedAt: at.Add(time.Second)}
	for want, c := range map[string]struct {
		change func(*Record)
		result string
	}{
		`"status":"fulfilled","code":0,"data":null,"error":{},"created_at":1795262400.5,"started_at":null,"finished_at":1795262401.5}`: {func(*Record) {}, ""},
		`"code":0,"data":{"a":1},"error":{},"created_at":1795262400.5,"started_at":1795262401,"finished_at"`:                           {func(r *Record) { r.StartedAt = at.Add(500 * time.Millisecond) }, `{"a":1}`},
		`"code":1,"data":null,"error":{"message":"x","type":"TypeError"},`: {func(r *Record) {
			r.Status, r.Error = StatusExecutionFailed, &sandbox.Error{Type: "TypeError", Message: "x"}
		}, ""},
	} {
		r := r
		c.change(&r)
		body, err := json.Marshal(callbackOf(r, Callback{Result: json.RawMessage(c.result)}))
		if err != nil || !strings.Contains(string(body), want) || !strings.HasPrefix(string(body), fmt.Sprintf(`{"job_id":%d,"function_name":"f",`, r.ID)) {
			t.Errorf("%s, %v, want %s", body, err, want)
		}
	}

	plain := callbackHeaders(r, nil, at, []byte("{}"))
	if _, signed := plain["webhook-signature"]; signed || len(plain) != 4 || plain["webhook-id"] != fmt.Sprintf("job-%d", r.ID) || plain["webhook-timestamp"] != "1795262400" {
		t.Errorf("%v", plain)
	}
	r.Trace.ID = "t1"
	signed := callbackHeaders(r, []string{"new", "old"}, at, []byte("{}"))
	one := callbackHeaders(r, []string{"old"}, at, []byte("{}"))["webhook-signature"]
	if both := signed["webhook-signature"]; !strings.HasSuffix(both, " "+one) || strings.Count(both, "v1,") != 2 || signed["X-Service-Trace-Id"] != "t1" {
		t.Errorf("%v", signed)
	}
}
