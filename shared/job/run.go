package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/oauth"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// Types of errors that the platform, not the function, reports (D18).
const (
	TypeTimeout  = "TimeoutError"
	TypeRejected = "RejectedError"
	TypeSchedule = "ScheduleError"
	TypeSandbox  = "SandboxError" // the sandbox failed, or the worker died, while the function ran
)

// RunSync runs a function and waits for its result (endpoints 1, 2 and 4).
//
// The Result holds every outcome of the function, and also that it may not run
// (execution_rejected) or found no slot (schedule_failed). Errors:
// errs.NotFound for an unknown function, errs.Invalid for data over
// MaxSyncData or nested too deep, errs.Unavailable when there is no sandbox to run in, or the store
// is down.
func (s *Service) RunSync(ctx context.Context, scope tenant.Scope, name string, call Call) (Result, error) {
	if err := checkData(call.Input.Data, "", MaxSyncData); err != nil {
		return Result{}, err
	}
	f, err := s.Functions.Read(ctx, scope, name)
	if err != nil {
		return Result{}, err
	}
	// The run and its record outlive a caller who hangs up.
	ctx = context.WithoutCancel(ctx)
	r := s.newRecord(ctx, f, call, TimeSensitive)
	refusal, err := s.admit(ctx, scope, f, call.Input)
	if err != nil {
		return Result{}, err
	}
	if refusal != nil {
		return s.settleSync(ctx, scope, r, StatusExecutionRejected, refusal)
	}

	request, err := s.prepare(ctx, scope, f, r, call.Input)
	if err != nil {
		return s.endUnprepared(ctx, scope, r, err)
	}
	running, err := s.begin(ctx, Running{Record: r, Scope: scope}, Nowhere, syncPatience)
	if errors.Is(err, errNoSlot) {
		return s.settleSync(ctx, scope, r, StatusScheduleFailed, scheduleError(err))
	}
	if errs.Is(err, errs.KindDuplicate) {
		return s.earlier(ctx, scope, r.Token)
	}
	if err != nil {
		// Write no record here: the lost answer may have been a success, so the job may be in its slot. Its lease
		// ends it there, and a record from here would be a second end.
		return Result{}, fmt.Errorf("begin job: %w", err)
	}
	result, err := s.execute(ctx, running, request, call.Input)
	result.Version = f.Version
	return result, err
}

// endUnprepared ends a synchronous run whose request could not be prepared. The run
// has no slot yet.
func (s *Service) endUnprepared(ctx context.Context, scope tenant.Scope, r Record, failure error) (Result, error) {
	s.log().ErrorContext(ctx, "run failed", "job", r.ID, "function", r.Function, "error", failure.Error())
	if errs.Is(failure, errs.KindUnavailable) {
		_, err := s.settle(ctx, scope, r, Nowhere, StatusScheduleFailed, scheduleError(failure))
		return Result{}, errors.Join(failure, err)
	}
	r, err := s.settle(ctx, scope, r, Nowhere, StatusExecutionFailed, sandboxError(failure))
	return Result{Record: r}, err
}

// settleSync ends a synchronous job whose function does not run.
func (s *Service) settleSync(
	ctx context.Context, scope tenant.Scope, r Record, status Status, why *sandbox.Error,
) (Result, error) {
	ended, err := s.settle(ctx, scope, r, Nowhere, status, why)
	if errs.Is(err, errs.KindDuplicate) {
		return s.earlier(ctx, scope, r.Token)
	}
	return Result{Record: ended}, err
}

func (s *Service) newRecord(ctx context.Context, f cloudfunction.Function, call Call, service ServiceType) Record {
	return Record{
		ID: s.IDs.New(s.Clock.Now()), Function: f.ID, Name: string(f.Name),
		Status: StatusWaiting, Source: call.Source, Service: service, Plan: f.Plan,
		Trace: call.Input.Meta.Trace, Acted: call.Input.Meta.Acted,
		Token: writetoken.Of(ctx, "job"),
	}
}

// refuse returns why a function may not run, nil when it may.
func refuse(f cloudfunction.Function, in Input) *sandbox.Error {
	switch {
	case f.Audit != cloudfunction.AuditApproved:
		return rejected(fmt.Sprintf("function %q may not run: its audit status is %s", f.Name, f.Audit))
	case in.Meta.Depth >= MaxDepth:
		return rejected(fmt.Sprintf("functions called one another more than %d deep", MaxDepth))
	}
	return nil
}

// admit returns why a function may not be started, nil when it may. A function that
// another function starts counts under the root call (D52: at most 200 descendants).
// It counts once, before the job is accepted: redelivered messages and jobs that
// found no slot do not come here again.
func (s *Service) admit(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Function, in Input,
) (*sandbox.Error, error) {
	if refusal := refuse(f, in); refusal != nil || in.Meta.Root == 0 {
		return refusal, nil
	}
	err := s.Store.Descend(ctx, scope, in.Meta.Root, MaxDescendants, s.Clock.Now().Add(MaxDelay))
	if errs.Is(err, errs.KindTooMany) {
		return rejected(fmt.Sprintf(
			"one call may start at most %d functions, directly and through others", MaxDescendants,
		)), nil
	}
	if err != nil {
		return nil, fmt.Errorf("start %q under job %d: %w", f.Name, in.Meta.Root, err)
	}
	return nil, nil
}

func scheduleError(err error) *sandbox.Error {
	return &sandbox.Error{Type: TypeSchedule, Message: errs.Message(err)}
}

// settle ends a job whose function does not run.
func (s *Service) settle(
	ctx context.Context, scope tenant.Scope, r Record, from Place, status Status, why *sandbox.Error,
) (Record, error) {
	r = s.ended(r, status, why)
	if err := s.Store.End(ctx, scope, r, from); err != nil {
		return r, fmt.Errorf("end job %d: %w", r.ID, err)
	}
	s.callBack(ctx, scope, r)
	return r, nil
}

// execute runs a job in its slot and ends it. sandbox.ErrNotStarted means that nothing
// ran; an asynchronous job is then still in its slot, and the caller puts it back.
func (s *Service) execute(ctx context.Context, r Running, request sandbox.Request, in Input) (Result, error) {
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

	// A log that cannot be unpacked does not fail the run: the function had its effects, and the end must be recorded.
	record := s.ended(r.Record, Status(ran.Outcome), ran.Error)
	record.Execution, record.MemUsage, record.Result = ran.ExecutionMS, ran.MemUsage, ran.Data
	packed, text, err := logOf(ran)
	if err != nil {
		s.log().ErrorContext(ctx, "log of a run was lost", "job", r.ID, "error", err.Error())
	}
	record.Log = packed
	s.end(ctx, r, record)
	return Result{Record: record, Data: ran.Data, Log: text}, nil
}

// ended returns the record of a job that ends now.
func (s *Service) ended(r Record, status Status, why *sandbox.Error) Record {
	r.Status, r.Error, r.FinishedAt = status, why, s.Clock.Now().Truncate(time.Millisecond)
	return r
}

func sandboxError(failure error) *sandbox.Error {
	if errs.Is(failure, errs.KindTooLarge) {
		return &sandbox.Error{Type: TypeSandbox, Message: errs.Message(failure)}
	}
	return &sandbox.Error{Type: TypeSandbox, Message: "the sandbox failed before the function ended"}
}

// errLost means that another process expired the job while it ran, since its lease was over.
var errLost = errors.New("the job has ended, its lease was not renewed in time")

// invoke hands the run to the sandbox for as long as it may run, and renews its lease meanwhile.
func (s *Service) invoke(
	ctx context.Context, r Running, request sandbox.Request, in Input,
) (result sandbox.Result, err error) {
	request.TimeoutMS = int(r.Limit.Milliseconds())
	if request.Event, err = newEvent(r, in); err != nil {
		return result, err
	}

	// The sandbox stops the function at Limit by itself; the grace covers a sandbox that does not.
	ctx, cancel := context.WithTimeout(ctx, r.Limit+grace)
	defer cancel()
	ctx, lose := context.WithCancelCause(ctx)
	var renewals sync.WaitGroup
	if r.over().After(r.Lease) {
		renewals.Go(func() { lose(s.keepLease(ctx, r)) })
	}
	result, err = s.tryRun(ctx, r, request)
	// Wait for a renewal still on its way: it would compete with the write of the job's end.
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

// keepLease renews the lease of a run until ctx ends. It returns errLost when the
// job is no longer in its slot. It may renew a lease that is over, as long as no
// other process has expired the job.
func (s *Service) keepLease(ctx context.Context, r Running) error {
	wait := renewEvery
	for {
		if clock.Sleep(ctx, wait) != nil {
			return nil
		}

		// Never renew beyond over: D19 promises a terminal state 30 s after the time limit, also for a hung worker.
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

// sandboxPatience is how long a synchronous run in its slot waits for a sandbox. It
// is part of grace: a run that begins so late still ends before its lease. An
// asynchronous run does not wait, it becomes pending again: if its worker died while
// it waits in the slot, it would count as begun and fail although nothing ran.
const sandboxPatience = 2 * time.Second

// sandboxRetries has no maximum of tries: tryRun stops after sandboxPatience.
var sandboxRetries = retry.Policy{First: 100 * time.Millisecond, Longest: 500 * time.Millisecond}

// tryRun runs the request and retries while there is no sandbox capacity. That is safe: ErrNotStarted means that
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

// prepare makes the sandbox request with everything that takes calls to other services,
// before the run has its slot: a job in a slot counts as begun, so the only step between
// taking the slot and running is handing the request over.
func (s *Service) prepare(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Function, r Record, in Input,
) (sandbox.Request, error) {
	request := sandbox.Request{
		Op: sandbox.OpRun, JobID: fmt.Sprint(int64(r.ID)), Function: string(f.Name), Code: f.Code.Gzip,
		Digest:   f.Code.Digest,
		MemoryMB: r.Plan.MemoryMB(),
	}
	var err error
	if s.Variables != nil && f.VariablesVersion > 0 {
		if request.Variables, request.Secrets, err = s.Variables.Values(ctx, scope, f); err != nil {
			return request, fmt.Errorf("variables of %q: %w", f.Name, err)
		}
	}

	if s.Hosts != nil && in.Meta.BaseURL != "" {
		run := oauth.Run{
			Scope: scope, JobID: request.JobID, Depth: in.Meta.Depth + 1, Root: cmp.Or(in.Meta.Root, r.ID),
			// The token must outlive the search for a slot, which comes before the run.
			Deadline: s.Clock.Now().Add(syncPatience + racePatience + r.Service.Time()),
			Trace:    trace.Link{ID: in.Meta.Trace.ID, Cause: r.Cause()},
		}
		if request.Host, err = s.Hosts.Host(ctx, in.Meta.BaseURL, run); err != nil {
			return request, err
		}
	}

	return request, nil
}

// endPatience is how long a worker tries to write the end of a run. It is shorter than
// the rest of a renewed lease (runLease - renewEvery).
const endPatience = 10 * time.Second

// endRetries has no maximum of tries: end stops after endPatience.
var endRetries = retry.Policy{First: 50 * time.Millisecond, Longest: 400 * time.Millisecond}

// end writes the end of a run and retries while the store is busy or down. A failure
// is only logged: the caller still gets the result, and the job expires with its lease.
func (s *Service) end(ctx context.Context, r Running, record Record) {
	until := s.Clock.Now().Add(endPatience)
	if r.over().Before(until) {
		until = r.over()
	}
	again := func(err error) bool { return retry.Retryable(err) && s.Clock.Now().Before(until) }

	err := s.try(ctx, endRetries, again, func(int) error { return s.Store.End(ctx, r.Scope, record, InSlot) })
	if err != nil {
		s.log().ErrorContext(ctx, "end of a run was not recorded", "job", r.ID, "error", err.Error())
		return
	}
	s.leave(r.In())
	s.callBack(ctx, r.Scope, record)
}
