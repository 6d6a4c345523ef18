package job

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
)

// execute runs a job in its slot and ends it. It returns sandbox.ErrNotStarted if nothing ran; an asynchronous job is
// then still in its slot, and the caller must put it back.
func (s *Service) execute(ctx context.Context, r Running, request sandbox.Request, in event.Input) (Result, error) {
	ran, failure := s.invoke(ctx, r, request, in)
	if failure != nil {
		s.log().ErrorContext(ctx, "run failed", "job", r.ID, "function", r.Function, "error", failure.Error())
		ran = sandbox.Result{Outcome: sandbox.OutcomeExecutionFailed, Error: sandboxError(failure)}
	}
	if errors.Is(failure, sandbox.ErrNotStarted) {
		if r.Service == TimeSensitive {
			s.end(ctx, r, s.ended(r.Record, StatusScheduleFailed, scheduleError(failure)))
		}
		return Result{}, failure
	}

	// A log that cannot be unpacked does not fail the run: the function had its effects, so its end must be recorded.
	record := s.ended(r.Record, Status(ran.Outcome), ran.Error)
	record.Execution, record.MemUsage, record.Result = ran.ExecutionMS, ran.MemUsage, ran.Data
	packed, text, err := runlog.Of(ran)
	if err != nil {
		s.log().ErrorContext(ctx, "log of a run was lost", "job", r.ID, "error", err.Error())
	}
	record.Log = packed
	return Result{Record: s.end(ctx, r, record), Data: ran.Data, Log: text}, nil
}

// errLost means that another process expired the job during the run, because its lease was over.
var errLost = errors.New("the job has ended, its lease was not renewed in time")

// invoke runs the request in the sandbox, for the run's limit at most, and renews its lease meanwhile.
func (s *Service) invoke(
	ctx context.Context, r Running, request sandbox.Request, in event.Input,
) (result sandbox.Result, err error) {
	request.TimeoutMS = int(r.Limit.Milliseconds())
	run := event.Run{ID: r.ID, Source: string(r.Source), Scope: r.Scope, MemoryMB: r.Plan.MemoryMB(), Limit: r.Limit}
	if request.Event, err = event.Of(run, in); err != nil {
		return result, err
	}

	// The sandbox itself stops the function at Limit; the grace is for a sandbox that fails to.
	ctx, cancel := context.WithTimeout(ctx, r.Limit+grace)
	defer cancel()
	ctx, lose := context.WithCancelCause(ctx)
	var renewals sync.WaitGroup
	if r.over().After(r.Lease) {
		renewals.Go(func() { lose(s.keepLease(ctx, r)) })
	}
	result, err = s.tryRun(ctx, r, request)
	// Wait for a renewal in progress: it would conflict with the write of the job's end.
	lose(nil)
	renewals.Wait()

	switch {
	case err != nil && context.Cause(ctx) == errLost:
		return result, errLost
	case errors.Is(err, context.DeadlineExceeded):
		limit := r.Limit.Milliseconds()
		return sandbox.Result{
			Outcome: sandbox.OutcomeDeadlineExceeded, ExecutionMS: float64(limit),
			Error: &sandbox.Error{Type: TypeTimeout, Message: fmt.Sprintf("function timed out after %d ms", limit)},
		}, nil
	}
	return result, err
}

// keepLease renews the lease of a run until ctx ends. It returns errLost when the job is no longer in its slot. It may
// renew a lease that is over if no other process has expired the job yet.
func (s *Service) keepLease(ctx context.Context, r Running) error {
	wait := renewEvery
	for {
		if clock.Sleep(ctx, wait) != nil {
			return nil
		}

		// Never renew beyond over: D19 promises a terminal state 30 s after the time limit, even for a hung worker.
		until := s.Clock.Now().Add(runLease)
		if until.After(r.over()) {
			until = r.over()
		}

		err := s.Store.Renew(ctx, r, until)
		switch {
		case errs.Is(err, errs.KindNotFound):
			return errLost
		case err != nil:
			wait = renewAgain
		default:
			wait = renewEvery
		}
	}
}

// sandboxPatience is how long a synchronous run in its slot waits for a sandbox. It is part of grace: a run that begins
// this late still ends before its lease. An asynchronous run does not wait but becomes pending again: if its worker
// died while the run waited in the slot, the run would count as begun and fail although nothing ran.
const sandboxPatience = 2 * time.Second

// sandboxRetries does not limit the tries: tryRun stops after sandboxPatience.
var sandboxRetries = retry.Policy{First: 100 * time.Millisecond, Longest: 500 * time.Millisecond}

// tryRun runs the request and retries while there is no sandbox capacity. Retrying is safe: ErrNotStarted means that
// nothing ran.
func (s *Service) tryRun(ctx context.Context, r Running, request sandbox.Request) (result sandbox.Result, err error) {
	until := s.Clock.Now()
	if r.Service == TimeSensitive {
		until = until.Add(sandboxPatience)
	}
	again := func(err error) bool { return errors.Is(err, sandbox.ErrNotStarted) && s.Clock.Now().Before(until) }

	err = s.try(ctx, sandboxRetries, again, func(int) (err error) {
		result, err = s.Runner.Run(ctx, r.Scope, r.Plan, request)
		return err
	})
	return result, err
}

// endPatience is how long a worker tries to write the end of a run. It is shorter than the remainder of a renewed lease
// (runLease - renewEvery).
const endPatience = 10 * time.Second

// endRetries does not limit the tries: end stops after endPatience.
var endRetries = retry.Policy{First: 50 * time.Millisecond, Longest: 400 * time.Millisecond}

// end writes the end of a run and retries while the store is busy or down. It only logs a failure: the caller still
// gets the result, and the job expires with its lease. It returns the record with the id under which it is stored.
func (s *Service) end(ctx context.Context, r Running, record Record) Record {
	until := s.Clock.Now().Add(endPatience)
	if r.over().Before(until) {
		until = r.over()
	}
	again := func(err error) bool { return retry.Retryable(err) && s.Clock.Now().Before(until) }

	recorded := record
	err := s.try(ctx, endRetries, again, func(int) (err error) {
		recorded.ID, err = s.Store.End(ctx, r.Scope, record, InSlot)
		return err
	})
	if err != nil {
		s.log().ErrorContext(ctx, "end of a run was not recorded", "job", r.ID, "error", err.Error())
		return record
	}
	s.leave(r.In())
	s.callBack(ctx, r.Scope, recorded)
	return recorded
}
