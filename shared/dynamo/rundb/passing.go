package rundb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// heldBack reports whether a run is pending at a gate that it may try to pass now.
func heldBack(it dynamo.Item, now time.Time) bool {
	return dynamo.TextOf(it["gate"]) != "" && dynamo.TextOf(it["status"]) == string(run.Pending) &&
		dynamo.IntegerOf(it["next"]) <= now.UnixMilli()
}

// passage is the result of a run's attempt to pass a gate.
type passage struct {
	run    run.Run
	behind bool      // other runs of its key precede it
	gate   run.Gate  // the gate at which it may begin although the gate is still stored
	ask    []run.Run // runs to enqueue: of closed batches, or an idle head
}

// pass moves a run out of its gate. It makes a Query for an ordered run and, unless the run may begin at once, a
// GetItem and a transaction. If the run has left the gate concurrently, Begin reads it again.
func (s *Runs) pass(
	ctx context.Context, scope tenant.Scope, ref run.Ref, it dynamo.Item, now time.Time,
) (p passage, err error) {
	if p.run, err = s.whole(ctx, runAt(scope, ref), it); err != nil {
		return p, err
	}
	if p.run.Flow.Place > 0 {
		if p.behind, p.ask, err = s.isBehind(ctx, p.run, now); err != nil || p.behind {
			return p, err
		}
		if p.run.Flow.Flow.Throttle == nil {
			p.gate = run.GateOrdered
			return p, nil
		}
	}

	forget := false
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		p.ask, err = s.tryPass(ctx, p.run, now, &forget)
		return err
	})
	return p, err
}

func (s *Runs) tryPass(ctx context.Context, r run.Run, now time.Time, forget *bool) ([]run.Run, error) {
	before, revision, err := s.state(ctx, r)
	if err != nil {
		return nil, err
	}
	known := before
	if *forget {
		known = before.Forget()
	}

	step := known.Pass(r, now)
	own := s.moved(step.Run, r.Flow.Gate)
	if step.Run.Status == run.Skipped {
		own = s.skipped(r.Scope, r.Ref(), r.Flow.Gate, *step.Run.Error, step.Run.Flow.Batch.LogID(), now)
	}
	parts := append([]stepPart{{own, lostRun}}, s.stepParts(step, before, revision, now)...)
	switch was, _, ok, err := s.commit(ctx, parts); {
	case err != nil:
		return nil, err
	case ok && step.Closed != nil:
		return []run.Run{*step.Closed}, nil
	// This call or another one has moved the run out of its gate: Begin reads where it is now.
	case ok, was == lostRun:
		return nil, nil
	case was == lostOther:
		*forget = true
	}
	return nil, errConcurrent
}

// headGrace is how long the first run of an order may be idle before the next one assumes that its message is lost.
const headGrace = 3 * time.Minute

// isBehind reports whether another ordered run of the key precedes r. ask is that run if it is idle, so that the caller
// enqueues it.
func (s *Runs) isBehind(ctx context.Context, r run.Run, now time.Time) (behind bool, ask []run.Run, err error) {
	first, ok, err := s.first(ctx, r)
	if err != nil || !ok || first.ID == r.ID {
		return false, nil, err
	}
	idle, err := s.idle(ctx, r.Scope, first, now, headGrace)
	if idle {
		ask = []run.Run{runAt(r.Scope, first)}
	}
	return true, ask, err
}

// first returns the first run in the order of r's key; ok is false if the order is empty.
func (s *Runs) first(ctx context.Context, r run.Run) (ref run.Ref, ok bool, err error) {
	pk := flowPK(r.Scope, r.Trigger, r.Action, r.Flow.Key)
	out, err := s.Client.Query(ctx, dynamo.Query(s.Table, pk, placeSK, placeSK+"~", false, 1))
	if err != nil {
		return ref, false, dynamo.Wrap("read order", err)
	}
	if len(out.Items) == 0 {
		return ref, false, nil
	}

	ref, err = decodePlace(out.Items[0])
	return ref, err == nil, err
}

// decodePlace returns the run that a placeItem refers to.
func decodePlace(it dynamo.Item) (run.Ref, error) {
	stored, err := dynamo.Decode[placeItem](it)
	if err != nil {
		return run.Ref{}, err
	}
	ref, err := run.ParseLogID(stored.Run)
	if err != nil {
		return ref, fmt.Errorf("place of %q: %s", stored.Run, errs.Message(err))
	}
	return ref, nil
}

// idle reports whether no worker has worked on a due run for at least grace.
func (s *Runs) idle(
	ctx context.Context, scope tenant.Scope, ref run.Ref, now time.Time, grace time.Duration,
) (bool, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, runsKey(scope, ref.Trigger), dynamo.TimeKey(ref.At, ref.ID))
	if err != nil || len(it) == 0 {
		return false, err // the place of an expired run expires at about the same time
	}
	r, err := decodeRun(runAt(scope, ref), it)
	if err != nil {
		return false, err
	}

	since := now.Add(-grace)
	switch {
	case r.Status == run.Running:
		return dynamo.IntegerOf(it["lease"]) <= since.UnixMilli(), nil
	case r.NextAttempt.IsZero() && grace > 0:
		return r.Flow != nil && r.Flow.Place <= since.UnixMilli(), nil // Place is its time of entry
	}
	return !r.NextAttempt.After(since), nil
}

// Leave makes one DeleteItem, one Query and, if another run follows, one GetItem for an ordered run, and no call for
// any other.
func (s *Runs) Leave(ctx context.Context, r run.Run, now time.Time) (*run.Run, error) {
	if r.Flow == nil || r.Flow.Place == 0 {
		return nil, nil
	}
	pk := flowPK(r.Scope, r.Trigger, r.Action, r.Flow.Key)
	err := dynamo.Do(ctx, s.Client, "leave order", nil, dynamo.Delete(s.Table, pk, placeKey(r.Flow.Place), "", nil))
	if err != nil {
		return nil, err
	}

	next, ok, err := s.first(ctx, r)
	if err != nil || !ok {
		return nil, err
	}
	// A running head already has a message; sending another would duplicate it as long as the order is not empty.
	idle, err := s.idle(ctx, r.Scope, next, now, 0)
	if err != nil || !idle {
		return nil, err
	}
	asked := runAt(r.Scope, next)
	return &asked, nil
}

// batch returns the events of a batch, oldest first; nil for a run of an action without batches. It makes one Query,
// and one BatchGetItem per 100 events.
func (s *Runs) batch(ctx context.Context, r run.Run) ([]trigger.Event, error) {
	if r.Flow == nil || r.Flow.Flow.Batch == nil {
		return nil, nil
	}
	query := dynamo.Query(s.Table, batchPK(r.Scope, r.ID), "", "", false, 0)
	members, err := dynamo.Collect(ctx, s.Client, query, decodePlace)
	if err != nil {
		return nil, err
	}

	keys := make([]dynamo.Item, len(members))
	for i, ref := range members {
		keys[i] = dynamo.Key(runsKey(r.Scope, ref.Trigger), dynamo.TimeKey(ref.At, ref.ID))
	}
	items, err := dynamo.BatchGet(ctx, s.Client, s.Table, keys...)
	if err != nil {
		return nil, dynamo.Wrap("read batch", err)
	}

	all := []trigger.Event{r.Event}
	for _, ref := range members {
		member, err := s.whole(ctx, runAt(r.Scope, ref), items[dynamo.TimeKey(ref.At, ref.ID)])
		if err != nil {
			return nil, err
		}
		all = append(all, member.Event)
	}
	// A stable sort keeps runs of the same time in the order of their arrival.
	slices.SortStableFunc(all, func(a, b trigger.Event) int { return a.At.Compare(b.At) })
	return all, nil
}
