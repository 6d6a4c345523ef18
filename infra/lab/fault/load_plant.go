package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"minicloud/infra/lab/promise"
)

// eventsOfApp is how many events an application gets, about: its hooks take five calls a second.
const eventsOfApp = 1500

// eventsOfActor is for how many events there is an application whose actions have effects.
const eventsOfActor = 4000

// plantEffects makes an application whose actions have effects.
func (l *Load) plantEffects(ctx context.Context, name string, quick bool) error {
	app, err := l.platform.application(ctx, name)
	if err != nil {
		return err
	}
	e := newEffects(l.platform, app, name, quick)
	e.slots = l.slots
	if err := e.plant(ctx); err != nil {
		return fmt.Errorf("plant %s: %w", name, err)
	}
	l.actors = append(l.actors, e)
	return nil
}

// PlantLoad makes applications for so many events; with quick their receivers do not take long. Do it before anybody
// is killed.
func (p *Platform) PlantLoad(ctx context.Context, events int, seed uint64, quick bool) (*Load, error) {
	l := &Load{
		platform: p, events: events, slots: make(chan struct{}, atOnce), lines: map[string]*Result{}, late: map[string]int{},
	}
	for _, name := range lineNames {
		l.lines[name] = &Result{}
	}

	for n := range min(max(events/eventsOfApp, 3), 16) {
		name := fmt.Sprintf("app%d-", n)
		base, err := p.application(ctx, name)
		if err != nil {
			return nil, err
		}

		app := &loadedApp{Application: base, load: l, name: name}
		if err := app.plant(ctx, rand.New(rand.NewPCG(seed, uint64(1000+n)))); err != nil {
			return nil, fmt.Errorf("plant %s: %w", name, err)
		}
		l.apps = append(l.apps, app)
	}
	for n := range min(max(events/eventsOfActor, 1), 8) {
		if err := l.plantEffects(ctx, fmt.Sprintf("actor%d", n), quick); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// plant gives the application a table, the merchant's key and triggers.
func (a *loadedApp) plant(ctx context.Context, random *rand.Rand) (err error) {
	columns := []column{
		{"n", "integer", false}, {"s", "string", false}, {"b", "boolean", false}, {"note", "string", false},
	}
	if a.table, err = a.makeTable(ctx, "rows", columns...); err != nil {
		return err
	}
	setting := map[string]any{"app_id": "wxapp", "merchant_id": "100", "merchant_key": merchantKey}
	if err := a.call(ctx, "PUT", settingPath, setting, &struct{}{}); err != nil {
		return err
	}

	for _, plant := range []func(context.Context, *rand.Rand) error{
		a.plantRows, a.plantPayments, a.plantFiles, a.plantMessages, a.plantHooks, a.plantTimers,
	} {
		if err := plant(ctx, random); err != nil {
			return err
		}
	}
	return a.plantOrder(ctx)
}

// planted is the answer to a trigger.
type planted struct {
	ID      int64  `json:"id"`
	HookURL string `json:"hook_url"`
	Created int64  `json:"created_at"`
}

// trigger makes a trigger with one or two actions, which end by themselves: no mail is set up.
func (a *loadedApp) trigger(
	ctx context.Context, random *rand.Rand, line, kind string, condition map[string]any, w *watcher,
) (planted, error) {
	mail := map[string]any{
		"type": "email", "settings": map[string]any{"to": []string{"ada@example.com"}, "subject": "s", "body": "b"},
	}
	w.Actions, w.line, w.app = 1+random.IntN(2), line, a
	actions := []any{mail, mail}[:w.Actions]

	body := map[string]any{"name": line, "type": kind, "condition": condition, "actions": actions, "trace": true}
	if w.timer.Zone != "" {
		body["timezone"] = w.timer.Zone
	}

	var made planted
	err := a.call(ctx, "POST", triggersPath, body, &made)
	w.id = made.ID
	a.watchers = append(a.watchers, w)
	return made, err
}

// plantRows makes three triggers for each change of a row: one without rules, two with random ones.
func (a *loadedApp) plantRows(ctx context.Context, random *rand.Rand) error {
	lines := map[string]string{"create": rowCreated, "update": rowUpdated, "delete": rowDeleted}
	for _, change := range []string{"create", "update", "delete"} {
		for n := range 3 {
			c := promise.Condition{Match: []string{"all", "any"}[random.IntN(2)], Rules: []promise.Rule{}}
			for range n * (1 + random.IntN(2)) {
				c.Rules = append(c.Rules, rowRule(random, change))
			}

			condition := map[string]any{"table": a.table, "event": change, "match": c.Match, "rules": c.Rules}
			if _, err := a.trigger(ctx, random, lines[change], "table", condition, &watcher{rows: c}); err != nil {
				return err
			}
		}
	}
	return nil
}

// rowRule draws a rule for a column.
func rowRule(random *rand.Rand, change string) promise.Rule {
	sides := map[string][]string{
		"create": {"", "after."}, "update": {"", "after.", "before."}, "delete": {"", "before."},
	}[change]
	r := promise.Rule{Field: sides[random.IntN(len(sides))]}
	draw := func(operators ...string) string { return operators[random.IntN(len(operators))] }

	switch random.IntN(4) {
	case 0:
		r.Field, r.Operator, r.Value = r.Field+"s", draw("=", "!="), drawText(random)
	case 1:
		r.Field, r.Operator, r.Value = r.Field+"b", draw("=", "!=", "isempty"), random.IntN(2) == 0
	default:
		low := random.IntN(80)
		r.Field, r.Operator, r.Value = r.Field+"n", draw("=", "!=", ">", ">=", "<", "<=", "range"), any(low)
		if r.Operator == "range" {
			r.Value = [2]int{low, low + 30}
		}
	}
	if change == "update" && random.IntN(4) == 0 {
		r = promise.Rule{Field: draw("n", "s", "b"), Operator: "changed"}
	}
	return r
}

func drawText(random *rand.Rand) string { return []string{"red", "green", "blue"}[random.IntN(3)] }

func (a *loadedApp) plantPayments(ctx context.Context, random *rand.Rand) error {
	for _, kind := range []string{"chat_pay", "chat_pay", "alt_pay", "tpay"} {
		condition := map[string]any{}
		if random.IntN(2) == 0 {
			condition["result"] = "success"
		}

		prefix := strings.ReplaceAll(kind, "_", "")
		w := &watcher{deaf: func(order map[string]any) bool {
			return order["status"] != "success" || !strings.HasPrefix(order["gateway_type"].(string), prefix)
		}}
		if _, err := a.trigger(ctx, random, paid, kind, condition, w); err != nil {
			return err
		}
	}
	return nil
}

// fileEvents are the operations with the results that there are.
var fileEvents = [][2]string{
	{"upload", "success"}, {"upload", "fail"}, {"image_check", "success"}, {"image_check", "fail"}, {"delete", "success"},
}

func (a *loadedApp) plantFiles(ctx context.Context, random *rand.Rand) error {
	for _, e := range fileEvents {
		w := &watcher{holds: func(detail map[string]any) bool {
			return detail["operation"] == e[0] && detail["result"] == e[1]
		}}
		condition := map[string]any{"operation": e[0], "result": e[1]}
		if _, err := a.trigger(ctx, random, fileEvent, "file_operation", condition, w); err != nil {
			return err
		}
	}
	return nil
}

// plantMessages makes triggers with and without a mini program, for all rules and any.
func (a *loadedApp) plantMessages(ctx context.Context, random *rand.Rand) error {
	for _, app := range []string{"", "wx1"} {
		for _, match := range []string{"all", "any"} {
			c := promise.Condition{Match: match, Rules: []promise.Rule{
				{Field: "Content", Value: drawText(random)}, {Field: "MsgType", Value: "text"},
			}}
			condition := map[string]any{"match": match, "rules": c.Rules}
			if app != "" {
				condition["app_id"] = app
			}

			w := &watcher{holds: func(m map[string]any) bool {
				return (app == "" || m["_AppId"] == app) && c.Holds(nil, m)
			}}
			if _, err := a.trigger(ctx, random, chatMessage, "chat_message", condition, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// plantHooks makes a hook, and one that is disabled.
func (a *loadedApp) plantHooks(ctx context.Context, random *rand.Rand) error {
	w := &watcher{}
	w.Counted = true
	open, err := a.trigger(ctx, random, hookCalled, "incoming_webhook", map[string]any{}, w)
	if err != nil {
		return err
	}
	nothing := &watcher{deaf: func(map[string]any) bool { return true }}
	shut, err := a.trigger(ctx, random, hookCalled, "incoming_webhook", map[string]any{}, nothing)
	if err != nil {
		return err
	}

	path := func(url string) string { return url[strings.Index(url, "/oserve/"):] }
	a.hook, a.dead = path(open.HookURL), path(shut.HookURL)
	return a.call(ctx, "PUT", fmt.Sprintf("%s%d/", triggersPath, shut.ID), map[string]any{"enabled": false}, &struct{}{})
}

// zones are those of timers.
var zones = []string{"Asia/Shanghai", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"}

// plantTimers makes timers of every policy, most for some minutes and one for the next hour.
func (a *loadedApp) plantTimers(ctx context.Context, random *rand.Rand) error {
	for n := range 6 {
		timer := promise.Timer{
			Every: []int{1, 2, 3, 5, 7, 0}[n], Zone: zones[random.IntN(len(zones))],
			Missed: []string{"once", "skip", "all"}[random.IntN(3)],
		}
		zone, err := time.LoadLocation(timer.Zone)
		if err != nil {
			return err
		}
		soon := time.Now().In(zone).Add(time.Duration(2+random.IntN(10)) * time.Minute)
		timer.Hour, timer.Minute = soon.Hour(), soon.Minute()

		w := &watcher{timer: timer}
		condition := map[string]any{"cron": timer.Cron(), "missed": timer.Missed}
		made, err := a.trigger(ctx, random, timerDue, "timer", condition, w)
		if err != nil {
			return err
		}
		w.last = time.Unix(made.Created, 0)
	}
	return nil
}
