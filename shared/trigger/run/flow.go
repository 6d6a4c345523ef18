package run

import (
	"encoding/json"
	"time"

	"minicloud/shared/trigger"
)

// Flow controls of an action (G5) hold its runs back. A run passes them in this order, each of them only once the one
// before has let it go:
//
//	frequency ─► debounce ─► batch ─► throttle ─► ordered        (ordered first where both: see passLimits)
//
// All runs of an action whose key is the same share one FlowState. What becomes of a run is decided here, from that
// state alone; who stores runs makes the decision and the new state one transaction, so it is exact whatever comes
// twice or at the same instant.

// Gate is the flow control that a run waits at.
type Gate string

// The gates; "" is behind all of them.
const (
	GateDebounce Gate = "debounce" // until no event has come for so long
	GateBatch    Gate = "batch"    // until its batch is full, or so old
	GateThrottle Gate = "throttle" // until its window begins
	GateOrdered  Gate = "ordered"  // until the runs of its key before it have ended
)

// Flow is how far a run has come through the flow controls of its action.
type Flow struct {
	Flow  trigger.Flow // as it stood when the event came
	Key   string       // the rendered one, as FlowKey returns it
	Gate  Gate
	Until time.Time // at GateThrottle: its window ends then, and a later run needs another
	Place int64     // of an ordered run: those of its key begin in the order of it; 0 = none yet
	Batch *Ref      // the run that took its event along, of one that was skipped for it
}

// MaxBatchData is how many bytes of data one batch has at most, as JSON: what an asynchronous function takes, less
// what stands around the list. An event that is larger by itself makes a batch of its own.
const MaxBatchData = 250 << 10

// FlowState is what is remembered of the runs of one key. The zero value is that of a key that had none.
type FlowState struct {
	Newest *NewestRun  `json:"newest,omitempty"`
	Batch  *OpenBatch  `json:"batch,omitempty"`
	Window *FlowWindow `json:"window,omitempty"`
	Place  int64       `json:"place,omitempty"` // the last one given to an ordered run
}

// NewestRun is the run of the newest event that a debounced action has seen.
type NewestRun struct {
	Ref
	Waits bool `json:"waits,omitempty"` // nothing newer has come, and it has not been let go
}

// OpenBatch is a batch that takes more events. Its run is that of its first one.
type OpenBatch struct {
	Ref
	Events int `json:"events"`
	Bytes  int `json:"bytes"` // of their data
}

// FlowWindow is the last window of a throttled action in which runs have a place.
type FlowWindow struct {
	Begin int64 `json:"begin"` // Unix milliseconds
	End   int64 `json:"end"`   // Unix milliseconds, excluded
	Runs  int   `json:"runs"`
}

// FlowStep is what becomes of a run at the gates of its action.
type FlowStep struct {
	Run   Run       // as it is to be stored: pending, or skipped
	State FlowState // as it is afterwards
	// Debounced is the run that waited and is skipped, since this one is newer.
	Debounced *Ref
	// Closed is a run whose batch takes no more events, as it goes on: only ID, time, NextAttempt and Flow are set.
	Closed *Run
	// Member is the place of the run's event in the batch of Run.Flow.Batch, counted from 1.
	Member int
}

// Enter decides what becomes of the run of an event that has just come.
func (s FlowState) Enter(r Run, now time.Time) FlowStep {
	step, now := FlowStep{Run: r, State: s}, now.Truncate(time.Millisecond)
	if r.Flow.Flow.DebounceSeconds == 0 {
		step.settle(now)
		return step
	}

	if newest := s.Newest; newest != nil {
		if newest.At.After(r.CreatedAt) {
			step.Run = r.Skipped(SkippedDebounced, "a newer event of its key had come before")
			return step
		}
		if newest.Waits {
			step.Debounced = &newest.Ref
		}
	}
	step.State.Newest = &NewestRun{Ref: r.Ref(), Waits: true}
	wait := time.Duration(r.Flow.Flow.DebounceSeconds) * time.Second
	step.wait(GateDebounce, now.Add(wait))
	return step
}

// Pass decides what becomes of a run that has waited at its gate as long as it had to. Of an ordered one, those before
// it have ended.
func (s FlowState) Pass(r Run, now time.Time) FlowStep {
	step, now := FlowStep{Run: r, State: s}, now.Truncate(time.Millisecond)
	switch r.Flow.Gate {
	case GateDebounce:
		if newest := s.Newest; newest != nil && newest.ID == r.ID {
			step.State.Newest = &NewestRun{Ref: newest.Ref}
		}
		step.settle(now)
	case GateBatch:
		if s.Batch != nil && s.Batch.ID == r.ID {
			step.State.Batch = nil
		}
		step.passLimits(now)
	case GateOrdered, GateThrottle: // one that is late for its window needs another
		step.takeWindow(now)
	}
	return step
}

// Forget is the state without the runs that it believed to wait: somebody has taken them elsewhere.
func (s FlowState) Forget() FlowState {
	if s.Newest != nil {
		s.Newest = &NewestRun{Ref: s.Newest.Ref}
	}
	s.Batch = nil
	return s
}

// Outcome says in a word or a sentence what a step is for its run.
func (step FlowStep) Outcome() string {
	if step.Run.Status == Skipped {
		return step.Run.Error.Type
	}
	if why := step.Run.Waits(); why != "" {
		return why
	}
	return "run"
}

// wait has the run wait at a gate.
func (step *FlowStep) wait(at Gate, until time.Time) {
	flow := *step.Run.Flow
	flow.Gate, flow.Until = at, time.Time{}
	step.Run.Flow, step.Run.NextAttempt = &flow, until
}

// settle puts a run that is not debounced any more into a batch.
func (step *FlowStep) settle(now time.Time) {
	limit := step.Run.Flow.Flow.Batch
	if limit == nil {
		step.passLimits(now)
		return
	}

	size, open := dataSize(step.Run.Event), step.State.Batch
	if open != nil && open.Bytes+size <= MaxBatchData && open.Events < limit.Size {
		step.join(*open, size, now)
		return
	}
	if open != nil {
		step.close(open.Ref, now)
	}

	step.State.Batch = &OpenBatch{Ref: step.Run.Ref(), Events: 1, Bytes: size}
	step.wait(GateBatch, now.Add(time.Duration(limit.Seconds)*time.Second))
}

// join has an open batch take the event along.
func (step *FlowStep) join(open OpenBatch, size int, now time.Time) {
	step.Member = open.Events
	step.wait("", time.Time{})
	step.Run = step.Run.Skipped(SkippedBatched, "its event is in the batch of "+open.LogID())
	step.Run.Flow.Batch = &open.Ref

	open.Events, open.Bytes = open.Events+1, open.Bytes+size
	step.State.Batch = &open
	if open.Events >= step.Run.Flow.Flow.Batch.Size {
		step.close(open.Ref, now)
	}
}

// close lets the run of the open batch go on.
func (step *FlowStep) close(open Ref, now time.Time) {
	flow := Flow{Flow: step.Run.Flow.Flow, Key: step.Run.Flow.Key}
	r := Run{
		ID: open.ID, Trigger: open.Trigger, CreatedAt: open.At, Scope: step.Run.Scope, Status: Pending, Flow: &flow,
	}
	of := FlowStep{Run: r, State: step.State}
	of.passLimits(now)
	step.Closed, step.State = &of.Run, of.State
	step.State.Batch = nil
}

// passLimits has a run that is complete wait for those before it, or for its window. An ordered action gives a window
// only to the run whose turn it is: those behind it would miss theirs while they wait for it.
func (step *FlowStep) passLimits(now time.Time) {
	if !step.Run.Flow.Flow.Ordered {
		step.takeWindow(now)
		return
	}

	// Places grow with the clock, so that they do so also when the state was forgotten meanwhile.
	step.State.Place = max(step.State.Place+1, now.UnixMilli())
	step.wait(GateOrdered, time.Time{})
	step.Run.Flow.Place = step.State.Place
}

// takeWindow gives a run the first place that is free in a window. Windows follow each other without overlap, the
// first begins with the run that finds none.
func (step *FlowStep) takeWindow(now time.Time) {
	limit := step.Run.Flow.Flow.Throttle
	if limit == nil {
		step.wait("", time.Time{})
		return
	}

	period := int64(limit.PeriodSeconds) * 1000
	var w FlowWindow
	switch last := step.State.Window; {
	case last == nil || now.UnixMilli() >= last.End:
		w = FlowWindow{Begin: now.UnixMilli(), End: now.UnixMilli() + period}
	case last.Runs >= limit.Count:
		w = FlowWindow{Begin: last.End, End: last.End + period}
	default:
		w = *last
	}
	w.Runs++
	step.State.Window = &w

	begin := time.UnixMilli(w.Begin).UTC()
	if !begin.After(now) {
		begin = time.Time{}
	}
	step.wait(GateThrottle, begin)
	step.Run.Flow.Until = time.UnixMilli(w.End).UTC()
}

// dataSize is how many bytes an event adds to the data of its batch.
func dataSize(e trigger.Event) int {
	text, err := json.Marshal(e.Payload)
	if err != nil {
		return 0 // it was read as JSON
	}
	return len(text) + len(",")
}

// BatchData is event.data and the claims of several events at once (G5).
func BatchData(each []map[string]any) map[string]any {
	list := make([]any, len(each))
	for i, data := range each {
		list[i] = data
	}
	return map[string]any{"events": list}
}
