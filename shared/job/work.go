package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trace/chain"
)

// Work handles a message as a worker. Repeated deliveries of a message run its job only once.
//
// If a job must wait for a slot or for its time, Work itself sends the message again. An error means that the queue
// must deliver this message again.
func (s *Service) Work(ctx context.Context, m Message) error {
	if m.Sweep {
		// Do not return the error: the next planned sweep comes sooner than a redelivery.
		if _, err := s.Sweep(chain.Apart(ctx)); err != nil {
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
		return s.deliverCallback(ctx, scope, m)
	}

	w, err := s.Store.ReadPending(ctx, scope, m.Function, m.Job)
	if errs.Is(err, errs.KindNotFound) {
		return nil // begun, ended or cancelled already
	}
	if err != nil {
		return fmt.Errorf("work on job %d: %w", m.Job, err)
	}
	if early := w.Ready.Sub(s.Clock.Now()); early > 0 {
		return s.Queue.Send(ctx, min(early, maxQueueDelay), m)
	}

	return s.work(trace.NewContext(ctx, w.Trace), scope, w, m.Revision)
}

// deliverCallback attempts to deliver the callback of a job.
func (s *Service) deliverCallback(ctx context.Context, scope tenant.Scope, m Message) error {
	r, err := s.read(ctx, scope, m.Function, m.Job)
	if errs.Is(err, errs.KindNotFound) {
		return nil // the job was deleted, so there is no result to deliver
	}
	if err != nil {
		return fmt.Errorf("callback of job %d: %w", m.Job, err)
	}
	next, err := s.Callbacks.Deliver(trace.NewContext(ctx, r.Trace), scope, r)
	if err != nil || next == 0 || next > tickAhead {
		return err // a tick sends the message of a later attempt
	}
	chain.Progressed(ctx)
	return s.sendCallback(ctx, scope, r.Function, r.ID, next)
}

// maxQueueDelay is the maximum delay of a message in SQS.
const maxQueueDelay = 15 * time.Minute

// recentFor is how long a worker caches a function: a worker with many jobs of one function reads it once a second.
const recentFor = time.Second

type recentFunction struct {
	cloudfunction.Function
	read time.Time
}

// function returns a function at this revision or a later one, so that a job never runs older code than the current
// code at its acceptance.
func (s *Service) function(
	ctx context.Context, scope tenant.Scope, fn id.ID, revision int64,
) (cloudfunction.Function, error) {
	now := s.Clock.Now()
	fresh := func(f recentFunction) bool {
		return revision > 0 && f.Revision >= revision && now.Sub(f.read) < recentFor
	}
	// The cache is small because the code of a function may have 1 MB.
	f, err := s.recent.Limit(50).Load(activity{scope, fn}, fresh, func() (recentFunction, error) {
		f, err := s.Functions.ReadID(ctx, scope, fn)
		return recentFunction{f, now}, err
	})
	return f.Function, err
}

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
	r.Plan = f.Plan // the plan may have changed while the job waited
	// Do all slow work before taking the slot: a job in a slot counts as begun, so if the worker died while preparing
	// the request, the job would fail although it never ran.
	request, err := s.prepare(ctx, scope, f, r, w.Input)
	if err != nil {
		s.log().ErrorContext(ctx, "run failed", "job", w.ID, "function", w.Function, "error", err.Error())
	}
	switch {
	case retry.Retryable(err):
		return s.later(ctx, scope, w, err)
	case err != nil:
		return s.giveUp(ctx, scope, w.Record, StatusExecutionFailed, sandboxError(err))
	}

	running, err := s.begin(ctx, Running{Record: r, Scope: scope, Ready: w.Ready}, Pending, 0)
	switch {
	case errs.Is(err, errs.KindNotFound):
		return nil // another worker began it first
	case errors.Is(err, errNoSlot):
		return s.later(ctx, scope, w, err)
	case err != nil:
		// The response was lost, so the job may be in a slot. It has not run, but its lease would end it there as
		// failed.
		return s.putBack(ctx, w, running, err)
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

// putBack makes a job that did not run pending again and resends it. If the job has left its slot meanwhile, it is
// already pending or has ended; then the message has no effect.
func (s *Service) putBack(ctx context.Context, w PendingJob, r Running, why error) error {
	if err := s.Store.PutBack(ctx, r, w); err != nil && !errs.Is(err, errs.KindNotFound) {
		return fmt.Errorf("put job %d back: %w", w.ID, errors.Join(why, err))
	}
	s.leave(r.In())
	return s.later(ctx, r.Scope, w, why)
}

// later resends a pending job with a random delay, or ends it if it has waited for GiveUp.
func (s *Service) later(ctx context.Context, scope tenant.Scope, w PendingJob, why error) error {
	if s.Clock.Now().After(w.Ready.Add(GiveUp)) {
		return s.giveUp(ctx, scope, w.Record, StatusScheduleFailed, scheduleError(why))
	}
	return s.resend(ctx, scope, w.Record, time.Second+time.Duration(retry.Jitter(int64(4*time.Second))))
}

// giveUp ends a pending job. It succeeds if another worker ended or began the job first.
func (s *Service) giveUp(ctx context.Context, scope tenant.Scope, r Record, status Status, why *sandbox.Error) error {
	_, err := s.settle(ctx, scope, r, Pending, status, why)
	if errs.Is(err, errs.KindNotFound) {
		return nil
	}
	return err
}

// tooLate is the error of a job that did not begin within GiveUp.
func tooLate() *sandbox.Error {
	message := fmt.Sprintf("the job did not begin within %d minutes", int(GiveUp.Minutes()))
	return &sandbox.Error{Type: TypeSchedule, Message: message}
}

func rejected(message string) *sandbox.Error {
	return &sandbox.Error{Type: TypeRejected, Message: message}
}
