package events

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/story"
	"minicloud/infra/seed/sender"
	"minicloud/shared/id"
	"minicloud/shared/user"
)

// The report lines of effects. The kind of a row is the effect that its creation causes.
const (
	mails     = "mail"
	texts     = "sms"
	templates = "template message"
	creations = "row created by it"
	changes   = "row changed by it"
	removals  = "row deleted by it"
	functions = "function started"
	ownRows   = "row of the function"
	webhooks  = "webhook"
	batches   = "batched webhook"
	throttled = "throttled row"
	ordered   = "ordered webhook"
	debounced = "debounced row"
)

// kinds lists the effects of creations, Effects the lines of all effects.
var (
	kinds = []string{
		mails, texts, templates, creations, changes, removals, functions, webhooks, batches, throttled,
	}
	Effects = append(kinds[:len(kinds):len(kinds)], ordered, debounced, ownRows)
)

// messages lists the effects that are sent at most once: after the death of a worker, nobody can tell whether its
// message was sent.
var messages = []string{mails, texts, templates}

// Settings of the flow controls. Only the simulation checks how long they delay a run, because its clock is exact.
const (
	batchSize      = 3
	batchTime      = 2 * time.Second
	throttleCount  = 2
	throttlePeriod = 2 * time.Second
	debounceTime   = time.Second
)

// effects checks what the triggers of an application do, one trigger per report line. Each effect is observed in a
// place that is never killed or that the platform does not count: the outbox, a webhook receiver, or rows that contain
// the note of the row that fired, once for each execution.
type effects struct {
	receiver *receiver
	witness  *load.Witness
	function id.ID
	user     user.ID // recipient of the template messages
	tables   struct{ made, lists, doomed int64 }
	of       map[string]*watch // by line; nil in applications without effects
}

// nextKind returns the effect of the next row, in rotation, so that even a short load covers all of them. It returns
// "" for every eleventh row, whose changes have effects, and also if the row to delete or the form id of the message
// could not be prepared for certain.
func (e *events) nextKind(random *rand.Rand, mark string) string {
	turn := int(e.kindTurns.Add(1)) % (len(kinds) + 1)
	if turn == len(kinds) {
		return ""
	}
	first := client.Request{Method: http.MethodPost, Key: mark + "/first"}
	switch kinds[turn] {
	case removals:
		first.Path, first.Body = client.RowsPath(e.tables.doomed), object{"mark": mark}
	case templates: // a payment's form id is valid for three messages, so each of up to three attempts finds it unspent
		first.Path = fmt.Sprintf("/oserve/v3/user/%d/form-id/", e.user)
		first.Body = object{"vendor": "chat", "kind": "payment", "form_id": mark}
	default:
		return kinds[turn]
	}
	if _, x := e.App.Repeat(random, first); x.Known != client.Acknowledged {
		return ""
	}
	return kinds[turn]
}

// expect records the effect that an event must have. For a debounced trigger only the last event of a row must have an
// effect; expectLast records that one.
func (w *watch) expect(note string, known promise.Need) {
	if w.effect == debounced {
		known = min(known, client.Unknown)
	}
	w.asked.Expect(note, known)
}

// expectLast records that no further change of the row follows.
func (e *events) expectLast(note string) {
	if w := e.effects.of[debounced]; w != nil && note != "" {
		w.asked.Expect(note, client.Acknowledged)
	}
}

// jobCode reports to the witness, then creates a row.
const jobCode = `exports.main = async (event) => {
  const said = '?job=' + event.jobId + '&mark=' + encodeURIComponent(event.data.note);
  await BaaS.request({ url: '%s' + said, method: 'POST', data: {} });

  const made = new BaaS.TableObject(%d).create();
  made.set({ mark: '[%s/' + event.jobId + ']' });
  await made.save();
}`

// effectsFunction is the name of the function that an action starts.
const effectsFunction = "acts"

// plantEffects creates the settings, the tables, the function and one trigger per line.
func (e *events) plantEffects(ctx context.Context, random *rand.Rand) (err error) {
	e.effects.of = map[string]*watch{ownRows: {effect: ownRows}}
	e.receiver = newReceiver(rand.New(rand.NewPCG(e.Seed, 7)), !e.Pace.Real)
	e.witness = load.NewWitness()
	for _, plant := range []func(context.Context) error{e.plantSettings, e.plantTables} {
		if err := plant(ctx); err != nil {
			return err
		}
	}
	profile := map[string]any{"openid": "ada"}
	if e.user, err = e.Cloud.Users().Create(ctx, e.App.Scope, user.New{Profile: profile}); err != nil {
		return err
	}

	code := fmt.Sprintf(jobCode, e.witness.URL, e.tables.made, ownRows)
	body := map[string]any{"name": effectsFunction, "function_code": code}
	made, err := e.App.Create(ctx, client.FunctionsPath, body)
	if err != nil {
		return err
	}
	e.function = id.ID(made)

	for _, a := range e.actions() {
		if err := e.plantEffect(ctx, random, a); err != nil {
			return fmt.Errorf("%s: %w", a.line, err)
		}
	}
	return nil
}

// plantEffect creates the trigger of a line and gives its signing key to the receiver.
func (e *events) plantEffect(ctx context.Context, random *rand.Rand, a planned) error {
	w := &watch{effect: a.line, holds: func(_, after map[string]any) bool { return after["kind"] == a.line }}
	line, condition := rowCreated, object{
		"table": e.table, "event": "create", "rules": []any{object{"field": "kind", "operator": "=", "value": a.line}},
	}
	if a.line == ordered || a.line == debounced {
		line, condition, w.holds = rowUpdated, object{"table": e.table, "event": "update"}, nil
	}

	action := object{"type": a.kind, "settings": a.settings}
	if a.flow != nil {
		action["flow"] = a.flow
	}
	made, err := e.trigger(ctx, random, line, "table", condition, w, action)
	if err != nil {
		return err
	}
	e.effects.of[a.line] = w
	if a.kind == "webhook" {
		e.receiver.trust(a.line, made.Actions[0].Settings.Key)
	}
	return nil
}

// plantSettings enables mails, SMS and template messages for the application.
func (e *events) plantSettings(ctx context.Context) error {
	for path, setting := range map[string]map[string]any{
		"/oserve/v3/message-setting/chat/": {"app_id": "wx1", "app_secret": "secret"},
		"/oserve/v3/sms-setting/": {
			"enabled":    true,
			"signatures": []any{map[string]any{"name": "shop", "status": "approved"}},
			"templates":  []any{map[string]any{"name": "mark", "text": "{{ mark }}", "status": "approved"}},
		},
	} {
		if err := e.App.Call(ctx, "PUT", path, setting, &struct{}{}); err != nil {
			return err
		}
	}
	call := func(ctx context.Context, method, path, body string) ([]byte, error) {
		r := client.Request{Method: method, Path: path}
		if body != "" {
			r.Body = json.RawMessage(body)
		}
		answer := e.App.Send(ctx, r)
		return answer.Body, answer.Failure()
	}
	return sender.Confirm(ctx, e.App.Scope.App, call, "shop@example.com")
}

// plantTables creates the tables that actions write. Table lists has one row for each number that a row may have.
func (e *events) plantTables(ctx context.Context) (err error) {
	mark, number := client.Column{Name: "mark", Type: "string", Indexed: true}, client.Column{
		Name: "n", Type: "integer", Indexed: true,
	}
	count, marks := client.Column{Name: "count", Type: "integer"}, client.Column{Name: "marks", Type: "array"}
	for _, t := range []struct {
		id      *int64
		name    string
		columns []client.Column
	}{
		{&e.tables.made, "made", []client.Column{mark}}, {&e.tables.doomed, "doomed", []client.Column{mark}},
		{&e.tables.lists, "lists", []client.Column{number, count, marks}},
	} {
		if *t.id, err = e.App.Table(ctx, t.name, t.columns...); err != nil {
			return err
		}
	}
	for n := range story.Numbers {
		row := map[string]any{"n": n, "count": 0, "marks": []string{}}
		if err := e.App.Call(ctx, "POST", client.RowsPath(e.tables.lists), row, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// planned is an action to create, with its flow control.
type planned struct {
	line, kind string
	settings   object
	flow       object
}

type object = map[string]any

// actions returns the actions of all lines. The texts that they write contain the line and the note of the row that
// fired; see marks.
func (e *events) actions() []planned {
	const note = "{{ note }}"
	mark := func(line string) string { return "[" + line + "/" + note + "]" }
	assign := func(field, operator string, value any) any {
		return object{"field": field, "operator": operator, "value": value}
	}
	creation := func(line string) object {
		return object{"table": e.tables.made, "operation": "create", "assign": []any{assign("mark", "=", mark(line))}}
	}

	return []planned{
		{mails, "email", object{
			"to": []string{"ada@example.com"}, "subject": mark(mails), "body": "b", "format": "text",
		}, nil},
		{texts, "sms", object{
			"recipient": object{"kind": "phone", "phone": "{{ phone }}"}, "signature": "shop", "template": "mark",
			"keywords": object{"mark": mark(texts)},
		}, nil},
		{templates, "template_message", object{
			"vendor": "chat", "template_id": "mark", "recipient": object{"kind": "users"},
			"keywords": object{"mark": mark(templates)},
		}, nil},
		{creations, "table_operation", creation(creations), nil},
		{changes, "table_operation", object{
			"table": e.tables.lists, "operation": "update", "where": object{"n": "{{ n }}"},
			"assign": []any{assign("marks", "append", []string{mark(changes)}), assign("count", "inc_by", 1)},
		}, nil},
		{removals, "table_operation", object{
			"table": e.tables.doomed, "operation": "delete", "where": object{"mark": note},
		}, nil},
		{functions, "cloud_function", object{"function": effectsFunction}, nil},
		{webhooks, "webhook", object{"url": e.receiver.address(webhooks)}, nil},
		{batches, "webhook", object{"url": e.receiver.address(batches)}, object{
			"batch": object{"size": batchSize, "seconds": int(batchTime.Seconds())}, "key": "{{ n }}",
		}},
		{throttled, "table_operation", creation(throttled), object{
			"throttle": object{"count": throttleCount, "period_seconds": int(throttlePeriod.Seconds())},
		}},
		{ordered, "webhook", object{"url": e.receiver.address(ordered)}, object{"ordered": true, "key": "{{ id }}"}},
		{debounced, "table_operation", creation(debounced), object{
			"debounce_seconds": int(debounceTime.Seconds()), "key": "{{ id }}",
		}},
	}
}
