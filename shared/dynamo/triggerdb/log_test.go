package triggerdb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// TestFiltersTheLog: filtered lists are newest first, and counts use the same filters.
func TestFiltersTheLog(t *testing.T) {
	s, ctx := &rundb.Runs{Client: dynamotest.Start(t, table), Table: table}, t.Context()
	var places []run.Place
	for i := range 5 { // the first entry is about the trigger itself
		r := (&flowing{id: 3}).run(fmt.Sprint(i), i)
		r.Action, r.Status, r.Event.Subject = trigger.ActionID(i%3), run.Pending, fmt.Sprint("s", i%2)
		r.Event.Cause = "cause"
		if i == 4 {
			r.Status, r.FinishedAt = run.Failed, after(9)
		}
		if _, err := s.Start(ctx, r, trigger.Frequency{}, noon); err != nil {
			t.Fatal(err)
		}
		places = append(places, r.Ref().Place())
	}
	failed := []run.Status{run.Failed}
	r := (&flowing{id: 3}).run("2", 2)
	if err := s.Replay(ctx, shop, r.Ref(), after(9), 8); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		filter run.Filter
		limit  int
		want   string
	}{
		"all":              {run.Filter{}, 9, "4 3 2 1 0"},
		"some":             {run.Filter{}, 2, "4 3"},
		"before one":       {run.Filter{Before: places[3]}, 2, "2 1"},
		"of an action":     {run.Filter{Action: 1}, 9, "4 1"},
		"of actions":       {run.Filter{Actions: true}, 9, "4 2 1"},
		"of a subject":     {run.Filter{Subject: "s0"}, 9, "4 2 0"},
		"some of it":       {run.Filter{Subject: "s0"}, 2, "4 2"},
		"of a status":      {run.Filter{Statuses: failed}, 9, "4"},
		"or replayed":      {run.Filter{Statuses: failed, ReplayedBy: 8}, 9, "4 2"},
		"of some time":     {run.Filter{From: after(1), To: after(3)}, 9, "3 2 1"},
		"before and after": {run.Filter{From: after(4), Before: places[1]}, 9, ""},
	} {
		listed, err := s.List(ctx, shop, 3, c.filter, c.limit)
		var ids []string
		for _, r := range listed {
			ids = append(ids, r.Event.ID)
		}
		n, countErr := s.Count(ctx, shop, 3, c.filter)
		for _, r := range listed {
			if r.ID != run.IDOf(shop, 3, r.Event.ID, 4) || !r.Event.At.Equal(r.CreatedAt) || r.Event.Cause != "cause" {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if strings.Join(ids, " ") != c.want || errors.Join(err, countErr) != nil || c.limit == 9 && n != len(ids) {
			t.Errorf("%s: %q, counted %d, %v", name, ids, n, errors.Join(err, countErr))
		}
	}
	var heard []string // events of entries with an action
	for e, err := range s.Events(ctx, shop, 3, after(2)) {
		if heard = append(heard, e.ID); err != nil || e.Payload["event"] != e.ID {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if strings.Join(heard, " ") != "4 2" {
		t.Errorf("events are %v", heard)
	}
	if kept, err := s.Run(ctx, shop, r.Ref()); err != nil || kept.Status != run.Pending {
		t.Errorf("%+v, %v", kept, err)
	}
}

// TestMissingTriggersAndRuns: calls for missing triggers and runs return errs.NotFound; calls for a timer that has
// moved on do nothing.
func TestMissingTriggersAndRuns(t *testing.T) {
	client, ctx := dynamotest.Start(t, table, "TriggersTable"), t.Context()
	runs := &rundb.Runs{Client: client, Table: table}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable", Clock: clock.Fixed(noon)}
	none, due := (&flowing{id: 3}).run("none", 0), engine.Due{Scope: shop, Trigger: 3, Revision: 1, At: noon}
	_, byChoice := triggers.Choose(ctx, due, nil, noon)
	_, byRun := runs.Run(ctx, shop, none.Ref())
	_, byHook := triggers.Hook(ctx, "h")
	_, byDeletion := triggers.Deleted(ctx, shop, 3)
	_, byID := triggers.Trigger(ctx, shop, 3)
	for what, err := range map[string]error{
		"a replay": runs.Replay(ctx, shop, none.Ref(), noon, 1), "a minute": byChoice, "a run": byRun,
		"a hook":            byHook,
		"a deleted trigger": byDeletion, "a trigger": byID,
	} {
		if !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	failures, err := triggers.Fail(ctx, due)
	if err := errors.Join(
		err, triggers.Move(ctx, due, after(-60)), triggers.MarkBroken(ctx, shop, trigger.Trigger{ID: 3, Revision: 1}, "why"),
	); err != nil || failures != 0 {
		t.Errorf("of a timer that has gone on: %d, %v", failures, err)
	}
	if all, err := triggers.Due(ctx, noon, 5); err != nil || len(all) != 0 {
		t.Errorf("it is back: %+v, %v", all, err)
	}
}

// TestTimesOfANumber: a limit gets the newest twenty times, oldest first, and a claim belongs to its owner.
func TestTimesOfANumber(t *testing.T) {
	now, ctx := noon, t.Context()
	s := &triggerdb.Claims{
		Client: dynamotest.Start(t, "TriggersTable"), Table: "TriggersTable", Clock: func() time.Time { return now },
	}
	var seen []time.Time
	limit := func(times []time.Time) time.Duration { seen = times; return 0 }
	type limits = func([]time.Time) time.Duration
	claim := func(run, owner string, round int64, limit limits) (action.ClaimState, time.Duration) {
		t.Helper()
		c := action.Claim{Run: run, To: "+491", Owner: owner, Round: round}
		state, wait, err := s.ClaimNumber(ctx, shop, c, limit)
		if err != nil {
			t.Fatal(err)
		}
		return state, wait
	}
	for i := range 22 {
		now = after(i)
		if state, _ := claim(fmt.Sprint(i), "w", 1, limit); state != action.Claimed {
			t.Errorf("%d: %v", i, state)
		}
	}
	if len(seen) != 20 || !seen[0].Equal(after(1)) || !seen[19].Equal(after(20)) ||
		!slices.IsSortedFunc(seen, time.Time.Compare) {
		t.Errorf("%v", seen)
	}
	full := func([]time.Time) time.Duration { return time.Minute }
	for _, c := range []struct {
		run, owner string
		round      int64
		limit      limits
		state      action.ClaimState
		wait       time.Duration
	}{
		{"21", "w", 1, full, action.Claimed, 0}, {"21", "other", 1, full, action.Unknown, 0},
		{"21", "other", 2, full, 0, time.Minute}, {"new", "w", 1, full, 0, time.Minute},
		{"21", "other", 1, limit, action.Unknown, 0}, {"21", "other", 2, limit, action.Claimed, 0},
	} {
		if state, wait := claim(c.run, c.owner, c.round, c.limit); state != c.state || wait != c.wait {
			t.Errorf("run %s, %s, round %d: %v, %v", c.run, c.owner, c.round, state, wait)
		}
	}
}

// TestClaimsOfMessages: a claim belongs to its owner until the next round, and a sent message has the time it was sent.
func TestClaimsOfMessages(t *testing.T) {
	s, ctx := &triggerdb.Claims{
		Client: dynamotest.Start(t, "TriggersTable"), Table: "TriggersTable", Clock: clock.Fixed(noon),
	}, t.Context()
	mine := action.Claim{Run: "r", To: "a", Owner: "w", Round: 1}
	other, next := mine, mine
	other.Owner, next.Owner, next.Round = "other", "next", 2
	for i, c := range []struct {
		claim action.Claim
		want  action.ClaimState
	}{
		{mine, action.Claimed}, {mine, action.Claimed}, {other, action.Unknown}, {next, action.Claimed},
		{mine, action.Unknown},
	} {
		if state, err := s.Claim(ctx, shop, c.claim); state != c.want || err != nil {
			t.Errorf("claim %d: %v, %v", i, state, err)
		}
	}
	if err := s.Release(ctx, shop, mine); err != nil { // another owner has it now
		t.Error(err)
	}
	held, err := s.Held(ctx, shop, "r", "a", "b")
	if want := map[string]message.Held{"a": {State: action.Unknown, Round: 2}}; !cmp.Equal(held, want) || err != nil {
		t.Errorf("%+v, %v", held, err)
	}
	if err := s.Sent(ctx, shop, next); err != nil {
		t.Fatal(err)
	}
	later := next
	later.Owner, later.Round = "later", 3
	state, err := s.Claim(ctx, shop, later)
	if state != action.WasSent || err != nil {
		t.Errorf("after it was sent: %v, %v", state, err)
	}
	if state, wait, err := s.ClaimNumber(ctx, shop, later, func([]time.Time) time.Duration {
		return time.Minute
	}); state != action.WasSent || wait != 0 || err != nil {
		t.Errorf("one that would have to wait: %v, %v, %v", state, wait, err)
	}

	quotas := &triggerdb.Quotas{Client: s.Client, Table: s.Table, Clock: s.Clock}
	for i, c := range []struct {
		root id.ID
		what string
		ok   bool
	}{{7, "sms", true}, {7, "sms", true}, {7, "sms", false}, {7, "email", true}, {8, "sms", true}} {
		err := quotas.Spend(ctx, shop, c.root, c.what, 2)
		if c.ok != (err == nil) || !c.ok && !errs.Is(err, errs.KindTooMany) {
			t.Errorf("message %d: %v", i, err)
		}
	}
}

// TestEvaluationsAreTheNewest: evaluations of many triggers are stored in one call and read newest first.
func TestEvaluationsAreTheNewest(t *testing.T) {
	s, ctx := &rundb.Runs{Client: dynamotest.Start(t, table), Table: table}, t.Context()
	const items, each = 7, 9
	var notes []run.Notes
	for i := range items {
		n := run.Notes{Scope: shop, Trigger: 3, Seen: 10 + i, Held: i}
		n.First.ID, n.First.At = fmt.Sprint(i), after(i)
		for k := range each {
			n.List = append(n.List, run.Evaluated{EventID: fmt.Sprint((items-1-i)*each + k), Held: i == 0})
		}
		notes = append(notes, n)
	}
	for i := range 60 { // more than fit one BatchWriteItem
		notes = append(notes, run.Notes{Scope: shop, Trigger: trigger.ID(100 + i), First: trigger.Event{At: noon}})
	}
	if err := s.Note(ctx, notes); err != nil {
		t.Fatal(err)
	}

	all, err := s.Evaluations(ctx, shop, 3, nil)
	if err != nil || len(all) != run.MaxEvaluations {
		t.Fatalf("%d evaluations, %v", len(all), err)
	}
	for i, e := range all {
		if e.EventID != fmt.Sprint(i) {
			t.Errorf("evaluation %d is of event %s", i, e.EventID)
		}
	}
	// A filter also finds those of the oldest group, which is beyond the newest evaluations.
	held := true
	if all, err = s.Evaluations(ctx, shop, 3, &held); err != nil || len(all) != each || all[0].EventID != fmt.Sprint((items-1)*each) {
		t.Errorf("%+v held, %v", all, err)
	}
	var want []run.Seen
	for i := items - 1; i >= 2; i-- {
		want = append(want, run.Seen{At: after(i), Seen: 10 + i, Held: i})
	}
	var cost dynamotest.Cost
	cheap := &rundb.Runs{Client: dynamotest.Metered(s.Client, &cost), Table: table}
	for limit, n := range map[int]int{3: 3, 5: 5, 50: 5} {
		if seen, err := cheap.Seen(ctx, shop, 3, after(2), limit); err != nil || !cmp.Equal(seen, want[:n]) {
			t.Errorf("at most %d: %+v, %v", limit, seen, err)
		}
	}
	if seen, err := s.Seen(ctx, shop, 159, noon, 5); err != nil || len(seen) != 1 {
		t.Errorf("of the last trigger: %+v, %v", seen, err)
	}
	if cost.Units != 0.5*float64(cost.Calls) {
		t.Errorf("%d reads cost %v units", cost.Calls, cost.Units)
	}
}

// TestDamagedItems: reading a damaged item returns an error.
func TestDamagedItems(t *testing.T) {
	client, ctx := dynamotest.Start(t, "TriggersTable"), t.Context()
	runs := &rundb.Runs{Client: client, Table: "TriggersTable"}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable"}
	ref := run.Ref{Trigger: 3, At: noon, ID: "r"}
	put := func(pk, sk string) {
		t.Helper()
		it := dynamo.Key(pk, sk)
		for _, name := range []string{"data", "event", "call", "list"} {
			it[name] = dynamo.Binary([]byte("no gzip"))
		}
		it["action"], it["fires"] = dynamo.Number(1), dynamo.Text("0")
		if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &runs.Table, Item: it}); err != nil {
			t.Fatal(err)
		}
	}
	of := shop.String()
	for pk, sk := range map[string]string{
		of + "#trigger": "0000000000000003", of + "#on#timer": "0000000000000003", of + "#gone": "0000000000000003",
		of + "#run#3": "1795262400000#r", of + "#run#4": "1x", of + "#seen#3": "1795262400000#1", of + "#seen#4": "1x",
		of + "#hook#3": "1795262400000#7", "timer": "0000000001#x", "wake": "0000000000001#x",
	} {
		put(pk, sk)
	}

	for what, read := range map[string]func() (any, error){
		"trigger":         func() (any, error) { return triggers.Trigger(ctx, shop, 3) },
		"triggers":        func() (any, error) { return triggers.Triggers(ctx, shop) },
		"candidates":      func() (any, error) { return triggers.Candidates(ctx, shop, "timer") },
		"deleted trigger": func() (any, error) { return triggers.Deleted(ctx, shop, 3) },
		"run":             func() (any, error) { return runs.Run(ctx, shop, ref) },
		"log":             func() (any, error) { return runs.List(ctx, shop, 4, run.Filter{}, 5) },
		"evaluations":     func() (any, error) { return runs.Evaluations(ctx, shop, 3, nil) },
		"seen":            func() (any, error) { return runs.Seen(ctx, shop, 4, time.Unix(0, 0), 5) },
		"calls":           func() (any, error) { return triggers.Calls(ctx, shop, 3) },
		"call events": func() (any, error) {
			for e, err := range triggers.CallEvents(ctx, shop, 3, time.Unix(0, 0)) {
				return e, err
			}
			return nil, nil
		},
		"logged events": func() (any, error) {
			for e, err := range runs.Events(ctx, shop, 4, time.Unix(0, 0)) {
				return e, err
			}
			return nil, nil
		},
		"due timers": func() (any, error) { return triggers.Due(ctx, noon, 5) },
		"wakes":      func() (any, error) { return runs.Planned(ctx, noon, 5) },
	} {
		if got, err := read(); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}

	remove := func(pk, sk string) {
		t.Helper()
		if err := dynamo.BatchDelete(ctx, client, runs.Table, pk, []string{sk}); err != nil {
			t.Fatal(err)
		}
	}
	remove("timer", "0000000001#x")
	remove("wake", "0000000000001#x")
	for pk, keys := range map[string][]string{
		"timer": {"x#" + of + "#1#1", "1#x#1#1", "1#" + of + "#x#1", "1#" + of + "#1#x"},
		"wake":  {"1#" + of + "#1#1", "1#x#1#1#r", "x#" + of + "#1#1#r", "1#" + of + "#1#x#r"},
	} {
		for _, sk := range keys {
			sk = "00" + sk
			put(pk, sk)
			read := func() error { _, err := triggers.Due(ctx, noon, 1); return err }
			if pk == "wake" {
				read = func() error { _, err := runs.Planned(ctx, noon, 1); return err }
			}
			if err := read(); err == nil || !strings.Contains(err.Error(), sk) {
				t.Errorf("%s %s: %v", pk, sk, err)
			}
			remove(pk, sk)
		}
	}
}
