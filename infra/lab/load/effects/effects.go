// Package effects is a load of rows whose triggers have an effect, one trigger for each action and flow control. Each
// effect is found where no process is killed or where the platform does not count: in the outbox, at a receiver of
// webhooks, in rows that carry a mark for each time. How long flow controls hold a run back is judged by the simulation
// only, whose clock is exact.
package effects

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/lab/promise"
	"minicloud/shared/clock"
	"minicloud/shared/id"
	"minicloud/shared/table/manage"
	"minicloud/shared/user"
)

// The lines of effects. A row of the table "asks" whose kind is a line asks for one.
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

// asks are the lines that rows ask for, Lines all of them.
var (
	asks  = []string{mails, texts, templates, creations, changes, removals, functions, webhooks, batches, throttled}
	Lines = append(asks[:len(asks):len(asks)], ordered, debounced, ownRows)
)

// messages are the lines of what is sent at most once: of a message whose worker died nobody knows whether it was sent.
var messages = []string{mails, texts, templates}

// The flow controls.
const (
	batchSize      = 3
	batchTime      = 2 * time.Second
	throttleCount  = 2
	throttlePeriod = 2 * time.Second
	debounceTime   = time.Second
)

// effects is an application with rows whose triggers have an effect, and the effects there must be.
type effects struct {
	load.Base
	name string // marks begin with it

	receiver *Receiver
	witness  *load.Witness
	function id.ID
	user     user.ID // gets template messages
	tables   struct{ asks, steps, made, lists, doomed int64 }
	doings   map[string]*doing
	marks    atomic.Int64
	turns    atomic.Int64

	mu    sync.Mutex
	rows  map[string]string    // mark, by the id of the row that asked
	since map[string]time.Time // when it was acknowledged
}

// doing is a trigger with one action, and its effects. The rows of the function have no trigger.
type doing struct {
	promise.Ledger
	line    string
	trigger int64
	events  atomic.Int64 // acknowledged ones, which must be in the log

	entries  []entry
	complete bool
}

// New is the part.
func New(l *load.Load) load.Part { return newEffects(l) }

func newEffects(l *load.Load) *effects {
	e := &effects{
		Base: load.Base{Load: l}, doings: map[string]*doing{}, rows: map[string]string{},
		since: map[string]time.Time{},
	}
	for _, line := range Lines {
		e.doings[line] = &doing{line: line}
	}
	return e
}

func (e *effects) Clients() []load.Turns {
	each := load.Turns{Pause: 100 * time.Millisecond, Once: e.turn}
	return []load.Turns{each, each, each}
}

// turn asks for each kind of effect in turn, so that a short load asks for all of them.
func (e *effects) turn(random *rand.Rand) {
	if n := int(e.turns.Add(1)) % (len(asks) + 1); n < len(asks) {
		e.ask(random, asks[n])
		return
	}
	e.changeInSteps(random)
}

func (e *effects) mark() string { return fmt.Sprintf("%s%d", e.name, e.marks.Add(1)) }

// slots is how many rows the changes are spread over.
const slots = 6

// ask creates the row that asks for a line, until that is acknowledged.
func (e *effects) ask(random *rand.Rand, line string) {
	e.Event()
	mark := e.mark()
	row := map[string]any{
		"kind": line, "mark": mark, "slot": random.IntN(slots), "phone": fmt.Sprintf("+86138%08d", e.marks.Load()),
	}
	if line == removals {
		doomed := map[string]any{"mark": mark}
		if _, known := e.create(random, line, e.tables.doomed, mark+"/doomed", doomed); known != client.Acknowledged {
			return
		}
	}
	if line == templates && !e.addFormID(mark) {
		return
	}
	if made, known := e.create(random, line, e.tables.asks, mark, row); known != client.Refused {
		e.note(line, made, mark, known)
	}
}

// addFormID gives the user a form id for three messages, so that each run finds one that is not spent. It reports
// whether that is acknowledged.
func (e *effects) addFormID(mark string) bool {
	r := client.Request{
		Method: http.MethodPost, Path: fmt.Sprintf("/oserve/v3/user/%d/form-id/", e.user), Key: mark + "/form",
		Body: map[string]any{"vendor": "chat", "kind": "payment", "form_id": mark},
	}
	return client.Until(func() client.Reply { return e.App.Send(context.Background(), r) }) == client.Acknowledged
}

// note keeps that an event was to have an effect for a mark.
func (e *effects) note(line, row, mark string, known promise.Need) {
	e.doings[line].Ask(mark, known)
	if known == client.Acknowledged {
		e.doings[line].events.Add(1)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rows[row], e.since[mark] = mark, time.Now()
}

// create makes a row with a key, and returns its id.
func (e *effects) create(
	random *rand.Rand, line string, table int64, key string, row map[string]any,
) (string, promise.Need) {
	answer, x := e.App.Repeat(random, client.Request{
		Method: "POST", Path: client.RowsPath(table), Key: key, Body: row,
	})
	var made struct {
		ID string `json:"id"`
	}
	if err := answer.Decode(&made); err != nil && x.Known == client.Acknowledged {
		x.Wrong = err.Error()
	}
	e.Lines.Line(line).Request(x.Known, key, x.Wrong, 0)
	return made.ID, x.Known
}

// changeInSteps changes a new row some times. Each change is a webhook in its turn. The debounced action does the last
// one, and may do one before it that nothing followed in time.
func (e *effects) changeInSteps(random *rand.Rand) {
	row, known := e.create(random, ordered, e.tables.steps, e.mark(), map[string]any{"step": 0})
	if known != client.Acknowledged {
		return
	}

	last := ""
	for step := range 2 + random.IntN(3) {
		e.Event()
		mark := e.mark()
		_, x := e.App.Repeat(random, client.Request{
			Method: http.MethodPut, Path: client.UpdatesPath(e.tables.steps) + row + "/", Key: mark,
			Body: map[string]any{"mark": mark, "step": step + 1},
		})
		e.Lines.Line(ordered).Request(x.Known, mark, x.Wrong, 0)
		if x.Known == client.Refused {
			return
		}

		e.note(ordered, row, mark, x.Known)
		e.note(debounced, row, mark, client.Unknown)
		if x.Known != client.Acknowledged {
			return // of a debounced run nobody knows now whether it is the last
		}
		last = mark
		e.doings[debounced].events.Add(1)
	}
	e.doings[debounced].Ask(last, client.Acknowledged)
}

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

// Plant makes the settings, the tables, the function and a trigger for each line.
func (e *effects) Plant(ctx context.Context) (err error) {
	if e.App, err = e.Application(ctx, "effects"); err != nil {
		return err
	}
	e.name = fmt.Sprintf("effect%d.", e.App.Scope.App)
	e.receiver = NewReceiver(rand.New(rand.NewPCG(e.Seed, 7)), !e.Pace.Real)
	e.witness = load.NewWitness()
	for _, plant := range []func(context.Context) error{e.plantSettings, e.plantTables, e.plantUser} {
		if err := plant(ctx); err != nil {
			return err
		}
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
		if err := e.plantTrigger(ctx, a); err != nil {
			return fmt.Errorf("%s: %w", a.line, err)
		}
	}
	return nil
}

// plantSettings lets the application send mails, SMS and template messages.
func (e *effects) plantSettings(ctx context.Context) error {
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

func (e *effects) plantTables(ctx context.Context) (err error) {
	text := func(name string) client.Column { return client.Column{Name: name, Type: "string"} }
	number := func(name string) client.Column { return client.Column{Name: name, Type: "integer"} }
	slot, mark := client.Column{Name: "slot", Type: "integer", Indexed: true}, client.Column{
		Name: "mark", Type: "string", Indexed: true,
	}
	for _, t := range []struct {
		id      *int64
		name    string
		columns []client.Column
	}{
		{&e.tables.asks, "asks", []client.Column{text("kind"), text("mark"), number("slot"), text("phone")}},
		{&e.tables.steps, "steps", []client.Column{text("mark"), number("step")}},
		{&e.tables.made, "made", []client.Column{text("mark"), text("by"), text("job")}},
		{&e.tables.lists, "lists", []client.Column{slot, {Name: "marks", Type: "array"}, number("n")}},
		{&e.tables.doomed, "doomed", []client.Column{mark}},
	} {
		if *t.id, err = e.App.Table(ctx, t.name, t.columns...); err != nil {
			return err
		}
	}
	for slot := range slots {
		row := map[string]any{"slot": slot, "marks": []string{}, "n": 0}
		if err := e.App.Call(ctx, "POST", client.RowsPath(e.tables.lists), row, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// plantUser gives the application the user who gets template messages.
func (e *effects) plantUser(ctx context.Context) (err error) {
	tables := &manage.Service{
		Schemas: e.Cloud.TableStore(), Rows: e.Cloud.RowStore(), Clock: clock.System, IDs: new(id.Source),
	}
	users := &user.Service{Tables: tables, Clock: clock.System}
	e.user, err = users.Create(ctx, e.App.Scope, user.New{Profile: map[string]any{"openid": "ada"}})
	return err
}

// planned is an action and its flow control.
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
		{webhooks, "webhook", object{"url": e.receiver.Address(webhooks)}, nil},
		{batches, "webhook", object{"url": e.receiver.Address(batches)}, object{
			"batch": object{"size": batchSize, "seconds": int(batchTime.Seconds())}, "key": "{{ slot }}",
		}},
		{throttled, "table_operation", creation(throttled), object{
			"throttle": object{"count": throttleCount, "period_seconds": int(throttlePeriod.Seconds())},
		}},
		{ordered, "webhook", object{"url": e.receiver.Address(ordered)}, object{"ordered": true, "key": "{{ id }}"}},
		{debounced, "table_operation", creation(debounced), object{
			"debounce_seconds": int(debounceTime.Seconds()), "key": "{{ id }}",
		}},
	}
}

// plantTrigger makes the trigger of a line, and has the receiver trust its key.
func (e *effects) plantTrigger(ctx context.Context, a planned) error {
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
	if err := e.App.Call(ctx, "POST", client.TriggersPath, body, &made); err != nil {
		return err
	}

	e.doings[a.line].trigger = made.ID
	if a.kind == "webhook" {
		e.receiver.Trust(a.line, made.Actions[0].Settings.Key)
	}
	return nil
}
