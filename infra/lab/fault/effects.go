package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/promise"
	"minicloud/shared/id"
	"minicloud/shared/user"
)

// The actions whose effects are counted, each a line of the table. A row whose kind is the line asks for one.
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

// asks are the lines that a row of the table "asks" asks for.
var asks = []string{mails, texts, templates, creations, changes, removals, functions, webhooks, batches, throttled}

// effectLines are all lines, in the order of the table.
var effectLines = append(asks[:len(asks):len(asks)], ordered, debounced, ownRows)

// messages are the lines of what is sent once, or not by itself again: of one whose worker died nobody knows whether it
// was sent.
var messages = []string{mails, texts, templates}

// What flow controls hold back.
const (
	batchSize      = 3
	batchTime      = 2 * time.Second
	throttleCount  = 2
	throttlePeriod = 2 * time.Second
	debounceTime   = time.Second
)

// effects is the load of rows whose triggers have something done, and what must have come of it.
type effects struct {
	app      *Application
	platform *Platform
	name     string // marks begin with it
	quick    bool   // receivers do not take long
	slots    chan struct{}

	receiver *Receiver
	function id.ID
	user     user.ID // who gets template messages
	tables   struct{ asks, steps, made, lists, doomed int64 }
	doings   map[string]*doing
	marks    atomic.Int64
	asked    atomic.Int64

	mu       sync.Mutex
	rows     map[string]string    // mark, by the id of the row that asked
	born     map[string]time.Time // when a mark was made, before it was sent
	since    map[string]time.Time // when it was acknowledged
	made     map[string]string    // mark, by the id of the row that an action made
	failures []string
}

// doing is a trigger with one action, and what that must do. The rows of the function have no trigger.
type doing struct {
	promise.Ledger
	line    string
	trigger int64
	events  atomic.Int64 // that have happened for sure, and must be in the log

	entries  []entry
	complete bool
}

func newEffects(p *Platform, app *Application, name string, quick bool) *effects {
	e := &effects{
		app: app, platform: p, name: strings.ReplaceAll(name, " ", "") + ".", quick: quick, doings: map[string]*doing{},
		rows: map[string]string{}, since: map[string]time.Time{},
		born: map[string]time.Time{}, made: map[string]string{},
	}
	for _, line := range effectLines {
		e.doings[line] = &doing{line: line}
	}
	return e
}

func (e *effects) clients() []client {
	once := func(random *rand.Rand) { e.turn(random) }
	return []client{
		{200 * time.Millisecond, once}, {200 * time.Millisecond, once},
		{100 * time.Millisecond, func(*rand.Rand) { e.app.look() }},
	}
}

// turn asks for something, and returns how many events it has made.
func (e *effects) turn(random *rand.Rand) int {
	if e.slots != nil {
		e.slots <- struct{}{}
		defer func() { <-e.slots }()
	}

	n := random.IntN(len(asks) + 1)
	if n == len(asks) {
		return e.walk(random)
	}
	e.ask(random, asks[n])
	return 1
}

func (e *effects) mark() string {
	mark := fmt.Sprintf("%s%d", e.name, e.marks.Add(1))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.born[mark] = time.Now()
	return mark
}

// ask creates the row that asks for a line, until that is acknowledged.
func (e *effects) ask(random *rand.Rand, line string) {
	mark := e.mark()
	row := map[string]any{
		"kind": line, "mark": mark, "slot": random.IntN(slotsOfLists),
		"phone": fmt.Sprintf("+86138%08d", e.marks.Load()),
	}
	if line == removals {
		doomed := map[string]any{"mark": mark}
		if _, known := e.create(random, e.tables.doomed, mark+"/doomed", doomed); known != acknowledged {
			return
		}
	}
	if line == templates && !e.addFormID(mark) {
		return
	}

	if made, known := e.create(random, e.tables.asks, mark, row); known != refused {
		e.note(line, made, mark, known)
	}
}

// addFormID gives the user a form id for three messages, more than the one that is asked for: so each run finds one
// that is not spent. It reports whether that is acknowledged.
func (e *effects) addFormID(mark string) bool {
	r := request{
		method: http.MethodPost, path: fmt.Sprintf("/oserve/v3/user/%d/form-id/", e.user), key: mark + "/form",
		body: map[string]any{"vendor": "chat", "kind": "payment", "form_id": mark},
	}
	begun := time.Now()
	answer := e.app.send(context.Background(), r)
	for again(answer) && time.Since(begun) < repeatFor {
		time.Sleep(repeatAfter)
		answer = e.app.send(context.Background(), r)
	}
	known := answer.effect(r.key).known
	if known == refused {
		e.fail("form id %s: %d %s", mark, answer.status, answer.body)
	}
	return known == acknowledged
}

// note keeps that an event was to have something done for a mark, and whether it is known to have happened.
func (e *effects) note(line, row, mark string, known promise.Need) {
	e.asked.Add(1)
	e.doings[line].Ask(mark, known)
	if known == acknowledged {
		e.doings[line].events.Add(1)
	}

	e.mu.Lock()
	defer e.mu.Unlock()
	e.rows[row], e.since[mark] = mark, time.Now()
}

// create makes a row with a key, and returns its id.
func (e *effects) create(random *rand.Rand, table int64, key string, row map[string]any) (string, promise.Need) {
	answer, known := e.app.repeat(random, request{method: "POST", path: rowsPath(table), key: key, body: row})
	var made struct {
		ID string `json:"id"`
	}
	if err := answer.decode(&made); err != nil || known.wrong != "" {
		e.fail("create %s: %v %s", key, err, known.wrong)
	}
	return made.ID, known.known
}

func (e *effects) fail(format string, a ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failures = append(e.failures, fmt.Sprintf(format, a...))
}

// walk changes a new row some times. Each change is a webhook in its turn; the debounced action does the last one,
// and may do one before it that nothing followed in time.
func (e *effects) walk(random *rand.Rand) (events int) {
	row, known := e.create(random, e.tables.steps, e.mark(), map[string]any{"step": 0})
	if known != acknowledged {
		return 1
	}

	last := ""
	for step := range 2 + random.IntN(3) {
		mark := e.mark()
		change := map[string]any{"mark": mark, "step": step + 1}
		answer, tried := e.app.repeat(random, request{
			method: http.MethodPut, path: updatesPath(e.tables.steps) + row + "/", key: mark, body: change,
		})
		if err := answer.failure(); err != nil || tried.wrong != "" {
			e.fail("change %s: %v %s", mark, err, tried.wrong)
		}

		events++
		e.note(ordered, row, mark, tried.known)
		e.note(debounced, row, mark, unknown)
		if tried.known == acknowledged {
			last = mark
			e.doings[debounced].events.Add(1)
			continue
		}
		return events
	}
	e.doings[debounced].Ask(last, acknowledged)
	return events
}

// makeTables makes the tables of the load.
func (e *effects) makeTables(ctx context.Context) (err error) {
	for _, t := range []struct {
		id      *int64
		name    string
		columns []column
	}{
		{&e.tables.asks, "asks", []column{
			{"kind", "string", false}, {"mark", "string", false}, {"slot", "integer", false}, {"phone", "string", false},
		}},
		{&e.tables.steps, "steps", []column{{"mark", "string", false}, {"step", "integer", false}}},
		{&e.tables.made, "made", []column{
			{"mark", "string", false}, {"by", "string", false}, {"job", "string", false},
		}},
		{&e.tables.lists, "lists", []column{
			{"slot", "integer", true}, {"marks", "array", false}, {"n", "integer", false},
		}},
		{&e.tables.doomed, "doomed", []column{{"mark", "string", true}}},
	} {
		if *t.id, err = e.app.makeTable(ctx, t.name, t.columns...); err != nil {
			return err
		}
	}

	for slot := range slotsOfLists {
		row := map[string]any{"slot": slot, "marks": []string{}, "n": 0}
		if err := e.app.call(ctx, "POST", rowsPath(e.tables.lists), row, &struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// slotsOfLists is how many rows the changes are spread over.
const slotsOfLists = 6
