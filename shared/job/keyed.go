package job

import (
	"context"
	"encoding/json"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Started is the job that a request with an Idempotency-Key started.
type Started struct {
	Function id.ID
	Job      id.ID
	// Known reports that a synchronous run has ended and Result contains the value that main returned.
	Known  bool
	Result json.RawMessage
}

// MaxKeptResult is the maximum compressed size of a stored result, in bytes. A repeated request returns the stored
// result if the program of its first try died.
const MaxKeptResult = 300 << 10

// earlierPatience is how long a repeated request waits for the run of an earlier try; it is shorter than the gateway's
// timeout. earlierLook is the time between two reads.
const (
	earlierPatience = 20 * time.Second
	earlierLook     = 250 * time.Millisecond
)

// earlier returns the result of the synchronous run that an earlier try of the request began. It never repeats the run,
// because the run may already have had effects.
//
// It returns errs.Conflict while the run has not ended, or if its result was not stored; errs.Unavailable if the
// function did not run after all.
func (s *Service) earlier(ctx context.Context, scope tenant.Scope, token string) (Result, error) {
	started, err := s.started(ctx, scope, token)
	if err != nil {
		return Result{}, err
	}

	record, err := s.await(ctx, scope, started)
	if err != nil {
		return Result{}, err
	}
	// Read Started again: the store writes the result together with the job's end.
	if started, err = s.started(ctx, scope, token); err != nil {
		return Result{}, err
	}
	if record.Status == StatusFulfilled && !started.Known {
		return Result{}, errs.Conflict("job %d, which an earlier try of this request began, was fulfilled, "+
			"but its result is too large to be kept", started.Job)
	}

	text, err := record.Log.Text()

	return Result{Record: record, Data: started.Result, Log: text}, err
}

func (s *Service) started(ctx context.Context, scope tenant.Scope, token string) (Started, error) {
	started, err := s.Store.Started(ctx, scope, token)
	if errs.Is(err, errs.KindNotFound) {
		return started, errs.Unavailable(1, "the run of an earlier try of this request found no sandbox, try again")
	}
	return started, err
}

// await waits until a job has ended and returns its record.
func (s *Service) await(ctx context.Context, scope tenant.Scope, started Started) (Record, error) {
	until := s.Clock.Now().Add(earlierPatience)
	for {
		// A job that moves between two places during the read is not found; the next read finds it.
		record, err := s.read(ctx, scope, started.Function, started.Job)
		switch {
		case err != nil && !errs.Is(err, errs.KindNotFound):
			return record, err
		case err == nil && record.Status.Terminal():
			return record, nil
		}
		if !s.Clock.Now().Before(until) || s.pause(ctx, earlierLook) != nil {
			return record, &errs.Error{Kind: errs.KindConflict, RetryAfter: 1, Message: "the job that an earlier try " +
				"of this request began has not ended yet: " + started.Job.Key()}
		}
	}
}
