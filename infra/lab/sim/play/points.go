package play

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"minicloud/shared/trigger/run"
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
func (g *Game) befell(fault, program, operation, body, of string) {
	if fault != "done" && slices.Contains(runners, program) {
		g.notePoint(stepOf(operation, body)+": "+fault, of)
	}
	if operation == "SendMessageBatch" {
		g.noteTries(body)
	}
}

// runIn finds the runs of a batch of messages.
var runIn = regexp.MustCompile(`\\"run\\":\\"([0-9a-f-]+)\\"`)

// noteTries counts how often the message of a run was sent. A queue may refuse an entry of a batch and take those behind
// it, so a message that is sent again comes after newer ones.
func (g *Game) noteTries(batch string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, found := range runIn.FindAllStringSubmatch(batch, -1) {
		g.sendTries[found[1]]++
	}
}

// noteDelivery hears of messages that come in another way than once.
func (g *Game) noteDelivery(how, queue, body string) {
	var m run.Message
	if slices.Contains(actionQueues, queue) {
		_ = json.Unmarshal([]byte(body), &m) // of others nobody knows a run
		g.notePoint("message: "+how, m.Run)
	}
}

// Where a call goes: the first table or queue that it names, and the first kind of item. Keys have the kind between two
// "#".
var (
	whereTo = regexp.MustCompile(`"(?:TableName|QueueUrl)":"(?:[^"]*/)?([^"]+)"|"(\w+Table)":`)
	kindOf  = regexp.MustCompile(`[^"]#([a-z]+)[#"]`)
)

// stepOf names a call of a worker: "Query of TriggerLogTable, flow".
func stepOf(operation, body string) string {
	of := func(where *regexp.Regexp) string {
		return strings.Join(append(where.FindStringSubmatch(body), "", "")[1:], "")
	}
	return strings.TrimRight(fmt.Sprintf("%s of %s, %s", operation, of(whereTo), of(kindOf)), ", ")
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
