package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// gates is a fake store of runs that follows the decisions of FlowState.
type gates struct {
	flow  trigger.Flow
	state run.FlowState
	runs  map[string]run.Run
	now   time.Time
	begun []string // in the order of their beginning
	said  []string // log of what happened
}

func newGates(f trigger.Flow) *gates {
	return &gates{flow: f, runs: map[string]run.Run{}, now: noon}
}

func (g *gates) say(format string, args ...any) {
	g.said = append(g.said, fmt.Sprintf("%d ", int(g.now.Sub(noon).Seconds()))+fmt.Sprintf(format, args...))
}

// event enters the run of an event that happened at the given second.
func (g *gates) event(id string, second int, payload map[string]any) {
	at := noon.Add(time.Duration(second) * time.Second)
	r := run.Run{
		ID: id, Scope: shop, Trigger: 1, Action: 2, CreatedAt: at, Status: run.Pending,
		Event: trigger.Event{ID: id, At: at, Payload: payload}, Flow: &run.Flow{Flow: g.flow},
	}
	g.apply(g.state.Enter(r, g.now))
}

var (
	shop = tenant.Scope{App: 7, Env: tenant.Production}
	noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

func (g *gates) apply(step run.FlowStep) {
	g.state = step.State
	if step.Debounced != nil {
		r := g.runs[step.Debounced.ID]
		if r.Status != run.Pending || r.Flow.Gate != run.GateDebounce {
			g.say("%s was debounced, but it is %s", r.ID, r.Status)
		}
		r.Status = run.Skipped
		g.runs[r.ID] = r
		g.say("%s debounced", r.ID)
	}

	r := step.Run
	g.runs[r.ID] = r
	switch {
	case r.Status == run.Skipped && step.Member > 0:
		g.say("%s joins %s as %d", r.ID, r.Flow.Batch.ID, step.Member)
	case r.Status == run.Skipped:
		g.say("%s %s", r.ID, r.Error.Type)
	}
	if closed := step.Closed; closed != nil {
		stored := g.runs[closed.ID]
		stored.Flow, stored.NextAttempt = closed.Flow, closed.NextAttempt
		g.runs[stored.ID] = stored
		g.say("%s closed", stored.ID)
	}
}

// first returns the first ordered run that has not ended.
func (g *gates) first() string {
	best := ""
	for id, r := range g.runs {
		open := r.Status == run.Pending || r.Status == run.Running
		if open && r.Flow.Place > 0 && (best == "" || r.Flow.Place < g.runs[best].Flow.Place) {
			best = id
		}
	}
	return best
}

// ask does what a worker does with a message of the run. It reports whether the run has begun.
func (g *gates) ask(id string) bool {
	for {
		r := g.runs[id]
		if r.Status != run.Pending || r.NextAttempt.After(g.now) {
			return false
		}
		inWindow := r.Flow.Gate == run.GateThrottle && g.now.Before(r.Flow.Until)
		if r.Flow.Gate == "" || inWindow {
			r.Status = run.Running
			g.runs[id] = r
			g.begun = append(g.begun, id)
			g.say("%s begins", id)
			return true
		}
		if r.Flow.Place > 0 && g.first() != id {
			return false
		}
		g.apply(g.state.Pass(r, g.now))
	}
}

// askAll calls ask for every run in the order of their ids, and ends those that begin.
func (g *gates) askAll() {
	ids := make([]string, 0, len(g.runs))
	for id := range g.runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if g.ask(id) {
			g.end(id)
		}
	}
}

func (g *gates) end(id string) {
	r := g.runs[id]
	r.Status = run.Succeeded
	g.runs[id] = r
}

// play enters the events of a script at their seconds, then calls askAll, for each second. "a@3" is event a that
// arrives at second 3; "a@3<1" happened at second 1 and arrives at second 3.
func (g *gates) play(script string, until int) {
	events := strings.Fields(script)
	for second := range until + 1 {
		g.now = noon.Add(time.Duration(second) * time.Second)
		for _, e := range events {
			id, rest, _ := strings.Cut(e, "@")
			comes, of, late := strings.Cut(rest, "<")
			if comes != fmt.Sprint(second) {
				continue
			}
			at := second
			if late {
				fmt.Sscan(of, &at)
			}
			g.event(id, at, nil)
		}
		g.askAll()
	}
}

func TestGatesHoldRuns(t *testing.T) {
	batch := &trigger.Batch{Size: 3, Seconds: 10}
	throttle := &trigger.Throttle{Count: 2, PeriodSeconds: 10}
	for _, c := range []struct {
		what   string
		flow   trigger.Flow
		events string
		want   string
	}{
		{"the last event of a burst runs", trigger.Flow{DebounceSeconds: 5}, "a@0 b@3 c@7 d@20",
			"3 a debounced, 7 b debounced, 12 c begins, 25 d begins"},
		{"an older event that comes late is not the last", trigger.Flow{DebounceSeconds: 5}, "b@4 a@5<1",
			"5 a debounced, 9 b begins"},
		{"one that has begun is left alone", trigger.Flow{DebounceSeconds: 5}, "a@0 b@6",
			"5 a begins, 11 b begins"},
		{"a batch closes when it is full", trigger.Flow{Batch: batch}, "a@0 b@1 c@2 d@3",
			"1 b joins a as 1, 2 c joins a as 2, 2 a closed, 2 a begins, 13 d begins"},
		{"or old", trigger.Flow{Batch: batch}, "a@0 b@1 c@20",
			"1 b joins a as 1, 10 a begins, 30 c begins"},
		{"the rest waits for its window", trigger.Flow{Throttle: throttle}, "a@0 b@1 c@2 d@3 e@4",
			"0 a begins, 1 b begins, 10 c begins, 10 d begins, 20 e begins"},
		{"a window begins with the first run in it", trigger.Flow{Throttle: throttle}, "a@0 b@15 c@15 d@16",
			"0 a begins, 15 b begins, 15 c begins, 25 d begins"},
		{"ordered", trigger.Flow{Ordered: true}, "b@0 a@0", "0 b begins, 1 a begins"},
		{"what settles goes into the batch", trigger.Flow{DebounceSeconds: 2, Batch: batch}, "a@0 b@1 c@5 d@9",
			"1 a debounced, 7 c joins b as 1, 11 d joins b as 2, 11 b closed, 12 b begins"},
		{"a full batch waits for its window", trigger.Flow{Batch: &trigger.Batch{Size: 2, Seconds: 3},
			Throttle: &trigger.Throttle{Count: 1, PeriodSeconds: 20}}, "a@0 b@0 c@1 d@1",
			"0 b joins a as 1, 0 a closed, 0 a begins, 1 d joins c as 1, 1 c closed, 20 c begins"},
		{"ordered runs share windows", trigger.Flow{Ordered: true, Throttle: throttle}, "a@0 b@0 c@0 d@0 e@1",
			"0 a begins, 0 b begins, 10 c begins, 10 d begins, 20 e begins"},
	} {
		g := newGates(c.flow)
		g.play(c.events, 40)
		if got := strings.Join(g.said, ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
		}
	}
}

// TestLateRunKeepsLaterWindow checks that a run whose message is late does not overfill a later window.
func TestLateRunKeepsLaterWindow(t *testing.T) {
	g := newGates(trigger.Flow{Throttle: &trigger.Throttle{Count: 1, PeriodSeconds: 10}})
	for _, id := range []string{"a", "b", "c"} {
		g.event(id, 0, nil)
	}
	for _, second := range []int{0, 35, 46, 57} {
		g.now = noon.Add(time.Duration(second) * time.Second)
		g.askAll()
	}
	if got, want := strings.Join(g.said, ", "), "0 a begins, 35 b begins, 46 c begins"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestBatchesAreBounded(t *testing.T) {
	g := newGates(trigger.Flow{Batch: &trigger.Batch{Size: 100, Seconds: 10}})
	large := map[string]any{"text": strings.Repeat("x", 100<<10)}
	for _, id := range []string{"a", "b", "c"} {
		g.event(id, 0, large)
	}
	g.event("d", 0, map[string]any{"text": strings.Repeat("x", 300<<10)})
	g.event("e", 0, nil)
	want := "0 b joins a as 1, 0 a closed, 0 c closed, 0 d closed"
	if got := strings.Join(g.said, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFlowCombinationsKeepTheirRules plays random events through random combinations of flow controls.
func TestFlowCombinationsKeepTheirRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f trigger.Flow
		if rapid.Bool().Draw(t, "debounce") {
			f.DebounceSeconds = rapid.IntRange(1, 8).Draw(t, "seconds")
		}
		if rapid.Bool().Draw(t, "batch") {
			f.Batch = &trigger.Batch{
				Size: rapid.IntRange(2, 4).Draw(t, "size"), Seconds: rapid.IntRange(1, 20).Draw(t, "age"),
			}
		}
		if rapid.Bool().Draw(t, "throttle") {
			f.Throttle = &trigger.Throttle{
				Count: rapid.IntRange(1, 3).Draw(t, "count"), PeriodSeconds: rapid.IntRange(1, 15).Draw(t, "period"),
			}
		}
		f.Ordered = rapid.Bool().Draw(t, "ordered")

		g := newGates(f)
		begins, running := map[string]time.Time{}, ""
		n := rapid.IntRange(1, 25).Draw(t, "events")
		for i := 0; i < n || len(begins) < g.due(); i++ {
			if i > 100*n+1000 {
				t.Fatalf("%d of %d runs have begun: %v", len(begins), g.due(), g.said)
			}
			if i < n {
				g.event(fmt.Sprintf("e%02d", i), int(g.now.Sub(noon).Seconds()), nil)
			}
			g.now = g.now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond)
			for _, id := range rapid.Permutation(g.ids()).Draw(t, "asked") {
				if !g.ask(id) {
					continue
				}
				if begins[id] = g.now; f.Ordered && running != "" {
					t.Fatalf("%s begins beside %s: %v", id, running, g.said)
				}
				if !rapid.Bool().Draw(t, "long") {
					g.end(id)
				} else if running == "" {
					running = id
				}
			}
			if running != "" && rapid.Bool().Draw(t, "ends") {
				g.end(running)
				running = ""
			}
			g.check(t.Fatalf)
		}
		g.checkWindows(t.Fatalf, begins)
	})
}

func (g *gates) ids() []string {
	ids := make([]string, 0, len(g.runs))
	for id := range g.runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// due returns the number of runs that are not skipped.
func (g *gates) due() (n int) {
	for _, r := range g.runs {
		if r.Status != run.Skipped {
			n++
		}
	}
	return n
}

// check checks the invariants that must hold after every step.
func (g *gates) check(fatalf func(string, ...any)) {
	waiting, members := 0, map[string]int{}
	for _, r := range g.runs {
		if r.Status == run.Pending && r.Flow.Gate == run.GateDebounce {
			waiting++
		}
		if r.Flow.Batch != nil {
			members[r.Flow.Batch.ID]++
		}
	}
	if waiting > 1 {
		fatalf("%d runs of one key are debounced at a time: %v", waiting, g.said)
	}
	for run, n := range members {
		if n >= g.flow.Batch.Size {
			fatalf("%d events in the batch of %s: %v", n+1, run, g.said)
		}
	}
	for _, what := range g.said {
		if strings.Contains(what, "but it is") {
			fatalf("%v", g.said)
		}
	}
}

// checkWindows checks that every run began within its window, and that windows are neither overfull nor overlapping.
func (g *gates) checkWindows(fatalf func(string, ...any), begins map[string]time.Time) {
	if g.flow.Throttle == nil {
		return
	}
	windows := map[time.Time]int{}
	period := time.Duration(g.flow.Throttle.PeriodSeconds) * time.Second
	for id, at := range begins {
		end := g.runs[id].Flow.Until
		if !at.Before(end) || at.Before(end.Add(-period)) {
			fatalf("%s began at %s, out of its window to %s", id, at, end)
		}
		if windows[end]++; windows[end] > g.flow.Throttle.Count {
			fatalf("%d runs in the window to %s: %v", windows[end], end, g.said)
		}
		for other := range windows {
			if apart := other.Sub(end).Abs(); apart > 0 && apart < period {
				fatalf("windows to %s and %s overlap", end, other)
			}
		}
	}
}
