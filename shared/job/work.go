package job

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// Work does what a message asks, as a worker. It may be called any number of
// times with the same message: only one of them runs the job.
//
// A message that cannot be served now is sent again, so an error means that the
// message itself must be delivered again.
func (s *Service) Work(ctx context.Context, m Message) error {
	if m.Sweep {
		// One that fails is not delivered again: the next one comes sooner.
		if _, err := s.Sweep(ctx); err != nil {
			s.log().ErrorContext(ctx, "a sweep failed", "error", err.Error())
		}
		return nil
	}

	scope, err := tenant.Parse(m.Scope)
	if err != nil {
		s.log().ErrorContext(ctx, "message dropped", "error", err.Error())
		return nil
	}

	if m.Callback {
		return s.tell(ctx, scope, m)
	}

	w, err := s.Store.ReadPending(ctx, scope, m.Function, m.Job)
	if errs.Is(err, errs.KindNotFound) {
		return nil // begun, ended or cancelled already
	}
	if err != nil {
		return fmt.Errorf("work on job %d: %w", m.Job, err)
	}
	if early := w.Ready.Sub(s.Clock.Now()); early > 0 {
		return s.send(ctx, m, scope, min(early, maxQueueDelay))
	}

	return s.work(trace.NewContext(ctx, w.Trace), scope, w, m.Revision)
}

// tell makes an attempt at the callback of a job.
func (s *Service) tell(ctx context.Context, scope tenant.Scope, m Message) error {
	r, err := s.read(ctx, scope, m.Function, m.Job)
	if errs.Is(err, errs.KindNotFound) {
		return nil // its function was deleted, and it with that
	}
	if err != nil {
		return fmt.Errorf("callback of job %d: %w", m.Job, err)
	}
	return s.Callbacks.deliver(trace.NewContext(ctx, r.Trace), scope, r)
}

// maxQueueDelay is the longest a queue holds a message back.
const maxQueueDelay = 15 * time.Minute

func (s *Service) work(ctx context.Context, scope tenant.Scope, w PendingJob, revision int64) error {
	if s.Clock.Now().After(w.Ready.Add(GiveUp)) {
		return s.giveUp(ctx, scope, w.Record, StatusScheduleFailed, tooLate())
	}

	f, err := s.function(ctx, scope, w.Function, revision)
	if errs.Is(err, errs.KindNotFound) {
		deleted := rejected(fmt.Sprintf("function %q was deleted", w.Name))
		return s.giveUp(ctx, scope, w.Record, StatusExecutionRejected, deleted)
	}
	if err != nil {
		return fmt.Errorf("work on job %d: %w", w.ID, err)
	}
	if refusal := refuse(f, w.Input); refusal != nil {
		return s.giveUp(ctx, scope, w.Record, StatusExecutionRejected, refusal)
	}

	r := w.Record
	r.Plan = f.Plan // it may have changed while the job waited
	request, err := s.prepare(ctx, scope, f, r, w.Input)
	if err != nil {
		return s.notPrepared(ctx, scope, w, err)
	}

	running, err := s.begin(ctx, Running{Record: r, Scope: scope, Ready: w.Ready}, Pending, 0)
	switch {
	case errs.Is(err, errs.KindNotFound):
		return nil // another worker was faster
	case errors.Is(err, errNoSlot):
		return s.later(ctx, scope, w, err)
	case err != nil:
		return s.notBegun(ctx, w, running, err)
	}

	result, err := s.execute(ctx, running, request, w.Input)
	if errors.Is(err, sandbox.ErrNotStarted) {
		return s.putBack(ctx, w, running, err)
	}

	s.log().InfoContext(ctx, "job", "miniapp", scope.App, "env", scope.Env, "job", w.ID, "function", w.Function,
		"status", result.Record.Status, "waited_ms", running.StartedAt.Sub(w.Ready).Milliseconds(), "execution_ms",
		result.Record.Execution)

	return err
}

// notPrepared is called when the request of a job could not be made: it is tried
// again while that may pass.
func (s *Service) notPrepared(ctx context.Context, scope tenant.Scope, w PendingJob, why error) error {
	s.log().ErrorContext(ctx, "run failed", "job", w.ID, "function", w.Function, "error", why.Error())
	if retry.Retryable(why) {
		return s.later(ctx, scope, w, why)
	}
	return s.giveUp(ctx, scope, w.Record, StatusExecutionFailed, sandboxError(why))
}

// notBegun is called when nobody knows whether a job has its slot, since the answer
// was lost. It has not run: it goes back, lest its lease ends it as if it had.
func (s *Service) notBegun(ctx context.Context, w PendingJob, r Running, why error) error {
	if err := s.Store.PutBack(ctx, r, w); err != nil && !errs.Is(err, errs.KindNotFound) {
		return fmt.Errorf("begin job %d: %w", w.ID, errors.Join(why, err))
	}
	return s.later(ctx, r.Scope, w, why)
}

// putBack makes a job that found no sandbox pending again, for another try, or ends it when it has waited for GiveUp.
func (s *Service) putBack(ctx context.Context, w PendingJob, r Running, why error) error {
	if s.Clock.Now().After(w.Ready.Add(GiveUp)) {
		s.end(ctx, r, s.ended(r.Record, StatusScheduleFailed, scheduleError(why)))
		return nil
	}
	if err := s.Store.PutBack(ctx, r, w); err != nil {
		return fmt.Errorf("put job %d back: %w", w.ID, err)
	}
	s.slots.leave(r.In())
	return s.later(ctx, r.Scope, w, why)
}

// later sends a job that found no slot to the queue again, until it has waited
// for GiveUp.
func (s *Service) later(ctx context.Context, scope tenant.Scope, w PendingJob, why error) error {
	if s.Clock.Now().After(w.Ready.Add(GiveUp)) {
		return s.giveUp(ctx, scope, w.Record, StatusScheduleFailed, scheduleError(why))
	}
	return s.resend(ctx, scope, w.Record, time.Second+rand.N(4*time.Second))
}

// giveUp ends a pending job; that another worker was faster is fine.
func (s *Service) giveUp(ctx context.Context, scope tenant.Scope, r Record, status Status, why *sandbox.Error) error {
	_, err := s.settle(ctx, scope, r, Pending, status, why)
	if errs.Is(err, errs.KindNotFound) {
		return nil
	}
	return err
}

// tooLate is why a job ends that did not begin in time.
func tooLate() *sandbox.Error {
	message := fmt.Sprintf("the job did not begin within %d minutes", int(GiveUp.Minutes()))
	return &sandbox.Error{Type: TypeSchedule, Message: message}
}

func rejected(message string) *sandbox.Error {
	return &sandbox.Error{Type: TypeRejected, Message: message}
}
