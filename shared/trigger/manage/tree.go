package manage

import (
	"fmt"
	"time"

	"minicloud/shared/job"
	"minicloud/shared/trigger/run"
)

// Kinds of nodes (G10). Each kind is below the previous one; an event is also below the action or job that caused it.
const (
	kindRequest = "request"
	kindEvent   = "event"
	kindTrigger = "trigger"
	kindAction  = "action"
	kindAttempt = "attempt"
	kindJob     = "job"
)

// Node is a node of a trace.
type Node struct {
	Kind string `json:"kind" enum:"request,event,trigger,action,attempt,job"`
	// ID is the id: of the trace for a request, of the log entry for an action, <log entry>#<n> for an attempt.
	ID   string `json:"id"`
	Name string `json:"name"`
	At   int64  `json:"at" schema:"Milliseconds"`
	// DurationMS is the duration in milliseconds, null while the node is running. A request, an event and a trigger
	// last until the last node below has ended.
	DurationMS *int64 `json:"duration_ms"`
	// OK is whether the node succeeded. null while it is running, and for a skipped action. A request, an event and a
	// trigger succeed when all jobs and actions below do.
	OK        *bool   `json:"ok"`
	Truncated bool    `json:"truncated,omitempty"` // Whether nodes were left out.
	Children  []*Node `json:"children"`

	parent  *Node
	skipped bool
}

func (n *Node) add(child *Node) *Node {
	child.parent = n
	n.Children = append(n.Children, child)
	return child
}

// hang adds child below n. If n is below child itself, it adds child below root: forged headers of hook calls can form
// a cycle.
func (n *Node) hang(child, root *Node) {
	for up := n; up != nil; up = up.parent {
		if up == child {
			n = root
			break
		}
	}
	n.add(child)
}

// tree is a trace that is being built.
type tree struct {
	root    *Node
	runs    []run.Run
	jobs    map[string]job.Record
	causes  map[string]*Node // actions by run id, jobs by job.Record.Cause
	events  map[string]*Node
	origins []origin // of the events, in the order of their addition
}

type origin struct {
	event *Node
	cause string
}

func newTree(name string, runs []run.Run, jobs map[string]job.Record) *tree {
	return &tree{
		root: node(kindRequest, name, "", time.Time{}), runs: runs, jobs: jobs,
		causes: map[string]*Node{}, events: map[string]*Node{},
	}
}

func node(kind, id, name string, at time.Time) *Node {
	return &Node{Kind: kind, ID: id, Name: name, At: at.UnixMilli(), Children: []*Node{}}
}

// grow builds the tree and returns its root: the request, or the event if no request caused it.
func (t *tree) grow() *Node {
	for _, r := range t.runs {
		t.addRun(r)
	}
	if first, ok := t.events[t.root.ID]; ok {
		t.root = first
	}

	for _, o := range t.origins {
		if o.event != t.root {
			t.of(o.cause).hang(o.event, t.root)
		}
	}
	if t.root.Kind == kindRequest {
		t.root.At = t.root.Children[0].At
	}
	t.root.sum()
	return t.root
}

// addRun adds an action with its attempts and jobs below its trigger and its event.
func (t *tree) addRun(r run.Run) {
	event, ok := t.events[r.Event.ID]
	if !ok {
		event = node(kindEvent, r.Event.ID, string(r.Event.Kind)+" "+r.Event.Subject, r.Event.At)
		t.events[r.Event.ID] = event
		t.origins = append(t.origins, origin{event, r.Event.Cause})
	}

	number := fmt.Sprint(int64(r.Trigger))
	var fired *Node
	for _, known := range event.Children {
		if known.ID == number {
			fired = known
		}
	}
	if fired == nil {
		fired = event.add(node(kindTrigger, number, r.TriggerName, r.Event.At))
	}

	done := fired.add(node(kindAction, r.Ref().LogID(), string(r.ActionType), r.CreatedAt))
	done.skipped = r.Status == run.Skipped
	if r.Status.Ended() {
		took, ok := r.FinishedAt.Sub(r.CreatedAt).Milliseconds(), r.Status == run.Succeeded
		done.DurationMS = &took
		if !done.skipped {
			done.OK = &ok
		}
	}
	t.causes[r.ID] = done
	for i, a := range r.Attempts {
		t.addAttempt(done, r, i+1, a)
	}
}

func (t *tree) addAttempt(done *Node, r run.Run, n int, a run.Attempt) {
	name, ok := fmt.Sprintf("attempt %d", n), a.Error == ""
	if !ok {
		name += ": " + a.Error
	}
	attempt := node(kindAttempt, fmt.Sprintf("%s#%d", done.ID, n), name, time.UnixMilli(a.At))
	attempt.DurationMS, attempt.OK = &a.DurationMS, &ok
	done.add(attempt)

	if cause := startedBy(r, a); cause != "" && t.causes[cause] == nil {
		t.causes[cause] = attempt.add(t.job(cause))
	}
}

// of returns the node that caused an event or a job, the root if the cause is unknown.
func (t *tree) of(cause string) *Node {
	if known, ok := t.causes[cause]; ok {
		return known
	}
	if _, _, isJob := job.ParseCause(cause); !isJob {
		return t.root
	}

	// Register the job before resolving its own cause, so that a cycle ends here.
	child := t.job(cause)
	t.causes[cause] = child
	t.of(t.jobs[cause].Trace.Cause).hang(child, t.root)
	return child
}

func (t *tree) job(cause string) *Node {
	r, ok := t.jobs[cause]
	if !ok {
		r.Function, r.ID, _ = job.ParseCause(cause)
	}
	n := node(kindJob, fmt.Sprint(int64(r.ID)), r.Name, r.CreatedAt())
	if r.Status.Terminal() && r.Name != "" {
		from := r.CreatedAt()
		if !r.StartedAt.IsZero() {
			from = r.StartedAt
		}
		took, ok := r.FinishedAt.Sub(from).Milliseconds(), r.Status == job.StatusFulfilled
		n.At, n.DurationMS, n.OK = from.UnixMilli(), &took, &ok
	}
	return n
}

// summary combines the nodes below a node: the end of the last one, whether one is running, whether one failed.
type summary struct {
	end        int64
	open, fail bool
}

// sum sets the duration and the result of requests, events and triggers from the nodes below them.
func (n *Node) sum() summary {
	s := summary{end: n.At}
	for _, child := range n.Children {
		below := child.sum()
		s.end, s.open, s.fail = max(s.end, below.end), s.open || below.open, s.fail || below.fail
	}

	switch n.Kind {
	case kindRequest, kindEvent, kindTrigger:
		if took, ok := s.end-n.At, !s.fail; !s.open {
			n.DurationMS, n.OK = &took, &ok
		} else if s.fail {
			n.OK = &ok
		}
		return s
	case kindAttempt:
		return s // the action has its result
	}
	if n.DurationMS != nil {
		s.end = max(s.end, n.At+*n.DurationMS)
	}
	s.open = s.open || n.OK == nil && !n.skipped
	s.fail = s.fail || n.OK != nil && !*n.OK
	return s
}
