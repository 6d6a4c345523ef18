package action

import (
	"context"
	"fmt"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Effect is what a replay of a run would do.
type Effect struct {
	// Effect is the type of the action that is done; AlreadyDone where nothing happens a second time;
	// run.SkippedDisabled where nothing happens, because it is not to; run.SkippedBatched where another run has
	// to be replayed.
	Effect string `json:"effect"`        // The type of the action that runs, or already_done, disabled, batched.
	Why    string `json:"why,omitempty"` // The effects that are already done, or the reason why nothing is repeated.
}

// Started finds the job that was accepted under a write token; a job.Store does.
type Started interface {
	// Started returns errs.NotFound when no job was.
	Started(ctx context.Context, scope tenant.Scope, token string) (job.Started, error)
}

// Messages counts the messages of a run that were claimed.
type Messages interface {
	// Messages returns the numbers of sent messages and of those with an unknown result; it counts only the first
	// thousands.
	Messages(ctx context.Context, scope tenant.Scope, run string) (sent, unknown int, err error)
}

// ReplayEffects predicts the effect of a replay. It makes the checks of the executor and the doers in their order: the run
// had its effect; it is not to be done; marks, jobs and claims.
type ReplayEffects struct {
	Marks    Marks
	Jobs     Started
	Messages Messages
}

// Of returns the effect of replaying a run of a trigger that has ended. Where a run that has failed may have done
// something it is one read more: two for a message.
func (f *ReplayEffects) Of(ctx context.Context, t trigger.Trigger, r run.Run) (Effect, error) {
	if r.Error != nil && r.Error.Type == run.SkippedBatched {
		return Effect{run.SkippedBatched, r.Error.Message}, nil
	}
	if found(r) {
		return Effect{Effect: AlreadyDone}, nil
	}
	if why := refusal(t, r.Action); why != "" {
		return Effect{run.SkippedDisabled, why}, nil
	}

	e := Effect{Effect: string(r.ActionType)}
	switch r.ActionType.Definition().Proof {
	case trigger.ProofRun:
		switch {
		case r.HasDone:
			e.Why = "it was delivered, and is delivered again"
		case r.Error != nil && r.Error.Type == Interrupted:
			e.Why = "it is unknown whether it was sent: perhaps for the second time"
		}
	case trigger.ProofMark:
		return f.rows(ctx, r, e)
	case trigger.ProofJob:
		return f.job(ctx, r, e)
	case trigger.ProofClaims:
		return f.messages(ctx, r, e)
	}
	return e, nil
}

// rows looks at the mark of a table operation.
func (f *ReplayEffects) rows(ctx context.Context, r run.Run, e Effect) (Effect, error) {
	mark, err := f.Marks.Mark(ctx, r.Scope, r.ID)
	switch {
	case errs.Is(err, errs.KindNotFound):
		return e, nil
	case err != nil:
		return e, fmt.Errorf("mark of run %s: %w", r.ID, err)
	case mark.Status.Over() && mark.Failed == 0:
		return Effect{AlreadyDone, fmt.Sprintf("%d rows were changed", mark.Succeeded)}, nil
	}
	e.Why = fmt.Sprintf("%d rows were changed, and are left alone", mark.Succeeded)
	return e, nil
}

// job looks for the job that a run has started.
func (f *ReplayEffects) job(ctx context.Context, r run.Run, e Effect) (Effect, error) {
	started, err := f.Jobs.Started(ctx, r.Scope, startToken(r))
	switch {
	case errs.Is(err, errs.KindNotFound):
		return e, nil
	case err != nil:
		return e, fmt.Errorf("job of run %s: %w", r.ID, err)
	}
	return Effect{AlreadyDone, fmt.Sprintf("job %d was started", started.Job)}, nil
}

// messages counts what was sent of a message to many.
func (f *ReplayEffects) messages(ctx context.Context, r run.Run, e Effect) (Effect, error) {
	sent, unknown, err := f.Messages.Messages(ctx, r.Scope, r.ID)
	if err != nil {
		return e, fmt.Errorf("messages of run %s: %w", r.ID, err)
	}
	if sent > 0 {
		e.Why = fmt.Sprintf("%d messages were sent, and are not sent again", sent)
	}
	if unknown > 0 {
		if e.Why != "" {
			e.Why += "; "
		}
		e.Why += fmt.Sprintf("of %d it is unknown whether they were sent", unknown)
		if r.Error != nil && r.Error.Type == Interrupted { // its owner has been told, and has them sent
			e.Why += ": perhaps for the second time"
		}
	}
	return e, nil
}

// found reports whether a run is found done without asking its doer. A delivery is sent again (G27).
func found(r run.Run) bool { return r.HasDone && !r.ActionType.Definition().Delivers }

// refusal says why an action is not to be done as its trigger stands, "" where it is.
func refusal(t trigger.Trigger, a trigger.ActionID) string {
	if !t.Enabled {
		return "the trigger is disabled"
	}
	if _, there := t.Action(a); !there {
		return "the action was removed from its trigger"
	}
	return t.Stopped[a]
}

// startToken is the write token under which a run starts its job.
func startToken(r run.Run) string {
	return writetoken.Named(r.ID, r.CreatedAt.Add(run.Keep))
}
