package run

import (
	"encoding/json"
	"time"

	"minicloud/shared/trigger"
)

// The flow controls of an action (G5) delay its runs. A run passes them in this order, one after the other:
//
//	frequency ─► debounce ─► batch ─► throttle ─► ordered        (with both, ordered before throttle: see passLimits)
//
// All runs of an action with the same key share one FlowState. The decision about a run depends on that state alone.
// Stores write the decision and the new state in one transaction, so repeated and concurrent events cannot break a
// limit.

// Gate is the flow control at which a run waits.
type Gate string

// The gates; "" means that the run has passed all of them.
const (
	GateDebounce Gate = "debounce" // until no event has arrived for DebounceSeconds
	GateBatch    Gate = "batch"    // until its batch is full or Seconds old
	GateThrottle Gate = "throttle" // until its throttle window begins
	GateOrdered  Gate = "ordered"  // until all earlier runs of its key have ended
)

// Flow is the progress of a run through the flow controls of its action.
type Flow struct {
	Flow  trigger.Flow // the settings when the event arrived
	Key   string       // the rendered key, hashed if it is long
	Gate  Gate
	Until time.Time // end of its window at GateThrottle; a run that begins later needs another window
	Place int64     // sequence number of an ordered run within its key; 0 = none yet
	Batch *Ref      // the run whose batch has the event; set if this run was skipped as batched
}

// MaxBatchData is the maximum size of the data of one batch in bytes, as JSON. A function takes the list as its data,
// so it is below job.MaxEventData. A larger event makes a batch of its own.
const MaxBatchData = 250 << 10

// FlowState is the stored flow-control state of the runs of one key. The zero value is the state of a key without runs.
type FlowState struct {
	Newest *NewestRun  `json:"newest,omitempty"`
	Batch  *OpenBatch  `json:"batch,omitempty"`
	Window *FlowWindow `json:"window,omitempty"`
	Place  int64       `json:"place,omitempty"` // the last Flow.Place assigned
}

// NewestRun is the run of the newest event of a debounced action.
type NewestRun struct {
	Ref
	Waits bool `json:"waits,omitempty"` // the run still waits at GateDebounce
}

// OpenBatch is a batch that accepts more events. Its run is the run of its first event.
type OpenBatch struct {
	Ref
	Events int `json:"events"`
	Bytes  int `json:"bytes"` // size of the data of the events
}

// FlowWindow is the latest throttle window that has runs assigned.
type FlowWindow struct {
	Begin int64 `json:"begin"` // Unix milliseconds
	End   int64 `json:"end"`   // Unix milliseconds, exclusive
	Runs  int   `json:"runs"`
}

// FlowStep is the decision about a run at a gate.
type FlowStep struct {
	Run   Run       // the run to store: pending or skipped
	State FlowState // the new state of the key
	// Debounced is the waiting run that must be skipped, because this run is newer.
	Debounced *Ref
	// Closed is the run of a batch that was closed and now moves to its next gate. Only its ID, Trigger, CreatedAt,
	// Scope, Status, NextAttempt and Flow are set.
	Closed *Run
	// Member is the position of the event in the batch that it joined, from 1; the event of the batch's own run comes
	// first. 0 = it joined no batch.
	Member int
}

// Enter decides about the run of a new event.
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

// Pass decides about a run whose wait at its gate is over. The caller must make sure that all runs before an ordered
// run have ended.
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
	case GateOrdered, GateThrottle: // a run that missed its window needs another one
		step.takeWindow(now)
	}
	return step
}

// Forget returns the state without its waiting runs. Stores use it if one of them no longer waits at its gate, because
// a concurrent operation moved it.
func (s FlowState) Forget() FlowState {
	if s.Newest != nil {
		s.Newest = &NewestRun{Ref: s.Newest.Ref}
	}
	s.Batch = nil
	return s
}

// Outcome describes the step for its run: the reason why the run is skipped or waits, or "run".
func (step FlowStep) Outcome() string {
	if step.Run.Status == Skipped {
		return step.Run.Error.Type
	}
	if why := step.Run.Waits(); why != "" {
		return why
	}
	return "run"
}

// wait makes the run wait at a gate until the given time.
func (step *FlowStep) wait(at Gate, until time.Time) {
	flow := *step.Run.Flow
	flow.Gate, flow.Until = at, time.Time{}
	step.Run.Flow, step.Run.NextAttempt = &flow, until
}

// settle continues after the debounce gate: it puts the run into a batch or passes it on.
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

// join adds the event to an open batch and skips the run. It closes the batch when it is full.
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

// close closes the open batch and passes its run on.
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

// passLimits makes a run wait for its turn or its throttle window. An ordered run gets a window only when its turn
// comes: a window assigned earlier could end while the run waits for the runs before it.
func (step *FlowStep) passLimits(now time.Time) {
	if !step.Run.Flow.Flow.Ordered {
		step.takeWindow(now)
		return
	}

	// Places follow the clock, so that they keep growing even after the stored state has expired.
	step.State.Place = max(step.State.Place+1, now.UnixMilli())
	step.wait(GateOrdered, time.Time{})
	step.Run.Flow.Place = step.State.Place
}

// takeWindow assigns the run to the first window with a free place. Windows follow each other without overlap; if the
// last one has ended, a new one begins now.
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

// dataSize returns the number of bytes that an event adds to the data of its batch.
func dataSize(e trigger.Event) int {
	text, err := json.Marshal(e.Payload)
	if err != nil {
		return 0 // cannot happen: the payload was decoded from JSON
	}
	return len(text) + len(",")
}

// BatchData returns event.data, or the webhook claims, of a run with several events (G5).
func BatchData(each []map[string]any) map[string]any {
	list := make([]any, len(each))
	for i, data := range each {
		list[i] = data
	}
	return map[string]any{"events": list}
}
