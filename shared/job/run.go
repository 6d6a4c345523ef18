package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/job/event"
	"minicloud/shared/oauth"
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
// The Result contains every outcome of the function, including execution_rejected if it is not allowed to run and
// schedule_failed if it got no slot. Errors: errs.NotFound for an unknown function; errs.Invalid for data over
// MaxSyncData or nested too deep; errs.Unavailable if there is no sandbox capacity or the store is down.
func (s *Service) RunSync(ctx context.Context, scope tenant.Scope, name string, call Call) (Result, error) {
	if err := call.Input.Check("", MaxSyncData); err != nil {
		return Result{}, err
	}
	f, err := s.Functions.Read(ctx, scope, name)
	if err != nil {
		return Result{}, err
	}
	// The run and its record continue if the caller disconnects.
	ctx = context.WithoutCancel(ctx)
	r := s.newRecord(ctx, f, call, TimeSensitive)
	end := func(status Status, why *sandbox.Error) (Result, error) {
		ended, err := s.settle(ctx, scope, r, Nowhere, status, why)
		if errs.Is(err, errs.KindDuplicate) {
			return s.earlier(ctx, scope, r.Token)
		}
		return Result{Record: ended}, err
	}

	refusal, err := s.admit(ctx, scope, f, call.Input)
	if err != nil {
		return Result{}, err
	}
	if refusal != nil {
		return end(StatusExecutionRejected, refusal)
	}

	request, err := s.prepare(ctx, scope, f, r, call.Input)
	if err != nil {
		s.log().ErrorContext(ctx, "run failed", "job", r.ID, "function", r.Function, "error", err.Error())
	}
	switch {
	case errs.Is(err, errs.KindUnavailable):
		_, unended := end(StatusScheduleFailed, scheduleError(err))
		return Result{}, errors.Join(err, unended)
	case err != nil:
		return end(StatusExecutionFailed, sandboxError(err))
	}

	running, err := s.begin(ctx, Running{Record: r, Scope: scope}, Nowhere, syncPatience)
	switch {
	case errors.Is(err, errNoSlot):
		return end(StatusScheduleFailed, scheduleError(err))
	case errs.Is(err, errs.KindDuplicate):
		return s.earlier(ctx, scope, r.Token)
	case err != nil:
		// Do not write a record here: the write may have succeeded although its response was lost, so the job may be in
		// its slot. There it ends with its lease, and a record written here would be a second end.
		return Result{}, fmt.Errorf("begin job: %w", err)
	}

	result, err := s.execute(ctx, running, request, call.Input)
	result.Version = f.Version
	return result, err
}

func (s *Service) newRecord(ctx context.Context, f cloudfunction.Function, call Call, service ServiceType) Record {
	return Record{
		ID: s.newID(service), Function: f.ID, Name: string(f.Name),
		Status: StatusWaiting, Source: call.Source, Service: service, Plan: f.Plan,
		Trace: call.Input.Meta.Trace, Acted: call.Input.Meta.Acted,
		Token: writetoken.Of(ctx, "job"),
	}
}

// newID draws the id of a job. The ids of asynchronous jobs are odd, of synchronous ones even: the id of an accepted
// job is returned before it gets a slot, so no job in a slot may have the same id.
func (s *Service) newID(service ServiceType) id.ID {
	return s.IDs.NewOdd(s.Clock.Now(), service == Batch)
}

// refuse returns why a function is not allowed to run, nil if it is.
func refuse(f cloudfunction.Function, in event.Input) *sandbox.Error {
	switch {
	case f.Audit != cloudfunction.AuditApproved:
		return rejected(fmt.Sprintf("function %q may not run: its audit status is %s", f.Name, f.Audit))
	case in.Meta.Depth >= MaxDepth:
		return rejected(fmt.Sprintf("functions called one another more than %d deep", MaxDepth))
	}
	return nil
}

// admit returns why a function must not be started, nil if it may be. A function that another function starts is
// counted under the root call (D52: at most 200 descendants). Each start counts once, before the job is accepted:
// redelivered messages and jobs that got no slot are not counted again.
func (s *Service) admit(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Function, in event.Input,
) (*sandbox.Error, error) {
	if refusal := refuse(f, in); refusal != nil || in.Meta.Root == 0 {
		return refusal, nil
	}
	// Keep the count until the latest possible start of a delayed descendant.
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
	recorded, err := s.Store.End(ctx, scope, r, from)
	if err != nil {
		return r, fmt.Errorf("end job %d: %w", r.ID, err)
	}
	r.ID = recorded
	s.callBack(ctx, scope, r)
	return r, nil
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

// prepare builds the sandbox request with everything that needs calls to other services. It comes before the slot: a
// job in a slot counts as begun, so between taking the slot and running there must be no other step than sending the
// request.
func (s *Service) prepare(
	ctx context.Context, scope tenant.Scope, f cloudfunction.Function, r Record, in event.Input,
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
			// The token must also be valid during the wait for a slot, which comes before the run.
			Deadline: s.Clock.Now().Add(syncPatience + racePatience + r.Service.Time()),
			Trace:    trace.Link{ID: in.Meta.Trace.ID, Cause: r.Cause()},
		}
		host := &sandbox.Host{BaseURL: in.Meta.BaseURL}
		if host.Token, host.Depth, err = s.Hosts.Access(ctx, run); err != nil {
			return request, err
		}
		request.Host = host
	}

	return request, nil
}
