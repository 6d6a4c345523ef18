package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// chains checks the chains of messages that programs send to themselves, without the code of package chain: a message
// about the same work says how many came before it, and how many of these made no progress. It knows progress from what
// is stored.
type chains struct {
	consumers map[string]string   // the program of each queue
	received  map[string]received // by the id of the message
	worked    map[worked]bool     // the work on a message that made progress
}

// received is a message as a program got it.
type received struct {
	queue, body, chain string
	stored             string // the progress of its work then
}

// worked is the work of one invocation on a message.
type worked struct {
	during  *invocation
	message string
}

// noteReceived remembers a message that a program gets.
func (w *World) noteReceived(id string, m received) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.stored = w.storedProgress(m)
	w.chains.received[id] = m
}

// subject is what a message is about: the members that the messages of all queues have.
type subject struct {
	Scope, Run, Index        string
	Trigger, At              int64
	Function, Job, Operation int64
	Table                    int64
	Callback, Build          bool

	// Values that change while the work goes on.
	After              string
	Slow, Built, Noted bool
}

func subjectOf(body string) (s subject) {
	_ = json.Unmarshal([]byte(body), &s) // invalid messages are about nothing
	return s
}

// work is the subject without what changes while the work goes on.
func (s subject) work() subject {
	s.After, s.Slow, s.Built, s.Noted = "", false, false, false
	return s
}

// storedProgress is how far the work of a message is, as far as items say it.
func (w *World) storedProgress(m received) string {
	s := subjectOf(m.body)
	attributes := func(table, pk, sk string, names ...string) string {
		item, text := w.DB.Get(table, pk, sk), ""
		for _, name := range names {
			text += fmt.Sprint(item[name], " ")
		}
		return text
	}
	switch {
	case s.Run != "":
		pk, sk := fmt.Sprintf("%s#run#%d", s.Scope, s.Trigger), fmt.Sprintf("%d#%s", s.At, s.Run)
		attempts := attributes("TriggerLogTable", pk, sk, "attempts")
		// The next worker notes an attempt whose worker died: that is no progress.
		made := strings.Count(attempts, "StatusCode") - strings.Count(attempts, "lost: the worker died")
		return fmt.Sprint(made, attributes("TriggerLogTable", pk, sk, "progress"))
	case s.Operation != 0:
		return attributes("RowIndexesTable", s.Scope+"#operation", fmt.Sprintf("%016d", s.Operation), "revision")
	case s.Callback:
		return attributes("JobsTable", fmt.Sprintf("%s#callback#%016d", s.Scope, s.Function), fmt.Sprintf("%016d", s.Job),
			"attempts")
	}
	return ""
}

// progressing makes a call of the database, and notes whether the work on its message got further by it.
func (w *World) progressing(c *call, change func()) {
	w.mu.Lock()
	m, known := w.chains.received[c.message]
	w.mu.Unlock()
	reads := slices.Contains([]string{"GetItem", "Query", "BatchGetItem", "Scan"}, c.operation)
	if !known || reads {
		change()
		return
	}

	before := w.storedProgress(m)
	change()
	if w.storedProgress(m) != before {
		w.mu.Lock()
		w.chains.worked[worked{c.during, c.message}] = true
		w.mu.Unlock()
	}
}

// checkChain checks the place that a message says it has in its chain.
func (w *World) checkChain(c *call) {
	var next struct {
		QueueUrl, MessageBody string
		MessageAttributes     map[string]struct{ StringValue string }
	}
	_ = json.Unmarshal(c.body, &next) // of the SDK
	w.mu.Lock()
	m, known := w.chains.received[c.message]
	progressed := w.chains.worked[worked{c.during, c.message}]
	queue := next.QueueUrl[strings.LastIndex(next.QueueUrl, "/")+1:]
	own := w.chains.consumers[m.queue] == w.chains.consumers[queue]
	w.mu.Unlock()
	if !known || w.OnChain == nil {
		return
	}

	says, linked := next.MessageAttributes["Chain"]
	before, now := subjectOf(m.body), subjectOf(next.MessageBody)
	if !own || before.work() != now.work() {
		if linked {
			w.OnChain(fmt.Sprintf("%s goes on with the chain of %s", next.MessageBody, m.body))
		}
		return
	}

	generation, idle := parseChain(m.chain)
	waits := fmt.Sprintf("%d %d", generation+1, idle+1)
	progress := fmt.Sprintf("%d 0", generation+1)
	want := []string{waits, progress}
	switch {
	case now.Build: // its messages say how far it is
		want = []string{waits}
		if now.After != before.After || now.Built != before.Built {
			want = []string{progress}
		}
	case progressed:
		want = []string{progress}
	case now.Slow != before.Slow: // a run that moves to the slow queue
	case m.stored != "" && w.storedProgress(m) == m.stored: // nor has another worker got further
		want = []string{waits}
	}
	if !slices.Contains(want, says.StringValue) {
		w.OnChain(fmt.Sprintf("after %q of %s comes %q, want %v", m.chain, m.body, says.StringValue, want))
	}
}

// parseChain reads the attribute of a message; of the first one it is missing.
func parseChain(text string) (generation, idle int) {
	_, _ = fmt.Sscanf(cmp.Or(text, "0 0"), "%d %d", &generation, &idle)
	return generation, idle
}
