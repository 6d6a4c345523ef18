package manage

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// Replay executes a run again, if it has ended or has not begun (G27). It returns errs.NotFound if the run does not
// exist, errs.Conflict while it is in progress, and errs.Invalid if the entry is about the trigger itself.
func (s *Service) Replay(ctx context.Context, scope tenant.Scope, ref run.Ref) error {
	if _, err := s.Store.Trigger(ctx, scope, ref.Trigger); err != nil {
		return err
	}
	// Store the replay before sending its message: a repeated request can send a lost message again.
	now := s.Clock.Now()
	ids, at := writetoken.IDs(writetoken.Step(ctx, "replay"), s.IDs, now)
	if err := s.Runs.Replay(ctx, scope, ref, now, ids.New(at)); err != nil {
		return err
	}
	return s.Queue.Send(ctx, 0, run.MessageOf(ref, scope))
}

// maxShown is the largest number of runs in the dry run of a range.
const maxShown = 1000

// Range chooses the runs of a trigger to replay. Its JSON is the body of the operation that replays them.
type Range struct {
	Trigger trigger.ID `json:"trigger"`
	From    time.Time  `json:"from"` // of the events of the runs, both inclusive
	To      time.Time  `json:"to"`
	All     bool       `json:"all,omitempty"` // also runs that succeeded or were skipped
	// Action and Subject limit the range to one action, and to one row, order or file. Zero values do not limit it.
	Action  trigger.ActionID `json:"action,omitempty"`
	Subject string           `json:"subject,omitempty"`
}

// filter returns the filter of the log that selects the runs of the range.
func (r Range) filter() run.Filter {
	f := run.Filter{
		From: r.From, To: r.To, Actions: true, Action: r.Action, Subject: r.Subject,
		Statuses: []run.Status{run.Failed},
	}
	if r.All {
		f.Statuses = append(f.Statuses, run.Succeeded, run.Skipped)
	}
	return f
}

// Repeat is the expected effect of replaying a run.
type Repeat struct {
	LogID string `json:"log_id"`
	action.Effect
}

// Foresee returns the number of runs in a range, and the expected effects of replaying the newest maxShown of them,
// newest first.
func (s *Service) Foresee(ctx context.Context, scope tenant.Scope, r Range) (count int, would []Repeat, err error) {
	t, err := s.Store.Trigger(ctx, scope, r.Trigger)
	if err != nil {
		return 0, nil, err
	}
	runs, err := s.Runs.List(ctx, scope, r.Trigger, r.filter(), maxShown)
	if err != nil {
		return 0, nil, err
	}

	would = make([]Repeat, len(runs))
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(replaysAtOnce)
	for i, run := range runs {
		group.Go(func() (err error) {
			would[i].LogID = run.Ref().LogID()
			would[i].Effect, err = s.ReplayEffects.Of(each, t, run)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, nil, err
	}
	if len(runs) < maxShown {
		return len(runs), would, nil
	}
	count, err = s.Runs.Count(ctx, scope, r.Trigger, r.filter())
	return count, would, err
}

// Foreseen is the expected effect of replaying a run, with the rendered settings.
type Foreseen struct {
	Repeat
	// Rendered is the settings with all templates rendered. null when the action was deleted.
	Rendered any `json:"rendered"`
}

// ForeseeOne returns the effect that Replay would have. It returns errs.Conflict while the run is in progress, and
// errs.Invalid if the entry is about the trigger itself.
func (s *Service) ForeseeOne(ctx context.Context, scope tenant.Scope, ref run.Ref) (Foreseen, error) {
	t, err := s.Store.Trigger(ctx, scope, ref.Trigger)
	if err != nil {
		return Foreseen{}, err
	}
	r, err := s.Runs.Run(ctx, scope, ref)
	switch {
	case err != nil:
		return Foreseen{}, err
	case r.Action == 0:
		return Foreseen{}, errs.Invalid("this entry of the log is about the trigger itself: there is no action to replay")
	case !r.Status.Ended():
		return Foreseen{}, errs.Conflict("the action is %s: wait until it has ended", r.Status)
	}

	seen := Foreseen{Repeat: Repeat{LogID: ref.LogID()}}
	if seen.Effect, err = s.ReplayEffects.Of(ctx, t, r); err != nil {
		return seen, err
	}
	if a, there := t.Action(r.Action); there {
		seen.Rendered = action.Preview(t, a, r.Event, s.creator(ctx, r.Event))
	}
	return seen, nil
}

// ReplayRange starts a bulk operation that replays all runs of a range.
func (s *Service) ReplayRange(ctx context.Context, scope tenant.Scope, r Range) (bulk.Operation, error) {
	if _, err := s.Store.Trigger(ctx, scope, r.Trigger); err != nil {
		return bulk.Operation{}, err
	}
	count, err := s.Runs.Count(ctx, scope, r.Trigger, r.filter())
	if err != nil {
		return bulk.Operation{}, err
	}
	// Replayed runs are no longer failed: a repeated request returns the number that the first one counted.
	if count, err = writetoken.Noted(ctx, "replay", count); err != nil {
		return bulk.Operation{}, err
	}
	body, err := json.Marshal(r)
	if err != nil {
		return bulk.Operation{}, fmt.Errorf("range of trigger %d: %w", r.Trigger, err)
	}

	ids, at := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	o := bulk.Operation{
		ID: ids.New(at), Status: bulk.StatusWaiting, Where: "{}", Body: body, Total: count, UpdatedAt: at.Unix(),
		Token: writetoken.Of(ctx, "replay"),
	}
	if err := s.Operations.InsertOperation(ctx, scope, o); err != nil {
		return o, err
	}
	return o, s.Background.Submit(ctx, scope, o.ID, 0)
}

// replaysAtOnce is the number of runs replayed in parallel.
const replaysAtOnce = 16

// replayStep is the number of runs replayed per step of a bulk operation.
const replayStep = 100

// Replayer implements bulk.Stepper for the replay of ranges.
type Replayer struct {
	Runs  run.Log
	Queue run.Queue
}

// Step replays the next runs of a range, newest first. A repeated step recognizes the runs that it has replayed by the
// id of the operation, and skips them.
func (s *Replayer) Step(
	ctx context.Context, scope tenant.Scope, o bulk.Operation, now time.Time,
) (step bulk.Step, err error) {
	var r Range
	if err := json.Unmarshal(o.Body, &r); err != nil {
		return step, fmt.Errorf("operation %d: %w", o.ID, err)
	}
	f := r.filter()
	f.Before, f.ReplayedBy = run.Place(o.Cursor), o.ID
	runs, err := s.Runs.List(ctx, scope, r.Trigger, f, replayStep)
	if err != nil {
		return step, err
	}

	refused, err := s.replayAll(ctx, scope, runs, o, now)
	if err != nil {
		return step, err
	}
	for i, why := range refused {
		step.Add(table.RowID(runs[i].Ref().LogID()), why)
	}
	if step.Last = len(runs) < replayStep; len(runs) > 0 {
		step.Cursor = table.RowID(runs[len(runs)-1].Ref().Place())
	}
	return step, nil
}

// replayAll replays runs. refused has the reason per run why it could not be replayed, nil if it was enqueued. The
// error is a failure of the platform.
func (s *Replayer) replayAll(
	ctx context.Context, scope tenant.Scope, runs []run.Run, o bulk.Operation, now time.Time,
) (refused []error, err error) {
	refused = make([]error, len(runs))
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(replaysAtOnce)
	for i, r := range runs {
		group.Go(func() error {
			err := s.Runs.Replay(each, scope, r.Ref(), now, o.ID)
			if errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindNotFound) || errs.Is(err, errs.KindInvalid) {
				refused[i] = err
				return nil
			}
			if err != nil {
				return err
			}
			return s.Queue.Send(each, 0, run.MessageOf(r.Ref(), scope))
		})
	}
	return refused, group.Wait()
}
