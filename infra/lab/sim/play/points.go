package play

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/trigger"
)

// Point is a place where something went wrong in the work on an action.
type Point struct {
	Hits     int
	Outcomes map[string]int // of the runs it was hit in, what became of them
}

// point is one while a game is played.
type point struct {
	hits int
	runs map[string]bool
}

// notePoint notes that something went wrong at a place in the work on a run; "" where it is of none.
func (g *Game) notePoint(where, run string) {
	if strings.HasSuffix(where, string(fine)) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.points[where]
	if p == nil {
		p = &point{runs: map[string]bool{}}
		g.points[where] = p
	}
	p.hits++
	if run != "" {
		p.runs[run] = true
	}
}

// befell hears of the calls of programs.
func (g *Game) befell(fault, program, operation string, body []byte, of string) {
	if fault != "done" && slices.Contains(runners, program) {
		g.notePoint(stepOf(operation, string(body))+": "+fault, of)
	}
}

// noteDelivery hears of messages that come in another way than once.
func (g *Game) noteDelivery(how, queue, body string) {
	var m trigger.Message
	if slices.Contains(actionQueues, queue) {
		_ = json.Unmarshal([]byte(body), &m) // of others nobody knows a run
		g.notePoint("message: "+how, m.Run)
	}
}

// steps are the calls of a worker, by what stands in them.
var steps = []struct {
	name, operation string
	has             []string
}{
	{"begin", "UpdateItem", []string{"tries = if_not_exists"}},
	{"end", "UpdateItem", []string{"#finished"}},
	{"put off", "UpdateItem", []string{"#progress", "#next"}},
	{"put off", "UpdateItem", []string{"#attempts", "#next"}},
	{"claim", "UpdateItem", []string{"claimed_by"}},
	{"note that it was sent", "UpdateItem", []string{"sent_at"}},
	{"give a claim back", "DeleteItem", []string{"#message#"}},
	{"claim and times of a number", "TransactWriteItems", []string{"#message#"}},
	{"times of a number", "GetItem", []string{"#number"}},
	{"claim of a number", "GetItem", []string{"#message#"}},
	{"messages that were claimed", "Query", []string{"#message#"}},
	{"form ids", "Query", []string{"form#"}},
	{"spend a form id", "UpdateItem", []string{"form#", "ADD spent"}},
	{"give a form id back", "UpdateItem", []string{"form#", "DELETE spent"}},
	{"void a form id", "UpdateItem", []string{"form#", "sends ="}},
	{"access token", "GetItem", []string{"token#"}},
	{"lease an access token", "UpdateItem", []string{"token#", "leased_until = :until"}},
	{"keep an access token", "UpdateItem", []string{"token#", "token_box"}},
	{"trigger that is gone", "GetItem", []string{"#gone"}},
	{"trigger", "GetItem", []string{"TriggersTable"}},
	{"setting", "GetItem", []string{"SettingsTable"}},
	{"application", "GetItem", []string{"ApplicationsTable"}},
	{"function", "GetItem", []string{"FunctionsTable"}},
	{"code of a function", "BatchGetItem", []string{"FunctionsTable"}},
	{"job that was started", "GetItem", []string{"JobsTable"}},
	{"announce a job", "UpdateItem", []string{"JobsTable"}},
	{"announce a job", "PutItem", []string{"JobsTable"}},
	{"job and its token", "TransactWriteItems", []string{"JobsTable"}},
	{"schema", "GetItem", []string{"TablesTable"}},
	{"rows and mark", "TransactWriteItems", []string{"#mark#"}},
	{"mark", "GetItem", []string{"#mark#"}},
	{"find rows", "Query", []string{"RowsTable"}},
	{"find rows", "Query", []string{"RowIndexesTable"}},
	{"read rows", "BatchGetItem", []string{"RowsTable"}},
	{"pass a gate", "TransactWriteItems", []string{"#flow#"}},
	{"state of a key", "GetItem", []string{"#flow#"}},
	{"first of an order", "Query", []string{"#flow#"}},
	{"leave an order", "DeleteItem", []string{"#flow#"}},
	{"events of a batch", "Query", []string{"#batch#"}},
	{"runs of a batch", "BatchGetItem", []string{"#run#"}},
	{"run before it", "GetItem", []string{"#run#"}},
	{"line up for a rate", "UpdateItem", []string{"#rate#", "#line"}},
	{"rate", "UpdateItem", []string{"#rate#"}},
	{"note how a receiver does", "UpdateItem", []string{"failing_"}},
	{"disable an action", "TransactWriteItems", []string{"TriggersTable"}},
	{"table of a disabled action", "UpdateItem", []string{"TablesTable"}},
	{"plan a wake", "PutItem", []string{`"wake"`}},
	{"ask again", "SendMessage", []string{"/actions"}},
	{"ask again apart", "SendMessage", []string{"/slow-actions"}},
	{"note that a receiver is slow", "UpdateItem", []string{"slow_"}},
	{"send a job", "SendMessage", []string{"/jobs"}},
	{"refuse a message", "SendMessage", []string{"/action-dead"}},
}

// stepOf names a call of a worker.
func stepOf(operation, body string) string {
	for _, s := range steps {
		if s.operation == operation && !slices.ContainsFunc(s.has, func(part string) bool {
			return !strings.Contains(body, part)
		}) {
			return s.name
		}
	}
	return operation
}

// pointsHit says what became of the runs that something went wrong with.
func (g *Game) pointsHit(runs []storedRun) map[string]Point {
	outcome := map[string]string{}
	sent, each := map[string]int{}, map[string]int{}
	for _, e := range g.outside.effects {
		each[e.run+e.to]++
		sent[e.run] = max(sent[e.run], each[e.run+e.to])
	}
	for _, r := range runs {
		switch {
		case r.status == "skipped" || r.status == "failed":
			outcome[r.id] = r.status + " as " + r.why
		case sent[r.id] > 1:
			outcome[r.id] = fmt.Sprintf("%s, sent %d times", r.status, sent[r.id])
		default:
			outcome[r.id] = r.status
		}
	}

	all := map[string]Point{}
	for where, p := range g.points {
		out := Point{Hits: p.hits, Outcomes: map[string]int{}}
		for run := range p.runs {
			if o := outcome[run]; o != "" {
				out.Outcomes[o]++
			}
		}
		all[where] = out
	}
	return all
}
