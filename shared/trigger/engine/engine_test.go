package engine_test

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

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

var errDown = errors.New("no store")

// stage is a fake of every dependency of an engine: triggers, tables, the log, the queue and evaluations.
type stage struct {
	mu       sync.Mutex
	triggers []trigger.Trigger
	reads    int // number of calls of Candidates
	tables   int // number of calls of Table
	started  []run.Run
	asked    []run.Message
	noted    []run.Notes
	stored   map[string]run.Run // results of Run, by id
	fails    map[string]error   // errors, by method or by event id
}

func (s *stage) Candidates(context.Context, tenant.Scope, string) ([]trigger.Trigger, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return s.triggers, s.fails["Candidates"]
}

func (s *stage) Table(context.Context, tenant.Scope, table.ID) (table.Table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tables++
	return books, s.fails["Table"]
}

func (s *stage) Start(_ context.Context, r run.Run, _ trigger.Frequency, _ time.Time) (run.Started, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails[r.Event.ID]; err != nil {
		return run.Started{}, err
	}
	s.started = append(s.started, r)
	if r.Status == run.Skipped {
		return run.Started{Run: r}, nil
	}
	return run.Started{Run: r, Enqueue: []run.Run{r}}, nil
}

func (s *stage) Run(_ context.Context, _ tenant.Scope, ref run.Ref) (run.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fails["Run"]; err != nil {
		return run.Run{}, err
	}
	if r, ok := s.stored[ref.ID]; ok {
		return r, nil
	}
	return run.Run{}, errs.NotFound("no run")
}

func (s *stage) Send(_ context.Context, _ time.Duration, all ...run.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, all...)
	return s.fails["Send"]
}

func (s *stage) Note(_ context.Context, all []run.Notes) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted = append(s.noted, all...)
	return s.fails["Note"]
}

func (s *stage) Evaluations(context.Context, tenant.Scope, trigger.ID, *bool) ([]run.Evaluated, error) {
	return nil, nil
}

func (s *stage) Seen(context.Context, tenant.Scope, trigger.ID, time.Time, int) ([]run.Seen, error) {
	return nil, nil
}

// newStage returns an engine and its fakes, with one chat-message trigger that has two actions.
func newStage() (*stage, *engine.Engine) {
	s := &stage{stored: map[string]run.Run{}, fails: map[string]error{}, triggers: []trigger.Trigger{{
		ID: 3, Enabled: true, Type: trigger.TypeChatMessage, Condition: &trigger.MessageCondition{},
		Actions: []trigger.Action{{ID: 1}, {ID: 2}},
	}}}
	return s, &engine.Engine{Triggers: s, Runs: s, Queue: s, Evaluations: s, Schemas: s, Clock: clock.Fixed(noon)}
}

// message returns the event of a chat message.
func message(id string) trigger.Event {
	return trigger.MessageEvent(scope, id, noon, map[string]any{"text": "hi"})
}

// TestFailureBlocksItsKeyOnly checks that a failure stops later events of its key, not those of other keys, and that
// events before the first failure are done.
func TestFailureBlocksItsKeyOnly(t *testing.T) {
	s, engine := newStage()
	events := []trigger.Event{message("a1"), message("b1"), message("a2"), message("a3")}
	for i := range events {
		events[i].Key = events[i].ID[:1]
	}
	s.fails["a2"] = errDown
	done, err := engine.Fire(t.Context(), events)
	var seen []string
	for _, r := range s.started {
		seen = append(seen, r.Event.ID)
	}
	slices.Sort(seen)
	if done != 2 || !errors.Is(err, errDown) || !strings.Contains(err.Error(), "a2") || fmt.Sprint(seen) != "[a1 a1 b1 b1]" {
		t.Errorf("%d done, %v, started %v", done, err, seen)
	}
	delete(s.fails, "a2")
	if done, err := engine.Fire(t.Context(), events); done != 4 || err != nil {
		t.Errorf("%d done, %v", done, err)
	}
	for _, call := range []string{"Candidates", "Send"} {
		s.fails = map[string]error{call: errDown}
		if done, err := engine.Fire(t.Context(), events[:1]); done != 0 || !errors.Is(err, errDown) {
			t.Errorf("%s fails: %d done, %v", call, done, err)
		}
	}
}

// TestLogsSkippedRuns checks that skipped runs are stored with the reason and get no message.
func TestLogsSkippedRuns(t *testing.T) {
	for depth, loop := range map[int]bool{0: false, trigger.MaxDepth - 1: false, trigger.MaxDepth: true} {
		s, engine := newStage()
		s.triggers[0].Stopped = map[trigger.ActionID]string{2: "it failed too often"}
		e := message("e")
		e.Depth = depth
		if _, err := engine.Fire(t.Context(), []trigger.Event{e}); err != nil || len(s.started) != 2 {
			t.Fatal(err, s.started)
		}
		for _, r := range s.started {
			want := ""
			switch {
			case loop:
				want = run.SkippedLoop
			case r.Action == 2:
				want = run.SkippedDisabled
			}
			if (r.Status == run.Skipped) != (want != "") || want != "" && (r.Error.Type != want || !r.FinishedAt.Equal(noon)) {
				t.Errorf("depth %d, action %d: %s %+v", depth, r.Action, r.Status, r.Error)
			}
			if r.Event.Trace != "e" {
				t.Errorf("its trace is %q", r.Event.Trace)
			}
		}
		if want := map[bool]int{false: 1, true: 0}[loop]; len(s.asked) != want {
			t.Errorf("depth %d: asked for %v", depth, s.asked)
		}
	}
}

// TestTracedTriggerNotesEvaluations checks that a traced trigger stores evaluations unless the event failed and will be
// redelivered. Failing to store them is no error.
func TestTracedTriggerNotesEvaluations(t *testing.T) {
	for name, c := range map[string]struct {
		until int64
		fails string
		noted int
	}{
		"traced": {noon.Unix() + 1, "", 1}, "not traced any more": {noon.Unix(), "", 0}, "the event comes again": {noon.Unix() + 1, "e", 0},
		"they are not kept": {noon.Unix() + 1, "Note", 1},
	} {
		s, engine := newStage()
		s.triggers[0].TraceUntil, s.triggers[0].Stopped = c.until, map[trigger.ActionID]string{2: "it failed too often"}
		s.fails[c.fails] = errDown
		older := message("older")
		older.At = noon.Add(-time.Minute)
		var log bytes.Buffer
		engine.Log = slog.New(slog.NewJSONHandler(&log, nil))
		_, err := engine.Fire(t.Context(), []trigger.Event{message("e"), older})
		if (err != nil) != (c.fails == "e") {
			t.Errorf("%s: %v", name, err)
		}
		if c.fails == "e" {
			continue // the older event may or may not have been processed
		}
		if told := strings.Contains(log.String(), `#3","lost":2}`); told != (c.fails == "Note") {
			t.Errorf("%s: the log says %s", name, log.String())
		}
		if len(s.noted) != c.noted {
			t.Fatalf("%s: noted %+v", name, s.noted)
		}
		for _, notes := range s.noted {
			if notes.Trigger != 3 || notes.Seen != 2 || notes.Held != 2 || notes.First.ID != "older" || len(notes.List) != 2 ||
				notes.List[0].EventID != "e" || notes.List[0].Rules == nil || len(notes.List[0].Actions) != 2 {
				t.Fatalf("%s: %+v", name, notes)
			}
			if fired, stopped := notes.List[0].Actions[0], notes.List[0].Actions[1]; fired != (run.Decision{Action: 1, Fired: true}) ||
				stopped != (run.Decision{Action: 2, Why: run.SkippedDisabled}) {
				t.Errorf("%s: %+v", name, notes.List[0])
			}
		}
	}

	s, engine := newStage()
	engine.Evaluations, s.triggers[0].TraceUntil = nil, noon.Unix()+1
	if done, err := engine.Fire(t.Context(), []trigger.Event{message("e")}); done != 1 || err != nil {
		t.Errorf("without evaluations: %d, %v", done, err)
	}
}

// TestCachesCandidatesByRevision checks that candidates are cached up to the revision of the event. Events without a
// revision read them each time.
func TestCachesCandidatesByRevision(t *testing.T) {
	s, engine := newStage()
	for i, c := range []struct {
		revision int64
		reads    int
	}{{0, 1}, {0, 2}, {5, 3}, {5, 3}, {4, 3}, {6, 4}, {6, 4}, {0, 5}} {
		e := message(fmt.Sprint("e", i))
		e.Revision = c.revision
		if _, err := engine.Fire(t.Context(), []trigger.Event{e}); err != nil || s.reads != c.reads {
			t.Errorf("event %d: %v, %d reads, want %d", i, err, s.reads, c.reads)
		}
	}
}

// TestReadsTableForItsTriggers checks that the table is read only for row events with candidates. A removed table
// breaks its triggers; a failed read fails the event.
func TestReadsTableForItsTriggers(t *testing.T) {
	e, _ := trigger.RowEvent(scope, "e", noon, books, nil, &table.Row{ID: "0153c04a2d4042022c6dc14f"})
	for name, c := range map[string]struct {
		event    trigger.Event
		triggers int
		fails    error
		tables   int
		started  int
		wrong    bool
	}{
		"a row": {e, 1, nil, 1, 1, false}, "nobody waits": {e, 0, nil, 0, 0, false}, "a message": {message("m"), 1, nil, 0, 0, false},
		"it is gone": {e, 1, errs.NotFound("gone"), 1, 0, false}, "it cannot be read": {e, 1, errDown, 1, 0, true},
	} {
		s, engine := newStage()
		condition := &trigger.TableCondition{Table: "12", Event: trigger.Create}
		s.triggers = []trigger.Trigger{{ID: 3, Enabled: true, Type: trigger.TypeTable, Condition: condition, Actions: []trigger.Action{{ID: 1}}}}[:c.triggers]
		if name == "a message" {
			s.triggers = nil
		}
		s.fails["Table"] = c.fails
		_, err := engine.Fire(t.Context(), []trigger.Event{c.event})
		if (err != nil) != c.wrong || s.tables != c.tables || len(s.started) != c.started {
			t.Errorf("%s: %v, %d tables, started %v", name, err, s.tables, s.started)
		}
	}
}

// TestResumeAsksForPendingRuns checks that Resume enqueues pending runs and starts no new ones.
func TestResumeAsksForPendingRuns(t *testing.T) {
	s, engine := newStage()
	e := message("e")
	idOf := func(a trigger.ActionID) string { return run.IDOf(scope, 3, "e", a) }

	for name, c := range map[string]struct {
		first run.Status // status of the run of action 1; action 2 has no run
		fails string
		asked int
	}{
		"nobody has": {run.Pending, "", 1}, "somebody has": {run.Running, "", 0}, "it is over": {run.Succeeded, "", 0},
		"no log": {run.Pending, "Run", 0}, "no queue": {run.Pending, "Send", 1},
	} {
		s.asked, s.fails = nil, map[string]error{c.fails: errDown}
		s.stored[idOf(1)] = run.Run{ID: idOf(1), Status: c.first}
		err := engine.Resume(t.Context(), s.triggers[0], e)
		if (err != nil) != (c.fails != "") || len(s.asked) != c.asked || len(s.started) != 0 {
			t.Errorf("%s: %v, asked for %v, started %v", name, err, s.asked, s.started)
		}
		if c.asked == 1 && (s.asked[0].Run != idOf(1) || s.asked[0].At != noon.UnixMilli()) {
			t.Errorf("%s: %+v", name, s.asked)
		}
	}
}

// rest has the methods of trigger.Store that no test here calls.
type rest struct{ trigger.Store }

// timers is a fake trigger.Store and engine.Dues that records what happens to its due timers.
type timers struct {
	rest
	*stage
	all    []trigger.Trigger
	due    []engine.Due
	chosen []time.Time
	moved  map[trigger.ID]time.Time
}

func (s *timers) Trigger(_ context.Context, _ tenant.Scope, id trigger.ID) (trigger.Trigger, error) {
	for _, t := range s.all {
		if t.ID == id {
			return t, s.fails["Trigger"]
		}
	}
	return trigger.Trigger{}, errs.NotFound("no trigger")
}

func (s *timers) Due(_ context.Context, until time.Time, limit int) (due []engine.Due, err error) {
	for _, d := range s.due {
		if _, moved := s.moved[d.Trigger]; !moved && !d.At.After(until) && len(due) < limit {
			due = append(due, d)
		}
	}
	return due, s.fails["Due"]
}

func (s *timers) Choose(_ context.Context, d engine.Due, fire []time.Time, until time.Time) (engine.Due, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chosen, d.Fire, d.Until = fire, fire, until
	return d, s.fails["Choose"]
}

func (s *timers) Fail(context.Context, engine.Due) (int, error) { return 1, s.fails["Fail"] }

func (s *timers) Move(_ context.Context, d engine.Due, next time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved[d.Trigger] = next
	return s.fails["Move"]
}

// newTimers returns fakes with one timer that fires every minute and was due the given time before noon.
func newTimers(ago time.Duration, missed trigger.Missed) (*timers, *engine.Timers) {
	stage, fires := newStage()
	s := &timers{stage: stage, moved: map[trigger.ID]time.Time{}, due: []engine.Due{{Scope: scope, Trigger: 3, Revision: 1, At: noon.Add(-ago)}}}
	s.all = []trigger.Trigger{{
		ID: 3, Enabled: true, Type: trigger.TypeTimer, Revision: 1, Timezone: trigger.DefaultTimezone,
		Condition: &trigger.TimerCondition{Cron: "* * * * *", Missed: missed}, Actions: []trigger.Action{{ID: 1, Type: trigger.CloudFunction}},
	}}
	stage.triggers = s.all
	return s, &engine.Timers{Dues: s, Triggers: s, Clock: clock.Fixed(noon), Engine: fires}
}

// TestFiresMissedMinutes checks that after an outage all missed minutes of the last hour fire, or only the newest.
func TestFiresMissedMinutes(t *testing.T) {
	for _, c := range []struct {
		ago    time.Duration
		missed trigger.Missed
		fired  int
		first  time.Duration // age of the first minute that fires
	}{
		{0, trigger.MissedOnce, 1, 0}, {0, trigger.MissedSkip, 1, 0}, {3 * time.Minute, trigger.MissedOnce, 1, 0},
		{3 * time.Minute, trigger.MissedAll, 4, 3 * time.Minute}, {59 * time.Minute, trigger.MissedAll, 60, 59 * time.Minute},
		{time.Hour, trigger.MissedAll, 60, 59 * time.Minute}, {5 * time.Hour, trigger.MissedAll, 60, 59 * time.Minute},
		{5 * time.Hour, trigger.MissedOnce, 1, 0},
	} {
		s, tick := newTimers(c.ago, c.missed)
		fired, err := tick.Tick(t.Context())
		if err != nil || fired != c.fired || len(s.started) != c.fired || !s.moved[3].Equal(noon.Add(time.Minute)) {
			t.Errorf("%s, %v ago: %d fired, %v, next %v", c.missed, c.ago, fired, err, s.moved[3])
			continue
		}
		first := slices.MinFunc(s.started, func(a, b run.Run) int { return a.CreatedAt.Compare(b.CreatedAt) })
		if !first.CreatedAt.Equal(noon.Add(-c.first)) {
			t.Errorf("%s, %v ago: the first is of %v", c.missed, c.ago, first.CreatedAt)
		}
	}
}

// TestRemovesStaleTimers checks that the dues of deleted, disabled or changed triggers are removed and do not fire.
func TestRemovesStaleTimers(t *testing.T) {
	for name, change := range map[string]func(*timers){
		"deleted": func(s *timers) { s.all = nil }, "disabled": func(s *timers) { s.all[0].Enabled = false },
		"changed": func(s *timers) { s.all[0].Revision = 2 },
	} {
		s, tick := newTimers(0, trigger.MissedOnce)
		change(s)
		fired, err := tick.Tick(t.Context())
		if next, moved := s.moved[3]; err != nil || fired != 0 || len(s.started) != 0 || !moved || !next.IsZero() {
			t.Errorf("%s: %d fired, %v, moved %v", name, fired, err, s.moved)
		}
		s, tick = newTimers(0, trigger.MissedOnce)
		change(s)
		s.fails["Move"] = errDown
		if _, err := tick.Tick(t.Context()); !errors.Is(err, errDown) {
			t.Errorf("%s, and it cannot be moved: %v", name, err)
		}
	}
}

// TestFailingTimerDoesNotBlockOthers checks that the other timers of a tick fire, with more than two pages of them.
func TestFailingTimerDoesNotBlockOthers(t *testing.T) {
	s, tick := newTimers(0, trigger.MissedOnce)
	for id := trigger.ID(4); id < 1203; id++ {
		other, due := s.all[0], s.due[0]
		other.ID, due.Trigger = id, id
		s.all, s.due = append(s.all, other), append(s.due, due)
	}
	s.all[0].Condition = &trigger.TimerCondition{Cron: "never"}
	fired, err := tick.Tick(t.Context())
	if err == nil || fired != 499 {
		t.Errorf("%d fired, %v", fired, err)
	}
	s.due = s.due[1:]
	if fired, err = tick.Tick(t.Context()); err != nil || fired != 1199-499 || len(s.moved) != 1199 {
		t.Errorf("%d fired, %v, %d moved", fired, err, len(s.moved))
	}
}

// TestTickReturnsErrors checks that a tick returns the error of each failing call. A timer that another tick has
// already fired is no error.
func TestTickReturnsErrors(t *testing.T) {
	for _, call := range []string{"Due", "Trigger", "Choose", "Fail", "Move", "Send"} {
		s, tick := newTimers(10*time.Minute, trigger.MissedOnce)
		s.fails[call] = errDown
		if call == "Fail" {
			s.fails["Send"] = errDown
		}
		if _, err := tick.Tick(t.Context()); !errors.Is(err, errDown) {
			t.Errorf("%s fails, and a tick says %v", call, err)
		}
		if _, moved := s.moved[3]; moved != (call == "Move") {
			t.Errorf("%s fails, and the timer is moved: %v", call, moved)
		}
	}

	s, tick := newTimers(10*time.Minute, trigger.MissedOnce)
	s.fails["Choose"] = errs.NotFound("it was served")
	if fired, err := tick.Tick(t.Context()); err != nil || fired != 0 || len(s.moved) != 0 {
		t.Errorf("another tick was faster: %d fired, %v", fired, err)
	}
	for _, wrong := range []trigger.Trigger{
		{Condition: &trigger.MessageCondition{}}, {Condition: &trigger.TimerCondition{Cron: "x"}, Timezone: trigger.DefaultTimezone},
	} {
		if _, err := wrong.Next(noon); err == nil {
			t.Errorf("%+v has a next minute", wrong)
		}
		if _, err := wrong.Between(noon, noon); err == nil {
			t.Errorf("%+v has minutes", wrong)
		}
	}

	never := trigger.Trigger{Condition: &trigger.TimerCondition{Cron: "0 0 30 2 *"}, Timezone: trigger.DefaultTimezone}
	if next, err := never.Next(noon); err == nil && !next.IsZero() {
		t.Errorf("a minute that does not come: %v, %v", next, err)
	}
}
