package job

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job/runlog"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// List returns a page of the jobs of a function, newest first (endpoint 3).
func (s *Service) List(
	ctx context.Context, scope tenant.Scope, name string, f Filter, req page.Request,
) (page.Page[Record], error) {
	fn, err := s.Functions.Read(ctx, scope, name)
	if err != nil {
		return page.Page[Record]{}, err
	}

	// Expire overdue jobs before the page is returned: a client that saw "executing" after the lease would count on a
	// job that has ended. Other jobs may become overdue meanwhile, so the number of tries is limited.
	got, err := s.Store.List(ctx, scope, fn.ID, f, s.Clock.Now(), req)
	for range listTries {
		if err != nil || len(got.Overdue) == 0 {
			break
		}
		if _, err = each(got.Overdue, func(r Record) error { return s.expire(ctx, scope, r) }); err == nil {
			got, err = s.Store.List(ctx, scope, fn.ID, f, s.Clock.Now(), req)
		}
	}
	if err != nil {
		return page.Page[Record]{}, fmt.Errorf("jobs of %q: %w", name, err)
	}
	return got.Page, nil
}

// listTries is how often List reads a page again because it contained overdue jobs.
const listTries = 3

// read returns one job. It expires an overdue job first, so that no caller sees the job open after its lease.
func (s *Service) read(ctx context.Context, scope tenant.Scope, fn, job id.ID) (Record, error) {
	r, err := s.Store.Read(ctx, scope, fn, job, s.Clock.Now())
	if err != nil || !r.Overdue(s.Clock.Now()) {
		return r, err
	}
	if err := s.expire(ctx, scope, r); err != nil {
		return r, err
	}
	return s.Store.Read(ctx, scope, fn, job, s.Clock.Now())
}

// Read returns one job of a function with its log. It returns errs.NotFound for an unknown function or job.
func (s *Service) Read(ctx context.Context, scope tenant.Scope, name string, job int64) (Record, error) {
	_, r, err := s.find(ctx, scope, name, job)
	return r, err
}

func (s *Service) find(
	ctx context.Context, scope tenant.Scope, name string, job int64,
) (cloudfunction.Function, Record, error) {
	f, err := s.Functions.Read(ctx, scope, name)
	if err != nil {
		return f, Record{}, err
	}
	r, err := s.read(ctx, scope, f.ID, id.ID(job))
	if err != nil {
		return f, r, fmt.Errorf("job of %q: %w", name, err)
	}
	return f, r, nil
}

// Follow waits until a job has ended, for at most patience, and returns the job with its log. Callers must check the
// status: the job may still be open.
func (s *Service) Follow(
	ctx context.Context, scope tenant.Scope, name string, job int64, patience time.Duration,
) (Record, error) {
	until := s.Clock.Now().Add(patience)
	f, r, err := s.find(ctx, scope, name, job)
	for err == nil && !r.Status.Terminal() && s.Clock.Now().Before(until) {
		if err = s.pause(ctx, 250*time.Millisecond); err == nil {
			r, err = s.read(ctx, scope, f.ID, id.ID(job))
		}
	}
	return r, err
}

// Sign returns references to the logs of records, valid for runlog.SignedFor.
func (s *Service) Sign(ctx context.Context, scope tenant.Scope, records ...Record) ([]runlog.Ref, error) {
	refs := make([]runlog.Ref, 0, len(records))
	for _, r := range records {
		ref, err := s.Links.Sign(ctx, scope, r.Function, r.ID, s.Clock.Now())
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

// Open returns the log text of a reference. It returns errs.Forbidden if the reference was changed or has expired, and
// errs.NotFound if the log is no longer kept.
func (s *Service) Open(ctx context.Context, ref runlog.Ref) (string, error) {
	now := s.Clock.Now()
	if err := s.Links.Check(ctx, ref, now); err != nil {
		return "", err
	}

	// Check the age here: DynamoDB deletes expired items late.
	r, err := s.read(ctx, ref.Scope, ref.Function, ref.Job)
	if err != nil {
		return "", fmt.Errorf("open log: %w", err)
	}
	if now.After(r.CreatedAt().Add(KeepLog)) {
		return "", errs.NotFound("the log of job %d is no longer kept", ref.Job)
	}
	return r.Log.Text()
}
