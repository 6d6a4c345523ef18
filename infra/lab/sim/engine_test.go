package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/memdb"
	"minicloud/shared/clock"
	"minicloud/shared/trigger"
)

// messages is a program that gets pushed chat messages.
func messages(i *sim.Instance) any {
	engine := i.Queues.Engine()
	return func(ctx context.Context, e events.CloudWatchEvent) error {
		var detail map[string]any
		if err := json.Unmarshal(e.Detail, &detail); err != nil {
			return err
		}
		_, err := engine.Fire(ctx, []trigger.Event{trigger.MessageEvent(shop, e.ID, e.Time, detail)})
		return err
	}
}

// TestEveryMatchBecomesOneRun: whatever befalls the engine, each event gives each trigger it matches each of its
// actions once, and a message for it.
func TestEveryMatchBecomesOneRun(t *testing.T) {
	for seed := range uint64(*seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runsUnderFaults(t, seed) })
	}
}

func runsUnderFaults(t *testing.T, seed uint64) {
	cryptotest.SetGlobalRandom(t, seed)
	synctest.Test(t, func(t *testing.T) {
		w := sim.New(seed, memdb.New(clock.System, "TriggersTable*", "TriggerLogTable"))
		defer w.Stop()
		plantTriggers(t, w)
		handler := func(handlers any) sim.EventHandler {
			return handlers.(func(context.Context, events.CloudWatchEvent) error)
		}

		chances := rand.New(rand.NewPCG(seed, 2))
		var sent []map[string]any
		left := make(chan struct{})
		for n := range 20 {
			detail := map[string]any{"MsgId": fmt.Sprint(n), "Content": []string{"hello", "help"}[chances.IntN(2)]}
			sent = append(sent, detail)
			text, _ := json.Marshal(detail)
			go func() {
				w.Event(
					"platformevent", messages, handler,
					sim.Put{Source: "minicloud", DetailType: "chat-message", Detail: string(text)},
				)
				left <- struct{}{}
			}()
			time.Sleep(w.Apart(time.Duration(chances.IntN(2000)) * time.Millisecond))
		}
		for range sent {
			<-left
		}
		checkRuns(t, w, sent)
	})
}

// plantTriggers stores triggers before anything goes wrong.
func plantTriggers(t *testing.T, w *sim.World) {
	rates := w.Rates
	w.Rates = sim.Rates{}
	defer func() { w.Rates = rates }()

	action := func(id trigger.ActionID, mode trigger.Mode) trigger.Action {
		return trigger.Action{
			ID: id, Type: trigger.CloudFunction, Frequency: trigger.Frequency{Mode: mode, IntervalSeconds: 60},
			Settings: &trigger.CloudFunctionSettings{Function: "f"},
		}
	}
	triggers := []trigger.Trigger{
		{ID: 1, Name: "all", Actions: []trigger.Action{action(10, trigger.Repeatable), action(11, trigger.Once)}},
		{ID: 2, Name: "help only", Actions: []trigger.Action{action(20, trigger.Repeatable)}},
	}
	store := w.Instance("planter", messages).Backend.Triggers()
	for i := range triggers {
		triggers[i].Type, triggers[i].Enabled, triggers[i].Revision = trigger.TypeChatMessage, true, 1
		triggers[i].Timezone, triggers[i].TraceUntil = trigger.DefaultTimezone, trigger.TraceAlways
		condition := &trigger.MessageCondition{Match: trigger.MatchAll}
		if triggers[i].ID == 2 {
			condition.Rules = []trigger.Rule{{Field: "Content", Operator: trigger.Equal, Value: "help"}}
		}
		triggers[i].Condition = condition
		if err := store.Insert(t.Context(), shop, triggers[i], time.Time{}); err != nil {
			t.Fatal(err)
		}
	}

}

// checkRuns compares the log with what should be in it.
func checkRuns(t *testing.T, w *sim.World, sent []map[string]any) {
	runs := map[string]int{} // by trigger, action and status
	for _, it := range w.DB.Items("TriggerLogTable") {
		field := func(name, kind string) string {
			v, _ := it[name].(map[string]any)
			return fmt.Sprint(v[kind])
		}
		if status := field("status", "S"); status != "<nil>" {
			runs[field("name", "S")+" "+field("action", "N")+" "+status]++
		}
	}

	help := 0
	for _, detail := range sent {
		if detail["Content"] == "help" {
			help++
		}
	}
	want := map[string]int{"all 10 pending": len(sent), "all 11 pending": 1, "all 11 skipped": len(sent) - 1}
	if help > 0 {
		want["help only 20 pending"] = help
	}
	for what, n := range want {
		if runs[what] != n {
			t.Errorf("%d runs %q, want %d", runs[what], what, n)
		}
	}
	for what, n := range runs {
		if want[what] == 0 {
			t.Errorf("%d runs %q too many", n, what)
		}
	}

	asked := map[string]bool{}
	for _, m := range w.Queue("actions").All() {
		asked[m.Body] = true
	}
	if want := len(sent) + 1 + help; len(asked) != want {
		t.Errorf("%d runs were asked for, want %d", len(asked), want)
	}
}
