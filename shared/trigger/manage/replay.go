package manage

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/writetoken"
)

// Replay has one run done once more: one that has ended, or that nobody has begun (G27). errs.NotFound, errs.Conflict
// while it is under way.
func (s *Service) Replay(ctx context.Context, scope tenant.Scope, ref trigger.Ref) error {
	if _, err := s.Store.Trigger(ctx, scope, ref.Trigger); err != nil {
		return err
	}
	return s.replay(ctx, scope, ref)
}

// replay stores that the run is pending before it asks for it: a message that is lost can be asked for again.
func (s *Service) replay(ctx context.Context, scope tenant.Scope, ref trigger.Ref) error {
	if err := s.Runs.Replay(ctx, scope, ref, s.Clock.Now()); err != nil {
		return err
	}
	return s.Queue.Send(ctx, trigger.MessageOf(ref, scope), fmt.Sprint(int64(scope.App)), 0)
}

// MaxReplayed is how many runs one request has done once more.
const MaxReplayed = 1000

// Range chooses the runs of a trigger to replay.
type Range struct {
	From, To time.Time // of their events, both included
	All      bool      // also those that succeeded or were skipped
}

// Choose returns the runs that a range means, newest first. errs.Invalid when there are too many.
func (s *Service) Choose(
	ctx context.Context, scope tenant.Scope, number trigger.ID, r Range,
) ([]trigger.Run, error) {
	if _, err := s.Store.Trigger(ctx, scope, number); err != nil {
		return nil, err
	}
	f := trigger.RunFilter{From: r.From, To: r.To, Actions: true, Statuses: []trigger.RunStatus{trigger.RunFailed}}
	if r.All {
		f.Statuses = append(f.Statuses, trigger.RunSucceeded, trigger.RunSkipped)
	}
	runs, err := s.Runs.List(ctx, scope, number, f, MaxReplayed+1)
	if err == nil && len(runs) > MaxReplayed {
		err = errs.Invalid("from and to name more than %d actions: choose a shorter time", MaxReplayed)
	}
	return runs, err
}

// Effect says what replaying a run does (G27).
func Effect(r trigger.Run) string {
	if (r.HasDone || r.Status == trigger.RunSucceeded) && r.ActionType != trigger.Webhook {
		return "already_done"
	}
	return string(r.ActionType)
}

// ReplayRange has all runs that a range means done once more, and keeps what came of it as an operation.
func (s *Service) ReplayRange(
	ctx context.Context, scope tenant.Scope, number trigger.ID, r Range,
) (bulk.Operation, error) {
	runs, err := s.Choose(ctx, scope, number, r)
	if err != nil {
		return bulk.Operation{}, err
	}
	names := make([]string, len(runs))
	for i, run := range runs {
		names[i] = run.Ref().LogID()
	}
	// Afterwards they have not failed any more, and a repetition would not find them.
	if names, err = writetoken.Noted(ctx, "replay", names); err != nil {
		return bulk.Operation{}, err
	}

	ids, at := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	o := bulk.Operation{
		ID: ids.New(at), Status: bulk.StatusFinished, Where: "{}", Total: len(names), UpdatedAt: at.Unix(),
		FinishedAt: at.Unix(), Token: writetoken.Of(ctx, "replay"),
	}
	if err := s.replayAll(ctx, scope, names, &o); err != nil {
		return o, err
	}
	return o, s.Operations.InsertOperation(ctx, scope, o)
}

// replaysAtOnce is how many runs are replayed at a time.
const replaysAtOnce = 16

// replayAll counts in the operation what was asked for and what is under way again. An error is that of the platform.
func (s *Service) replayAll(ctx context.Context, scope tenant.Scope, names []string, o *bulk.Operation) error {
	refused := make([]error, len(names))
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(replaysAtOnce)
	for i, name := range names {
		group.Go(func() error {
			ref, err := trigger.ParseLogID(name)
			if err == nil {
				err = s.replay(each, scope, ref)
			}
			if errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindNotFound) {
				refused[i], err = err, nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}

	for i, err := range refused {
		if err == nil {
			o.Succeeded++
			continue
		}
		if o.Failed++; len(o.Errors) < bulk.MaxErrors {
			o.Errors = append(o.Errors, bulk.RowError{
				Row: table.RowID(names[i]), Kind: errs.KindOf(err), Message: errs.Message(err),
			})
		}
	}
	return nil
}

// Operations keeps what came of a range.
type Operations interface {
	// InsertOperation is that of bulk.Store.
	InsertOperation(ctx context.Context, scope tenant.Scope, o bulk.Operation) error
}
