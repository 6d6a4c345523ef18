package triggerdb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/action"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/smscode"
	"minicloud/shared/trigger"
)

// TestTheLogIsFiltered, newest first, and counted by the same filters.
func TestTheLogIsFiltered(t *testing.T) {
	s, ctx := &triggerdb.Runs{Client: dynamotest.Start(t, table), Table: table}, t.Context()
	var places []trigger.Place
	for i := range 5 { // the first one is about the trigger itself
		r := (&flowing{}).run(fmt.Sprint(i), i)
		r.Action, r.Status, r.Event.Subject = trigger.ActionID(i%3), trigger.RunPending, fmt.Sprint("s", i%2)
		if i == 4 {
			r.Status, r.FinishedAt = trigger.RunFailed, after(9)
		}
		if _, err := s.Start(ctx, r, trigger.Frequency{}, noon); err != nil {
			t.Fatal(err)
		}
		places = append(places, r.Ref().Place())
	}
	failed := []trigger.RunStatus{trigger.RunFailed}
	r := (&flowing{}).run("2", 2)
	if err := s.Replay(ctx, shop, r.Ref(), after(9), 8); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		filter trigger.RunFilter
		limit  int
		want   string
	}{
		"all":              {trigger.RunFilter{}, 9, "4 3 2 1 0"},
		"some":             {trigger.RunFilter{}, 2, "4 3"},
		"before one":       {trigger.RunFilter{Before: places[3]}, 2, "2 1"},
		"of an action":     {trigger.RunFilter{Action: 1}, 9, "4 1"},
		"of actions":       {trigger.RunFilter{Actions: true}, 9, "4 2 1"},
		"of a subject":     {trigger.RunFilter{Subject: "s0"}, 9, "4 2 0"},
		"some of it":       {trigger.RunFilter{Subject: "s0"}, 2, "4 2"},
		"of a status":      {trigger.RunFilter{Statuses: failed}, 9, "4"},
		"or replayed":      {trigger.RunFilter{Statuses: failed, ReplayedBy: 8}, 9, "4 2"},
		"of some time":     {trigger.RunFilter{From: after(1), To: after(3)}, 9, "3 2 1"},
		"before and after": {trigger.RunFilter{From: after(4), Before: places[1]}, 9, ""},
	} {
		listed, err := s.List(ctx, shop, 3, c.filter, c.limit)
		var ids []string
		for _, r := range listed {
			ids = append(ids, r.Event.ID)
		}
		n, countErr := s.Count(ctx, shop, 3, c.filter)
		if strings.Join(ids, " ") != c.want || errors.Join(err, countErr) != nil || c.limit == 9 && n != len(ids) {
			t.Errorf("%s: %q, counted %d, %v", name, ids, n, errors.Join(err, countErr))
		}
	}
	if kept, err := s.Run(ctx, shop, r.Ref()); err != nil || kept.Status != trigger.RunPending {
		t.Errorf("%+v, %v", kept, err)
	}
}

// TestWhatIsNotThere is said, or is done already.
func TestWhatIsNotThere(t *testing.T) {
	client, ctx := dynamotest.Start(t, table, "TriggersTable"), t.Context()
	runs := &triggerdb.Runs{Client: client, Table: table}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable", Clock: clock.Fixed(noon)}
	codes := &triggerdb.Codes{Client: client, Table: "TriggersTable"}
	none, due := (&flowing{}).run("none", 0), trigger.Due{Scope: shop, Trigger: 3, Revision: 1, At: noon}
	_, byTry := codes.TryCode(ctx, shop, "+491", noon)
	_, byChoice := triggers.Choose(ctx, due, nil, noon)
	_, byRun := runs.Run(ctx, shop, none.Ref())
	_, byHook := triggers.Hook(ctx, "h")
	_, byDeletion := triggers.Deleted(ctx, shop, 3)
	_, byID := triggers.Trigger(ctx, shop, 3)
	for what, err := range map[string]error{
		"a replay": runs.Replay(ctx, shop, none.Ref(), noon, 1), "a code": byTry, "a minute": byChoice, "a run": byRun,
		"a code to spend": codes.SpendCode(ctx, shop, smscode.Kept{ID: "c", Phone: "+491"}, "one"), "a hook": byHook,
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

	// A code is spent once, after a few tries; the same spender is answered again.
	kept := smscode.Kept{ID: "c", Phone: "+492", Hash: []byte("hash"), Expires: noon.Add(time.Minute)}
	if err := errors.Join(codes.PutCode(ctx, shop, kept), codes.SpendCode(ctx, shop, kept, "one")); err != nil {
		t.Fatal(err)
	}
	spent, err := codes.TryCode(ctx, shop, kept.Phone, noon)
	if err != nil || spent.Spent != "one" || codes.SpendCode(ctx, shop, kept, "one") != nil ||
		!errs.Is(codes.SpendCode(ctx, shop, kept, "two"), errs.KindNotFound) {
		t.Errorf("%+v, %v", spent, err)
	}
	if err := codes.PutCode(ctx, shop, kept); err != nil {
		t.Fatal(err)
	}
	if _, err := codes.TryCode(ctx, shop, kept.Phone, kept.Expires); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a code that is over: %v", err)
	}
	for range smscode.MaxTries {
		if _, err := codes.TryCode(ctx, shop, kept.Phone, noon); err != nil {
			t.Error(err)
		}
	}
	if _, err := codes.TryCode(ctx, shop, kept.Phone, noon); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("one try more: %v", err)
	}
}

// TestTimesOfANumber: a limit sees the newest twenty, oldest first, and a claim belongs to whoever made it.
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

// TestDamagedItems are errors, never something else.
func TestDamagedItems(t *testing.T) {
	client, ctx := dynamotest.Start(t, "TriggersTable"), t.Context()
	runs := &triggerdb.Runs{Client: client, Table: "TriggersTable"}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable"}
	ref := trigger.Ref{Trigger: 3, At: noon, ID: "r"}
	put := func(pk, sk string) {
		t.Helper()
		it := dynamo.Key(pk, sk)
		for _, name := range []string{"data", "event", "call", "list", "fires"} {
			it[name] = dynamo.Binary([]byte("no gzip"))
		}
		it["action"] = dynamo.Number(1)
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
		"log":             func() (any, error) { return runs.List(ctx, shop, 4, trigger.RunFilter{}, 5) },
		"evaluations":     func() (any, error) { return runs.Evaluations(ctx, shop, 3) },
		"seen":            func() (any, error) { return runs.Seen(ctx, shop, 4, time.Unix(0, 0), 5) },
		"calls":           func() (any, error) { return triggers.Calls(ctx, shop, 3) },
		"due timers":      func() (any, error) { return triggers.Due(ctx, noon, 5) },
		"wakes":           func() (any, error) { return runs.Planned(ctx, noon, 5) },
	} {
		if got, err := read(); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
}
