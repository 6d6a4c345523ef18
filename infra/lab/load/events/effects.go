package events

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/story"
	"minicloud/shared/id"
	"minicloud/shared/user"
)

// The lines of effects. The kind of a row is the effect that its creation has.
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

// kinds are the effects of creations, Effects all lines of effects.
var (
	kinds = []string{
		mails, texts, templates, creations, changes, removals, functions, webhooks, batches, throttled,
	}
	Effects = append(kinds[:len(kinds):len(kinds)], ordered, debounced, ownRows)
)

// messages are the lines of what is sent at most once: of a message whose worker died nobody knows whether it was sent.
var messages = []string{mails, texts, templates}

// The flow controls. How long they hold a run back is judged by the simulation only, whose clock is exact.
const (
	batchSize      = 3
	batchTime      = 2 * time.Second
	throttleCount  = 2
	throttlePeriod = 2 * time.Second
	debounceTime   = time.Second
)

// effects are what the actions of an application's triggers do, one trigger for each line. Each effect is found where
// no process is killed or where the platform does not count: in the outbox, at a receiver of webhooks, in rows that
// carry the note of the row that fired, once for each time.
type effects struct {
	receiver *receiver
	witness  *load.Witness
	function id.ID
	user     user.ID // gets template messages
	tables   struct{ made, lists, doomed int64 }
	of       map[string]*watch // by line; those of other applications are nil
}

// nextKind is the effect that the next row has, so that a short load asks for all of them. It is none of every
// eleventh, whose changes have effects, and where the row that is to be deleted, or the form id of the message, may not
// be there.
func (e *events) nextKind(random *rand.Rand, mark string) string {
	turn := int(e.kindTurns.Add(1)) % (len(kinds) + 1)
	if turn == len(kinds) {
		return ""
	}
	first := client.Request{Method: http.MethodPost, Key: mark + "/first"}
	switch kinds[turn] {
	case removals:
		first.Path, first.Body = client.RowsPath(e.tables.doomed), object{"mark": mark}
	case templates: // of a payment, so that each run of three finds one that is not spent
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

// expect notes the effect that an event has. Of a debounced trigger only the last event of a row must have one, which
// expectLast notes.
func (w *watch) expect(note string, known promise.Need) {
	if w.effect == debounced {
		known = min(known, client.Unknown)
	}
	w.asked.Expect(note, known)
}

// expectLast notes that no other change of a row follows.
func (e *events) expectLast(note string) {
	if w := e.effects.of[debounced]; w != nil && note != "" {
		w.asked.Expect(note, client.Acknowledged)
	}
}

// jobCode tells the witness, then makes a row.
const jobCode = `exports.main = async (event) => {
  const said = '?job=' + event.jobId + '&mark=' + encodeURIComponent(event.data.note);
  await BaaS.request({ url: '%s' + said, method: 'POST', data: {} });

  const made = new BaaS.TableObject(%d).create();
  made.set({ mark: '[%s/' + event.jobId + ']' });
  await made.save();
}`

// effectsFunction is the function that is started.
const effectsFunction = "acts"

// plantEffects makes the settings, the tables, the function and a trigger for each line.
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

	var made struct {
		ID int64 `json:"id"`
	}
	code := fmt.Sprintf(jobCode, e.witness.URL, e.tables.made, ownRows)
	body := map[string]any{"name": effectsFunction, "function_code": code}
	if err := e.App.Call(ctx, "POST", client.FunctionsPath, body, &made); err != nil {
		return err
	}
	e.function = id.ID(made.ID)

	for _, a := range e.actions() {
		if err := e.plantEffect(ctx, random, a); err != nil {
			return fmt.Errorf("%s: %w", a.line, err)
		}
	}
	return nil
}

// plantEffect makes the trigger of a line, and has the receiver trust its key.
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

// plantSettings lets the application send mails, SMS and template messages.
func (e *events) plantSettings(ctx context.Context) error {
	for path, setting := range map[string]map[string]any{
		"/oserve/v3/mail-setting/":         {"sender": "shop@example.com"},
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
	return nil
}

// plantTables makes the tables that actions write. There is a list for each number that a row may have.
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

// planned is an action and its flow control.
type planned struct {
	line, kind string
	settings   object
	flow       object
}

type object = map[string]any

// actions are those of all lines. What they write carries the line and the note of the row that fired: see marks.
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
