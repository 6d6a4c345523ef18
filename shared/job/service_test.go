package job

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/page"
)

// TestReturnsErrorsOfTheStore fails each store call in turn: the operation must return the error.
func TestReturnsErrorsOfTheStore(t *testing.T) {
	due := func(d *desk, b *books) { d.start(time.Hour, Call{}); d.now = d.now.Add(time.Hour); b.calls = nil }
	pending := func(d *desk, b *books) { d.start(0, Call{}); d.now = d.now.Add(time.Second); b.calls = nil }
	for name, c := range map[string]struct {
		before func(*desk, *books)
		do     func(*desk) error
		calls  string
	}{
		"start": {nil, func(d *desk) error {
			_, err := d.Start(t.Context(), shop, "f", Call{Input: event.Input{Meta: event.Meta{Root: 5}}}, time.Time{})
			return err
		}, "Descend Announce Accept"},
		"run": {nil, func(d *desk) error {
			_, err := d.RunSync(t.Context(), shop, "f", Call{Input: event.Input{Meta: event.Meta{Root: 5}}})
			return err
		}, "Descend Announce Slots Begin"},
		"work": {pending, func(d *desk) error {
			for job := range d.store.pending {
				return d.Work(t.Context(), Message{Scope: shop.String(), Function: 1, Job: job})
			}
			return nil
		}, "ReadPending"},
		"sweep": {pending, func(d *desk) error { _, err := d.Sweep(t.Context()); return err }, "Active Slots Pending"},
		"tick":  {due, func(d *desk) error { _, err := d.Tick(t.Context()); return err }, "Active Slots Pending Due Announce Drop"},
		"read":  {nil, func(d *desk) error { _, err := d.Service.Read(t.Context(), shop, "f", 4); return err }, "Read"},
		"list": {nil, func(d *desk) error {
			_, err := d.List(t.Context(), shop, "f", Filter{}, page.Request{Limit: 1})
			return err
		}, "List"},
		"sign": {nil, func(d *desk) error { _, err := d.Sign(t.Context(), shop, Record{ID: 4}); return err }, "LinkKey"},
		"open": {nil, func(d *desk) error {
			_, err := d.Open(t.Context(), runlog.Ref{Expires: d.now.Add(time.Hour).Unix()})
			return err
		}, "LinkKey"},
	} {
		for _, call := range strings.Fields(c.calls) {
			d, b := withBooks(t)
			if c.before != nil {
				c.before(d, b)
			}
			b.fails[call] = errDown
			if err := c.do(d); !errors.Is(err, errDown) {
				t.Errorf("%s, where %s fails, says %v", name, call, err)
			}
			if len(d.ran) != 0 || len(d.store.ended) != 0 {
				t.Errorf("%s, where %s fails: %d runs, ended %v", name, call, len(d.ran), d.store.ended)
			}
		}
	}

	for name, do := range map[string]func(*desk) error{
		"start":  func(d *desk) error { _, err := d.Start(t.Context(), shop, "f", Call{}, time.Time{}); return err },
		"run":    func(d *desk) error { _, err := d.RunSync(t.Context(), shop, "f", Call{}); return err },
		"read":   func(d *desk) error { _, err := d.Service.Read(t.Context(), shop, "f", 4); return err },
		"cancel": func(d *desk) error { return d.Cancel(t.Context(), shop, "f", 4) },
		"list": func(d *desk) error {
			_, err := d.List(t.Context(), shop, "f", Filter{}, page.Request{})
			return err
		},
	} {
		d, _ := withBooks(t)
		d.missing = errDown
		if err := do(d); !errors.Is(err, errDown) {
			t.Errorf("%s of a function that cannot be read says %v", name, err)
		}
	}
}

// TestRefusesInvalidRuns: data that is too large or too deep, a run_at beyond MaxDelay, and asynchronous runs without a
// queue.
func TestRefusesInvalidRuns(t *testing.T) {
	d, _ := withBooks(t)
	long := func(bytes int) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", bytes-2) + `"`) }
	deep := func(n int) json.RawMessage { return json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for name, c := range map[string]struct {
		from  Source
		data  json.RawMessage
		delay time.Duration
		sync  bool
		ok    bool
	}{
		"as large as can be": {SourceOpenAPI, long(MaxAsyncData), 0, false, true},
		"too large":          {SourceCloudFunction, long(MaxAsyncData + 1), 0, false, false},
		"large, at once":     {"", long(MaxSyncData), 0, true, true},
		"too large, at once": {"", long(MaxSyncData + 1), 0, true, false},
		"a large row":        {SourceFlexSchema, long(MaxEventData), 0, false, true},
		"a large call":       {SourceIncomingWebhook, long(MaxEventData), 0, false, true},
		"too large an event": {SourceFlexSchema, long(MaxEventData + 1), 0, false, false},
		"as deep as can be":  {"", deep(event.MaxNesting), 0, false, true},
		"too deep":           {"", deep(event.MaxNesting + 1), 0, true, false},
		"brackets in text":   {"", json.RawMessage(`"` + strings.Repeat(`[\"`, 2*event.MaxNesting) + `"`), 0, true, true},
		"in 30 days":         {"", nil, MaxDelay, false, true},
		"later":              {"", nil, MaxDelay + time.Millisecond, false, false},
	} {
		call, err := Call{Source: c.from, Input: event.Input{Data: c.data}}, error(nil)
		if c.sync {
			_, err = d.RunSync(t.Context(), shop, "f", call)
		} else {
			_, err = d.Start(t.Context(), shop, "f", call, d.now.Add(c.delay))
		}
		if (err == nil) != c.ok || err != nil && !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d.Queue = nil
	if _, err := d.Start(t.Context(), shop, "f", Call{}, time.Time{}); !errs.Is(err, errs.KindUnavailable) {
		t.Errorf("without a queue: %v", err)
	}
}

// TestSendsDelayedRuns: Start sends a job that becomes ready before the next tick; a tick sends later ones. A job is
// accepted even if sending its message fails.
func TestSendsDelayedRuns(t *testing.T) {
	for delay, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: 0, time.Second: time.Second, tickAhead: tickAhead, tickAhead + time.Millisecond: -1, time.Hour: -1,
	} {
		d, b := withBooks(t)
		r, _ := d.start(delay, Call{Callback: "https://a.example/", Token: "t"})
		got := d.take()
		if want < 0 && len(got) != 0 || want >= 0 && (len(got) != 1 || got[0].delay != want || got[0].Revision != 1 || got[0].Group() != "7") {
			t.Errorf("in %v: sent %+v", delay, got)
		}
		w := d.store.pending[r.ID]
		if w.Callback != "https://a.example/" || w.Token != "t" || (len(d.store.due) == 1) != (delay > 0) || w.Service != Batch {
			t.Errorf("in %v: accepted %+v, due %v", delay, w, d.store.due)
		}
		if delay <= 0 {
			continue
		}

		d.now = d.now.Add(delay - 30*time.Second)
		if _, err := d.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		got = slices.DeleteFunc(d.take(), func(m sent) bool { return m.Sweep })
		if len(got) != 1 || got[0].delay != min(30*time.Second, delay) && delay > time.Minute || len(d.store.due) != 0 || b.made("Drop") != 1 {
			t.Errorf("in %v: a tick sent %+v, due %v", delay, got, d.store.due)
		}
	}

	d, _ := withBooks(t)
	d.full = errDown
	if r, err := d.Start(t.Context(), shop, "f", Call{}, time.Time{}); err != nil || d.store.pending[r.ID].ID == 0 {
		t.Errorf("a queue that is down: %+v, %v", r, err)
	}
	if _, err := d.Tick(t.Context()); !errors.Is(err, errDown) {
		t.Errorf("a tick says %v", err)
	}
}

// TestRecordsRejectedRuns: rejected synchronous and asynchronous runs are recorded, without a slot.
func TestRecordsRejectedRuns(t *testing.T) {
	for name, c := range map[string]struct {
		audit    cloudfunction.AuditStatus
		meta     event.Meta
		full     error // of Descend
		why      string
		descends int
	}{
		"approved":       {cloudfunction.AuditApproved, event.Meta{Depth: MaxDepth - 1}, nil, "", 0},
		"not approved":   {"pending", event.Meta{Root: 5}, nil, "audit status", 0},
		"too deep":       {cloudfunction.AuditApproved, event.Meta{Depth: MaxDepth, Root: 5}, nil, "deep", 0},
		"of a root call": {cloudfunction.AuditApproved, event.Meta{Depth: 1, Root: 5}, nil, "", 1},
		"too many":       {cloudfunction.AuditApproved, event.Meta{Root: 5}, errs.TooMany(0, "most"), "at most 200 functions", 1},
	} {
		for _, sync := range []bool{true, false} {
			d, b := withBooks(t)
			d.function.Audit, b.fails["Descend"] = c.audit, c.full
			call, r, err := Call{Input: event.Input{Meta: c.meta}}, Record{}, error(nil)
			if sync {
				var result Result
				result, err = d.RunSync(t.Context(), shop, "f", call)
				if r = result.Record; (result.Code() == 1) != (c.why != "") {
					t.Errorf("%s: code %d", name, result.Code())
				}
			} else {
				r, err = d.Start(t.Context(), shop, "f", call, time.Time{})
			}
			rejected := r.Status == StatusExecutionRejected
			if err != nil || rejected != (c.why != "") || b.descends != c.descends {
				t.Errorf("%s, sync %v: %+v, %v, counted %d times", name, sync, r, err, b.descends)
			}
			if rejected && (r.Error.Type != TypeRejected || !strings.Contains(r.Error.Message, c.why) || !r.FinishedAt.Equal(d.now) ||
				len(d.ran)+len(d.store.pending) > 0 || d.store.ended[r.ID].Status != StatusExecutionRejected) {
				t.Errorf("%s, sync %v: %+v, %d runs", name, sync, r.Error, len(d.ran))
			}
		}
	}
}

// TestEqualDrawsOfProcesses draws the same ids in several processes in one millisecond. An asynchronous job never has
// the id of a synchronous one. If another ended job already has a job's id, the result and the callback have the id of
// the new record.
func TestEqualDrawsOfProcesses(t *testing.T) {
	d := newDesk(t)
	process := func() *Service {
		return &Service{
			Functions: d, Store: d.store, Runner: d, Queue: d, IDs: id.Seeded("process"), Clock: d.Clock, Pause: d.Pause,
		}
	}
	run := func() id.ID {
		t.Helper()
		result, err := process().RunSync(t.Context(), shop, "f", Call{})
		if err != nil {
			t.Fatal(err)
		}
		return result.Record.ID
	}
	start := func() id.ID {
		t.Helper()
		r, err := process().Start(t.Context(), shop, "f", Call{Callback: "https://shop.example.com/"}, d.now)
		if err != nil {
			t.Fatal(err)
		}
		d.take()
		d.work(Message{Scope: shop.String(), Function: 1, Job: r.ID, Revision: 1})
		callback := d.take()
		if len(callback) != 1 || !callback[0].Callback {
			t.Fatalf("sent %+v", callback)
		}
		return callback[0].Job
	}

	even, odd := run(), start()
	if even%2 != 0 || odd%2 != 1 {
		t.Errorf("a synchronous job is %d, an asynchronous one %d", even, odd)
	}
	if run, start := run(), start(); run != even+2 || start != odd+2 {
		t.Errorf("the next jobs are recorded as %d and %d, want %d and %d", run, start, even+2, odd+2)
	}
	if len(d.store.ended) != 4 {
		t.Errorf("records of %d jobs: %v", len(d.store.ended), d.store.ended)
	}
}
