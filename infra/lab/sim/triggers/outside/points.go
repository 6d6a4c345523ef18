package outside

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"minicloud/shared/trigger/run"
)

// point is a game.Point while a game is played.
type point struct {
	Hits int
	Runs map[string]bool
}

// points are all that were hit in a game, and how often the message of a run was sent in a batch.
type points struct {
	mu        sync.Mutex
	All       map[string]*point
	SendTries map[string]int // by id
}

// NotePoint notes that something went wrong at a place in the work on a run; "" where it is of none.
func (p *points) NotePoint(where, run string) {
	if strings.HasSuffix(where, string(fine)) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.All[where]
	if at == nil {
		at = &point{Runs: map[string]bool{}}
		p.All[where] = at
	}
	at.Hits++
	if run != "" {
		at.Runs[run] = true
	}
}

// Befell hears of the calls of programs.
func (p *points) Befell(fault, program, operation, body, of string) {
	if fault != "done" && slices.Contains(Runners, program) {
		p.NotePoint(stepOf(operation, body)+": "+fault, of)
	}
	if operation == "SendMessageBatch" {
		p.noteTries(body)
	}
}

// runIn finds the runs of a batch of messages.
var runIn = regexp.MustCompile(`\\"run\\":\\"([0-9a-f-]+)\\"`)

// noteTries counts how often the message of a run was sent. A queue may refuse an entry of a batch and take those behind
// it, so a message that is sent again comes after newer ones.
func (p *points) noteTries(batch string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, found := range runIn.FindAllStringSubmatch(batch, -1) {
		p.SendTries[found[1]]++
	}
}

// NoteDelivery hears of messages that come in another way than once.
func (p *points) NoteDelivery(how, queue, body string) {
	var m run.Message
	if slices.Contains(ActionQueues, queue) {
		_ = json.Unmarshal([]byte(body), &m) // of others nobody knows a run
		p.NotePoint("message: "+how, m.Run)
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

// Runners are the machines that functions/actionrunner runs on, each with a clock of its own.
var Runners = []string{"actionrunner", "actionrunner2"}

// ActionQueues are what it works on: all runs, and those that may wait long for somebody.
var ActionQueues = []string{"ActionQueue", "SlowActionQueue"}

// Skew is how far a clock is off at most.
const Skew = 100 * time.Second

// Troubled reports whether the work on a run met a fault.
func (p *points) Troubled(id string) bool { return p.TroubledApart(id, "nowhere") }

// TroubledApart reports whether the work on a run met a fault at another place.
func (p *points) TroubledApart(id, place string) bool {
	for where, at := range p.All {
		if at.Runs[id] && !strings.HasPrefix(where, place) {
			return true
		}
	}
	return false
}
