package triggerdb_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// TestLimitsTheRateExactly: the rate holds exactly for each action, however many instances call concurrently.
func TestLimitsTheRateExactly(t *testing.T) {
	runs := &rundb.Runs{Client: dynamotest.Start(t, table), Table: table}
	now := noon.Add(300 * time.Millisecond)
	var through atomic.Int64
	waits := make([]time.Duration, 60)
	var group sync.WaitGroup
	for i := range waits {
		group.Go(func() {
			wait, err := runs.Take(t.Context(), shop, 3, 4, 7, now)
			if err != nil {
				t.Error(err)
			}
			if waits[i] = wait; wait == 0 {
				through.Add(1)
			}
		})
	}
	group.Wait()
	if through.Load() != 7 {
		t.Errorf("%d went through, want 7", through.Load())
	}

	// The wait is 0 for an admitted call, and at least a millisecond for every other.
	for _, want := range []time.Duration{0, time.Millisecond} {
		wait, err := runs.Take(t.Context(), shop, 9, 4, 1, noon.Add(time.Second-time.Microsecond))
		if wait != want || err != nil {
			t.Errorf("at the end of a second: wait %v, want %v, %v", wait, want, err)
		}
	}

	// Waiting calls come back at the rate: no second gets more of them than the rate, and no second stays unused.
	seconds := map[int64]int{}
	for _, wait := range waits {
		if wait > 0 {
			seconds[now.Add(wait).Unix()-noon.Unix()]++
		}
	}
	want := map[int64]int{1: 7, 2: 7, 3: 7, 4: 7, 5: 7, 6: 7, 7: 7, 8: 4}
	if diff := cmp.Diff(want, seconds); diff != "" {
		t.Errorf("those who wait, by second (-want +got):\n%s", diff)
	}

	for what, take := range map[string]func() (time.Duration, error){
		"the next second": func() (time.Duration, error) {
			return runs.Take(t.Context(), shop, 3, 4, 7, now.Add(time.Second))
		},
		"another action":  func() (time.Duration, error) { return runs.Take(t.Context(), shop, 3, 5, 7, now) },
		"another trigger": func() (time.Duration, error) { return runs.Take(t.Context(), shop, 2, 4, 7, now) },
		"another environment": func() (time.Duration, error) {
			return runs.Take(t.Context(), tenant.Scope{App: 7, Env: "0123456789abcdef0123"}, 3, 4, 7, now)
		},
	} {
		if wait, err := take(); wait != 0 || err != nil {
			t.Errorf("%s: wait %v, %v", what, wait, err)
		}
	}
}

// TestOldOrderExpires: assigned times that have passed do not delay later calls.
func TestOldOrderExpires(t *testing.T) {
	runs := &rundb.Runs{Client: dynamotest.Start(t, table), Table: table}
	for range 5 {
		if _, err := runs.Take(t.Context(), shop, 3, 4, 1, noon); err != nil {
			t.Fatal(err)
		}
	}
	later := noon.Add(time.Minute)
	for _, want := range []time.Duration{0, time.Second, 2 * time.Second} {
		if wait, err := runs.Take(t.Context(), shop, 3, 4, 1, later); wait != want || err != nil {
			t.Errorf("wait %v, want %v: %v", wait, want, err)
		}
	}
}

// TestFailingReceivers: failures are read with their trigger, a success ends them, and they do not recreate a deleted
// trigger.
func TestFailingReceivers(t *testing.T) {
	const name = "TriggersTable"
	triggers := &triggerdb.Triggers{Client: dynamotest.Start(t, name), Table: name, Clock: clock.Fixed(noon)}
	hook := func(number trigger.ActionID) trigger.Action {
		return trigger.Action{
			ID: number, Type: trigger.Webhook, Settings: &trigger.WebhookSettings{URL: "https://books.example/"},
		}
	}
	made := trigger.Trigger{
		ID: 3, Type: trigger.TypeChatPay, Condition: &trigger.PaymentCondition{}, Enabled: true, Revision: 1,
		Actions: []trigger.Action{hook(4), hook(5)},
	}
	if err := triggers.Insert(t.Context(), shop, made, time.Time{}); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	known := func() trigger.Trigger {
		t.Helper()
		read, err := triggers.Trigger(t.Context(), shop, 3)
		must(err)
		return read
	}
	expect := func(what string, since time.Time, misses int, missed time.Time) {
		t.Helper()
		f := known().Failing[4]
		if !f.Since.Equal(since) || f.Misses != misses || !f.MissedAt.Equal(missed) {
			t.Errorf("%s: %+v", what, f)
		}
	}

	minute := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
	must(triggers.Failed(t.Context(), shop, 3, 4, minute(0), false))
	expect("an answer", minute(0), 0, time.Time{})
	must(triggers.Failed(t.Context(), shop, 3, 4, minute(1), true))
	must(triggers.Failed(t.Context(), shop, 3, 4, minute(2), true))
	expect("two misses", minute(0), 2, minute(2))
	if other, there := known().Failing[5]; there {
		t.Errorf("another action: %+v", other)
	}

	seen := known().Failing[4]
	for i, want := range []bool{true, false} { // both probes have read the same state
		if mine, err := triggers.Probe(t.Context(), shop, 3, 4, seen, minute(3)); mine != want || err != nil {
			t.Errorf("probe %d: %v %v", i, mine, err)
		}
	}
	expect("a probe", minute(0), 2, minute(3))
	must(triggers.Failed(t.Context(), shop, 3, 4, minute(4), false))
	expect("an answer ends the row", minute(0), 0, time.Time{})
	must(triggers.Recovered(t.Context(), shop, 3, 4))
	if f := known().Failing; f != nil {
		t.Errorf("after a success: %+v", f)
	}

	must(triggers.Slow(t.Context(), shop, 3, 5, minute(9)))
	if now := known(); len(now.Slow) != 1 || !now.Slow[5].Equal(minute(9)) || now.Failing != nil {
		t.Errorf("slow %v, failing %v", now.Slow, now.Failing)
	}

	must(triggers.Slow(t.Context(), shop, 3, 4, minute(8)))
	must(triggers.Failed(t.Context(), shop, 3, 5, minute(4), false))
	must(triggers.Failed(t.Context(), shop, 3, 4, minute(4), false))
	if now := known(); len(now.Slow) != 2 || !now.Slow[4].Equal(minute(8)) || len(now.Failing) != 2 {
		t.Errorf("of two actions: slow %v, failing %v", now.Slow, now.Failing)
	}

	// A write of the trigger drops them.
	must(triggers.Failed(t.Context(), shop, 3, 4, minute(5), true))
	old := known()
	changed := old
	changed.Revision++
	must(triggers.Replace(t.Context(), shop, old, changed, time.Time{}))
	if now := known(); now.Failing != nil || now.Slow != nil {
		t.Errorf("after a change: %+v, %v", now.Failing, now.Slow)
	}

	must(triggers.Delete(t.Context(), shop, known()))
	must(triggers.Failed(t.Context(), shop, 3, 4, minute(6), true))
	must(triggers.Slow(t.Context(), shop, 3, 5, minute(6)))
	must(triggers.Recovered(t.Context(), shop, 3, 4))
	if _, err := triggers.Trigger(t.Context(), shop, 3); err == nil {
		t.Error("a note on its receiver brought a deleted trigger back")
	}
}
