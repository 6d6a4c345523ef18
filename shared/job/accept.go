package job

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/chain"
)

// MaxDelay is the maximum delay of a delayed run (D47).
const MaxDelay = 30 * 24 * time.Hour

// Start accepts an asynchronous run and returns its record, with status waiting. A run that is not allowed is recorded
// and returned as execution_rejected. runAt delays the run; zero means no delay.
//
// Errors: errs.NotFound for an unknown function; errs.Invalid for data over MaxAsyncData, in a run of a trigger over
// MaxEventData, or nested too deep, or a runAt beyond MaxDelay; errs.Unavailable without a Queue.
func (s *Service) Start(
	ctx context.Context, scope tenant.Scope, name string, call Call, runAt time.Time,
) (Record, error) {
	if s.Queue == nil {
		return Record{}, errs.Unavailable(60, "asynchronous runs are not available here")
	}

	now := s.Clock.Now()
	if err := call.Input.Check(call.Source.maxAsyncData()); err != nil {
		return Record{}, err
	}
	if runAt.After(now.Add(MaxDelay)) {
		return Record{}, errs.Invalid("run_at must be within %d days", int(MaxDelay.Hours()/24))
	}

	f, err := s.Functions.Read(ctx, scope, name)
	if err != nil {
		return Record{}, err
	}

	r := s.newRecord(ctx, f, call, Batch)
	r.Token, r.Callback = cmp.Or(call.Token, r.Token), call.Callback
	if r.Callback != "" {
		r.Depth = call.Input.Meta.Depth + 1
	}
	refusal, err := s.admit(ctx, scope, f, call.Input)
	if err != nil {
		return Record{}, err
	}

	if refusal != nil {
		ended, err := s.settle(ctx, scope, r, Nowhere, StatusExecutionRejected, refusal)
		if errs.Is(err, errs.KindDuplicate) {
			return s.earlierStart(ctx, scope, ended)
		}
		return ended, err
	}

	w := PendingJob{Record: r, Input: call.Input, Ready: now.Truncate(time.Millisecond)}
	delayed := runAt.After(now)
	if delayed {
		w.Ready = runAt
	}
	if err := s.accept(ctx, scope, &w, delayed); err != nil {
		return Record{}, fmt.Errorf("accept run of %q: %w", name, err)
	}
	if delayed && runAt.After(now.Add(tickAhead)) {
		return w.Record, nil // Tick sends the message
	}

	m := Message{Scope: scope.String(), Function: f.ID, Job: w.ID, Revision: f.Revision}
	if err := s.Queue.Send(ctx, max(w.Ready.Sub(now), 0), m); err != nil {
		// Do not return the error, since the job is stored: Sweep sends a message again for a job that is pending too
		// long.
		s.log().ErrorContext(ctx, "accepted job was not sent", "job", w.ID, "error", err.Error())
	}

	return w.Record, nil
}

// earlierStart sets r.ID to the job that an earlier try of the request started.
func (s *Service) earlierStart(ctx context.Context, scope tenant.Scope, r Record) (Record, error) {
	started, err := s.Store.Started(ctx, scope, r.Token)
	r.ID = started.Job
	return r, err
}

// accept stores the job under the first free id. If an earlier try of the request already stored it, w becomes that
// job; a second message for a job that has begun has no effect.
func (s *Service) accept(ctx context.Context, scope tenant.Scope, w *PendingJob, delayed bool) error {
	// Announce first: a sweep finds only the jobs of announced functions, so if the process died between the two
	// writes, no sweep would find the job.
	if err := s.announce(ctx, scope, w.Function); err != nil {
		return err
	}

	var err error
	for range 5 {
		err = s.Store.Accept(ctx, scope, *w, delayed)
		if errs.Is(err, errs.KindDuplicate) {
			w.Record, err = s.earlierStart(ctx, scope, w.Record)
		}
		if !errs.Is(err, errs.KindConflict) {
			return err
		}
		w.ID = s.newID(w.Service)
	}
	return err
}

// resend sends a message for a job without the function's revision, so the worker reads the function again.
func (s *Service) resend(ctx context.Context, scope tenant.Scope, r Record, delay time.Duration) error {
	return s.Queue.Send(ctx, max(delay, 0), Message{Scope: scope.String(), Function: r.Function, Job: r.ID})
}

// sendCallback sends the message that delivers the callback of an ended job.
func (s *Service) sendCallback(ctx context.Context, scope tenant.Scope, fn, job id.ID, delay time.Duration) error {
	return s.Queue.Send(ctx, max(delay, 0), Message{Scope: scope.String(), Function: fn, Job: job, Callback: true})
}

// callBack calls sendCallback right after the end of a job. It only logs a failure: Due lists the callback, so a tick
// sends the message again.
func (s *Service) callBack(ctx context.Context, scope tenant.Scope, r Record) {
	if r.Callback == "" || s.Queue == nil {
		return
	}
	// A worker also ends jobs other than that of its message.
	if err := s.sendCallback(chain.Apart(ctx), scope, r.Function, r.ID, 0); err != nil {
		s.log().WarnContext(ctx, "callback was not asked for", "job", r.ID, "error", err.Error())
	}
}

// Cancel ends a pending job as execution_rejected (D47). It returns errs.NotFound for an unknown function or job, and
// errs.Invalid for a job that has begun.
func (s *Service) Cancel(ctx context.Context, scope tenant.Scope, name string, job int64) error {
	f, r, err := s.find(ctx, scope, name, job)
	if err != nil {
		return err
	}
	if r.Status != StatusWaiting {
		return errs.Invalid("job %d cannot be cancelled: it is %s", job, r.Status)
	}
	_, err = s.settle(ctx, scope, r, Pending, StatusExecutionRejected, rejected(cancelled))
	if errs.Is(err, errs.KindNotFound) {
		return errs.Invalid("job %d of %q cannot be cancelled: it has begun", job, f.Name)
	}
	return err
}
