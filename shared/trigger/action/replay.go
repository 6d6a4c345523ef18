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

// Effect is the expected effect of a replay of a run.
type Effect struct {
	// Effect is the type of the action if it is executed; AlreadyDone if its effect has already happened;
	// run.SkippedDisabled if the action is disabled or removed; run.SkippedBatched if another run must be replayed
	// instead.
	Effect string `json:"effect"`        // The type of the action that runs, or already_done, disabled, batched.
	Why    string `json:"why,omitempty"` // The effects that are already done, or the reason why nothing is repeated.
}

// Started finds the job that was accepted under a write token; job.Store implements it.
type Started interface {
	// Started returns errs.NotFound if no job was accepted under the token.
	Started(ctx context.Context, scope tenant.Scope, token string) (job.Started, error)
}

// Messages counts the claimed messages of a run.
type Messages interface {
	// Messages returns the numbers of sent messages and of those with an unknown result; it counts only the first
	// thousands.
	Messages(ctx context.Context, scope tenant.Scope, run string) (sent, unknown int, err error)
}

// ReplayEffects predicts the effect of a replay. It makes the checks of the executor and the doers in the same order:
// whether the run had its effect, whether it is skipped, then marks, jobs and claims.
type ReplayEffects struct {
	Marks    Marks
	Jobs     Started
	Messages Messages
}

// Of returns the effect of replaying a run that has ended. A failed run that may have had an effect costs one more
// read, two for a message.
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

// rows reads the mark of a table operation.
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

// job looks up the job that a run started.
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

// messages counts the sent messages of a message to many recipients.
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
		if r.Error != nil && r.Error.Type == Interrupted { // the owner knows, and a replay sends them
			e.Why += ": perhaps for the second time"
		}
	}
	return e, nil
}

// found reports whether a run is known to be done without calling its doer. A delivery is sent again (G27).
func found(r run.Run) bool { return r.HasDone && !r.ActionType.Definition().Delivers }

// refusal returns why an action is skipped in the current state of its trigger, "" if it is not.
func refusal(t trigger.Trigger, a trigger.ActionID) string {
	if !t.Enabled {
		return "the trigger is disabled"
	}
	if _, there := t.Action(a); !there {
		return "the action was removed from its trigger"
	}
	return t.Stopped[a]
}

// startToken returns the write token under which a run starts its job.
func startToken(r run.Run) string {
	return writetoken.Named(r.ID, r.CreatedAt.Add(run.Keep))
}
