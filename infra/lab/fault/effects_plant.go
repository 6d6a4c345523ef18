package fault

import (
	"context"
	"fmt"
	"math/rand/v2"

	"minicloud/shared/clock"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/user"
)

// jobCode tells the witness, then makes a row.
const jobCode = `exports.main = async (event) => {
  const mark = event.data.mark;
  const said = '?job=' + event.jobId + '&mark=' + encodeURIComponent(mark);
  await BaaS.request({ url: '%s' + said, method: 'POST', data: {} });

  const made = new BaaS.TableObject(%d).create();
  made.set({ mark, by: '%s', job: String(event.jobId) });
  await made.save();
  return mark;
}`

// effectsFunction is the function that is started.
const effectsFunction = "acts"

// plant makes the settings, the tables, the function and a trigger for each line.
func (e *effects) plant(ctx context.Context) error {
	e.receiver = NewReceiver(rand.New(rand.NewPCG(uint64(len(e.name)), 7)), e.quick)
	if err := e.set(ctx); err != nil {
		return err
	}
	if err := e.makeTables(ctx); err != nil {
		return err
	}
	if err := e.plantUser(ctx); err != nil {
		return err
	}

	var made struct {
		ID int64 `json:"id"`
	}
	code := fmt.Sprintf(jobCode, e.app.witness.URL(), e.tables.made, ownRows)
	body := map[string]any{"name": effectsFunction, "function_code": code}
	if err := e.app.call(ctx, "POST", functionsPath, body, &made); err != nil {
		return err
	}
	e.function = id.ID(made.ID)

	for _, a := range e.actions() {
		if err := e.trigger(ctx, a); err != nil {
			return fmt.Errorf("%s: %w", a.line, err)
		}
	}
	return nil
}

// set lets the application send mails, SMS and template messages.
func (e *effects) set(ctx context.Context) error {
	for path, setting := range map[string]map[string]any{
		"/oserve/v3/mail-setting/":         {"sender": "shop@example.com"},
		"/oserve/v3/message-setting/chat/": {"app_id": "wx1", "app_secret": "secret"},
		"/oserve/v3/sms-setting/": {
			"enabled":    true,
			"signatures": []any{map[string]any{"name": "shop", "status": "approved"}},
			"templates":  []any{map[string]any{"name": "mark", "text": "{{ mark }}", "status": "approved"}},
		},
	} {
		if err := e.app.call(ctx, "PUT", path, setting, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// plantUser gives the application the user who gets template messages.
func (e *effects) plantUser(ctx context.Context) (err error) {
	tables := &table.Service{
		Schemas: e.platform.tableStore(), Rows: e.platform.rowStore(), Clock: clock.System, IDs: new(id.Source),
	}
	users := &user.Service{Tables: tables, Clock: clock.System}
	e.user, err = users.Create(ctx, e.app.scope, user.New{Profile: map[string]any{"openid": "ada"}})
	return err
}

// planned is an action and the change that it waits for.
type planned struct {
	line, kind string
	settings   map[string]any
	flow       map[string]any
}

type object = map[string]any

func (e *effects) actions() []planned {
	const mark = "{{ mark }}"
	assign := func(field, operator string, value any) any {
		return object{"field": field, "operator": operator, "value": value}
	}
	creation := func(line string) object {
		return object{"table": e.tables.made, "operation": "create", "assign": []any{
			assign("mark", "=", mark), assign("by", "=", line),
		}}
	}

	return []planned{
		{mails, "email", object{"to": []string{"ada@example.com"}, "subject": mark, "body": mark, "format": "text"}, nil},
		{texts, "sms", object{
			"recipient": object{"kind": "phone", "phone": "{{ phone }}"}, "signature": "shop", "template": "mark",
			"keywords": object{"mark": mark},
		}, nil},
		{templates, "template_message", object{
			"vendor": "chat", "template_id": "mark", "recipient": object{"kind": "users"}, "keywords": object{"mark": mark},
		}, nil},
		{creations, "table_operation", creation(creations), nil},
		{changes, "table_operation", object{
			"table": e.tables.lists, "operation": "update", "where": object{"slot": "{{ slot }}"},
			"assign": []any{assign("marks", "append", []string{mark}), assign("n", "inc_by", 1)},
		}, nil},
		{removals, "table_operation", object{
			"table": e.tables.doomed, "operation": "delete", "where": object{"mark": mark},
		}, nil},
		{functions, "cloud_function", object{"function": effectsFunction}, nil},
		{webhooks, "webhook", object{"url": e.receiver.URL(webhooks)}, nil},
		{batches, "webhook", object{"url": e.receiver.URL(batches)}, object{
			"batch": object{"size": batchSize, "seconds": int(batchTime.Seconds())}, "key": "{{ slot }}",
		}},
		{throttled, "table_operation", creation(throttled), object{
			"throttle": object{"count": throttleCount, "period_seconds": int(throttlePeriod.Seconds())},
		}},
		{ordered, "webhook", object{"url": e.receiver.URL(ordered)}, object{"ordered": true, "key": "{{ id }}"}},
		{debounced, "table_operation", creation(debounced), object{
			"debounce_seconds": int(debounceTime.Seconds()), "key": "{{ id }}",
		}},
	}
}

// trigger makes the trigger of a line, and has the receiver trust its key.
func (e *effects) trigger(ctx context.Context, a planned) error {
	condition := object{
		"table": e.tables.asks, "event": "create",
		"rules": []any{object{"field": "kind", "operator": "=", "value": a.line}},
	}
	if a.line == ordered || a.line == debounced {
		condition = object{"table": e.tables.steps, "event": "update"}
	}

	action := object{"type": a.kind, "settings": a.settings}
	if a.flow != nil {
		action["flow"] = a.flow
	}
	var made struct {
		ID      int64 `json:"id"`
		Actions []struct {
			Settings struct {
				Key string `json:"key"`
			} `json:"settings"`
		} `json:"actions"`
	}
	body := object{"name": a.line, "type": "table", "condition": condition, "actions": []any{action}, "trace": false}
	if err := e.app.call(ctx, "POST", triggersPath, body, &made); err != nil {
		return err
	}

	e.doings[a.line].trigger = made.ID
	if a.kind == "webhook" {
		e.receiver.Trust(a.line, made.Actions[0].Settings.Key)
	}
	return nil
}
