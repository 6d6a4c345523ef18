package events

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/story"
	"minicloud/shared/trigger"
)

// Plant creates a table, the merchant's key, triggers of all types and a pending order, or the triggers with effects.
func (e *events) Plant(ctx context.Context) (err error) {
	if e.App, err = e.Application(ctx, e.name); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(e.Seed, uint64(e.App.Scope.App)))
	e.name = strings.ReplaceAll(e.Name, " ", "") + e.name
	if err := e.rows.plant(ctx, e.App); err != nil {
		return err
	}
	if e.acts {
		return e.plantEffects(ctx, random)
	}
	setting := map[string]any{"app_id": "wxapp", "merchant_id": "100", "merchant_key": merchantKey}
	if err := e.App.Call(ctx, "PUT", settingPath, setting, &struct{}{}); err != nil {
		return err
	}
	for _, plant := range []func(context.Context, *rand.Rand) error{
		e.plantRows, e.plantPayments, e.plantBus, e.plantHooks, e.plantTimers,
	} {
		if err := plant(ctx, random); err != nil {
			return err
		}
	}
	return e.plantOrder(ctx)
}

// plantOrder creates a pending order: payment events with another amount must be refused.
func (e *events) plantOrder(ctx context.Context) error {
	order := e.order("altpay_wap", "held-"+e.name, 1.5)
	order["status"] = "pending"
	if err := e.publish(ctx, "payment", order).Failure(); err != nil {
		return fmt.Errorf("an order: %w", err)
	}

	for begun := time.Now(); ; time.Sleep(500 * time.Millisecond) {
		var found struct {
			Meta struct {
				Total int `json:"total_count"`
			} `json:"meta"`
		}
		err := e.App.Service().Call(ctx, "GET", ordersPath+"&return_total_count=1", nil, &found)
		if err != nil || found.Meta.Total > 0 {
			return err
		}
		if time.Since(begun) > client.RepeatFor() {
			return fmt.Errorf("the order %v did not come", order["trade_no"])
		}
	}
}

// planted is the API's answer to the creation of a trigger.
type planted struct {
	ID      int64  `json:"id"`
	HookURL string `json:"hook_url"`
	Created int64  `json:"created_at"`
	Actions []struct {
		Settings struct {
			Key string `json:"key"`
		} `json:"settings"`
	} `json:"actions"`
}

// trigger creates a trigger. Without explicit actions it gets one or two mail actions, which fail at once because mail
// is not set up.
func (e *events) trigger(
	ctx context.Context, random *rand.Rand, line string, kind trigger.Type, condition any, w *watch, actions ...any,
) (planted, error) {
	if actions == nil {
		mail := map[string]any{
			"type": "email", "settings": map[string]any{"to": []string{"ada@example.com"}, "subject": "s", "body": "b"},
		}
		actions = []any{mail, mail}[:1+random.IntN(2)]
	}
	w.Actions, w.line = len(actions), line

	body := map[string]any{
		"name": line, "type": kind, "condition": condition, "actions": actions, "trace": w.effect == "",
	}
	if w.timer.Zone != "" {
		body["timezone"] = w.timer.Zone
	}

	var made planted
	err := e.App.Call(ctx, "POST", client.TriggersPath, body, &made)
	w.id = made.ID
	e.watches = append(e.watches, w)
	return made, err
}

// plantRows creates three triggers for each change of a row: one without rules, two with random rules.
func (e *events) plantRows(ctx context.Context, random *rand.Rand) error {
	for _, of := range []struct {
		change trigger.Change
		line   string
	}{{trigger.Create, rowCreated}, {trigger.Update, rowUpdated}, {trigger.Delete, rowDeleted}} {
		for n := range 3 {
			t, holds := story.RowTrigger(random, rowsName, of.change, n*(1+random.IntN(2)))
			if _, err := e.trigger(ctx, random, of.line, t.Type, t.Condition, &watch{holds: holds}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *events) plantPayments(ctx context.Context, random *rand.Rand) error {
	for _, kind := range []trigger.Type{trigger.TypeChatPay, trigger.TypeChatPay, trigger.TypeAltPay, trigger.TypeTPay} {
		condition := map[string]any{}
		if random.IntN(2) == 0 {
			condition["result"] = "success"
		}

		prefix := strings.ReplaceAll(string(kind), "_", "")
		w := &watch{hears: func(order map[string]any) bool {
			return order["status"] == "success" && strings.HasPrefix(order["gateway_type"].(string), prefix)
		}}
		if _, err := e.trigger(ctx, random, paid, kind, condition, w); err != nil {
			return err
		}
	}
	return nil
}

// plantBus creates five triggers for each kind of bus event.
func (e *events) plantBus(ctx context.Context, random *rand.Rand) error {
	for line, kind := range busKinds {
		for range 5 {
			t, holds := kind.Trigger(random)
			if _, err := e.trigger(ctx, random, line, t.Type, t.Condition, &watch{holds: holds}); err != nil {
				return err
			}
		}
	}
	return nil
}

// plantHooks creates a hook, and a disabled one.
func (e *events) plantHooks(ctx context.Context, random *rand.Rand) error {
	w := &watch{}
	w.Counted = true
	open, err := e.trigger(ctx, random, hookCalled, "incoming_webhook", map[string]any{}, w)
	if err != nil {
		return err
	}
	nothing := &watch{hears: func(map[string]any) bool { return false }}
	shut, err := e.trigger(ctx, random, hookCalled, "incoming_webhook", map[string]any{}, nothing)
	if err != nil {
		return err
	}

	path := func(url string) string { return url[strings.Index(url, "/oserve/"):] }
	e.hook, e.dead = path(open.HookURL), path(shut.HookURL)
	disabled := map[string]any{"enabled": false}
	return e.App.Call(ctx, "PUT", fmt.Sprintf("%s%d/", client.TriggersPath, shut.ID), disabled, &struct{}{})
}

// zones lists the time zones of the timers.
var zones = []string{"Asia/Shanghai", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"}

// plantTimers creates timers with random policies for missed runs, most of them every few minutes and one in the next
// hour.
func (e *events) plantTimers(ctx context.Context, random *rand.Rand) error {
	for _, every := range []int{1, 2, 3, 5, 7, 0} {
		timer := promise.Timer{
			Every: every, Zone: story.Draw(random, zones...), Missed: story.Draw(random, "once", "skip", "all"),
		}
		zone, err := time.LoadLocation(timer.Zone)
		if err != nil {
			return err
		}
		soon := time.Now().In(zone).Add(time.Duration(2+random.IntN(10)) * time.Minute)
		timer.Hour, timer.Minute = soon.Hour(), soon.Minute()

		w := &watch{timer: timer}
		condition := map[string]any{"cron": timer.Cron(), "missed": timer.Missed}
		made, err := e.trigger(ctx, random, timerDue, "timer", condition, w)
		if err != nil {
			return err
		}
		w.last = time.Unix(made.Created, 0)
	}
	return nil
}

// keptEvaluations is the number of evaluations that a trigger keeps (G11: the last 50).
const keptEvaluations = 50

// evaluated reads the stored evaluations of a trigger.
func (e *events) evaluated(ctx context.Context, w *watch) (all []promise.Seen, err error) {
	type evaluation struct {
		Event   string `json:"event_id"`
		Subject string `json:"subject_id"`
		Held    bool   `json:"held"`
	}
	path := fmt.Sprintf("%s%d/evaluation/?limit=%d", client.TriggersPath, w.id, keptEvaluations)
	_, err = client.List(ctx, e.App, path, func(x evaluation) error {
		if w.line == timerDue {
			x.Subject = x.Event
		}
		all = append(all, promise.Seen{Mark: x.Subject, Held: x.Held})
		return nil
	})
	return all, err
}

// lostEvaluations counts the evaluations that programs could not store, by trigger: a batch whose runs are started is not
// repeated for them, also if the database was killed in between. The log is what tells it from a fault of the platform.
func lostEvaluations(logs string) (map[string]int, error) {
	names, err := filepath.Glob(filepath.Join(logs, "*.log"))
	if err != nil {
		return nil, err
	}
	all := map[string]int{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			if !bytes.Contains(line, []byte("evaluations were not kept")) {
				continue
			}
			var warning struct {
				Trigger string
				Lost    int
			}
			if err := json.Unmarshal(line, &warning); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all[warning.Trigger] += warning.Lost
		}
	}
	return all, nil
}

// Judge implements load.Part: it checks the rows, the paid orders, the runs and evaluations of each trigger, and the
// effects.
func (e *events) Judge(ctx context.Context) error {
	if err := e.rows.judge(ctx, e); err != nil {
		return err
	}
	for _, w := range e.watches {
		found, err := e.log(ctx, w)
		if err != nil {
			return err
		}
		e.add(w, w.line, w.Judge(found))
	}
	if e.acts {
		return e.judgeEffects(ctx)
	}

	orders := map[string]int{}
	type order struct {
		Trade  string `json:"trade_no"`
		Status string `json:"status"`
	}
	_, err := client.List(ctx, e.App.Service(), ordersPath, func(o order) error {
		if o.Status == "success" {
			orders[o.Trade]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.orders.Judge(orders)
	e.Lines.Line(paidOrders).Add(e.orders.Tally)

	lost, err := lostEvaluations(e.Cloud.Logs)
	if err != nil {
		return err
	}
	for _, w := range e.watches {
		seen, err := e.evaluated(ctx, w)
		if err != nil {
			return err
		}
		e.add(w, evaluations, w.Evaluations(seen, keptEvaluations, lost[fmt.Sprintf("%s#%d", e.App.Scope, w.id)]))
	}
	if e == e.clock.apps[0] {
		return e.judgeDeadLetters(ctx)
	}
	return nil
}

// add adds a tally to a line and names the trigger in its troubles.
func (e *events) add(w *watch, line string, t promise.Tally) {
	for i, trouble := range t.Troubles {
		t.Troubles[i] = fmt.Sprintf("%s, trigger %d of %s: %s", w.line, w.id, e.App.Scope, trouble)
	}
	e.Lines.Line(line).Add(t)
}
