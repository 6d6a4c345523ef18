package webhook_test

import (
	"strings"
	"testing"
	"time"

	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/trigger/action"
)

const dead = "https://dead.example/hook"

// TestCircuitOpensAfterThreeTimeouts checks that a host is probed once after each pause, and that no other request
// waits for it.
func TestCircuitOpensAfterThreeTimeouts(t *testing.T) {
	d := newDesk()
	d.err = errs.Timeout("dead.example did not answer within 5s")
	expect := func(what string, sent int, kind string, least time.Duration) {
		t.Helper()
		before := len(d.sent)
		_, f := d.do(t, d.work(4, dead))
		switch {
		case len(d.sent)-before != sent:
			t.Fatalf("%s: %d requests, want %d", what, len(d.sent)-before, sent)
		case kind == "" && f != nil, kind != "" && (f == nil || f.Type != kind || f.Permanent || f.After < least):
			t.Fatalf("%s: %+v, want %q after %v", what, f, kind, least)
		}
	}

	for range 3 {
		expect("closed", 1, "timeout", 0)
	}
	expect("open", 0, "held", 30*time.Second)
	d.now = d.now.Add(29 * time.Second)
	expect("still open", 0, "held", time.Second)
	d.now = d.now.Add(time.Second)
	expect("a probe", 1, "timeout", 0)
	expect("open for longer", 0, "held", time.Minute)
	for range 10 {
		d.now = d.now.Add(5 * time.Minute)
		expect("the longest pause", 1, "timeout", 0)
	}

	d.now, d.err = d.now.Add(5*time.Minute), nil
	expect("answers again", 1, "", 0)
	for range 3 {
		expect("closed again", 1, "", 0)
	}
	if len(d.failing) > 0 {
		t.Errorf("remembered: %+v", d.failing)
	}
}

// TestInstancesShareCircuit checks that instances share the circuit through the trigger, and that only one of them
// probes.
func TestInstancesShareCircuit(t *testing.T) {
	first := newDesk()
	first.err = errs.Unavailable(0, "dead.example refused the connection")
	for range 3 {
		first.do(t, first.work(4, dead))
	}

	second := newDesk()
	second.failing = first.failing
	if _, f := second.do(t, second.work(4, dead)); f == nil || f.Type != "held" || len(second.sent) > 0 {
		t.Errorf("%+v, sent %d", f, len(second.sent))
	}

	first.now = first.now.Add(time.Minute)
	second.now = first.now
	read := second.work(4, dead) // before the other instance takes the probe
	if _, f := first.do(t, first.work(4, dead)); f == nil || f.Type != "unreachable" {
		t.Errorf("%+v", f)
	}
	if _, f := second.do(t, read); f == nil || f.Type != "held" || len(second.sent) > 0 {
		t.Errorf("two instances probe: %+v, sent %d", f, len(second.sent))
	}
}

// TestActionsHaveOwnCircuits checks two actions with the same receiver.
func TestActionsHaveOwnCircuits(t *testing.T) {
	d := newDesk()
	d.err = errs.Timeout("dead.example did not answer within 5s")
	for range 3 {
		d.do(t, d.work(4, dead))
	}
	if _, f := d.do(t, d.work(5, dead)); f == nil || f.Type != "timeout" {
		t.Errorf("another action: %+v", f)
	}
}

// TestAnswersKeepCircuitClosed checks that any answer, also one with an error status, keeps the circuit closed.
func TestAnswersKeepCircuitClosed(t *testing.T) {
	d := newDesk()
	d.answer = delivery.Answer{Status: 500}
	for range 20 {
		d.do(t, d.work(4, dead))
	}

	if len(d.sent) != 20 || len(d.writes) != 1 {
		t.Errorf("%d sent, written %v", len(d.sent), d.writes)
	}

	for range 10 {
		for range 2 {
			d.err = errs.Timeout("late")
			d.do(t, d.work(4, dead))
		}
		d.err = nil
		d.do(t, d.work(4, dead))
	}

	if len(d.sent) != 50 {
		t.Errorf("%d of 50 sent", len(d.sent))
	}
}

// TestDisablesAfterFiveDays checks that an action is disabled after five days without a success.
func TestDisablesAfterFiveDays(t *testing.T) {
	d := newDesk()
	d.answer = delivery.Answer{Status: 404}
	try := func() *action.Failure { _, f := d.do(t, d.work(4, dead)); return f }
	begun := d.now
	if f := try(); f.Disable {
		t.Fatalf("at once: %+v", f)
	}
	d.now = begun.Add(5*24*time.Hour - time.Second)
	if f := try(); f.Disable {
		t.Errorf("a second early: %+v", f)
	}
	d.now = begun.Add(5 * 24 * time.Hour)
	if f := try(); !f.Disable || f.Type != "failing" || !strings.Contains(f.Message, "since 2026-11-22T08:00:00Z") {
		t.Errorf("after 5 days: %+v", f)
	}

	d.answer = delivery.Answer{Status: 204}
	if f := try(); f != nil {
		t.Fatal(f)
	}
	d.answer = delivery.Answer{Status: 404}
	if f := try(); f.Disable {
		t.Errorf("after a success: %+v", f)
	}
}
