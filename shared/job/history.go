package job

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
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

	// Overdue jobs are expired before the page is shown, since a client that saw "executing" after the lease would
	// count on a job that has ended. Other jobs may become overdue meanwhile, hence the bound.
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

// listTries is how often List reads a page again because it met overdue jobs.
const listTries = 3

// read returns one job. It expires an overdue job first, so that no caller sees it open after its lease.
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

// Read returns one job of a function with its log, errs.NotFound for an unknown
// function or job.
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

// Follow waits until a job has ended, at most for patience, and returns it with
// its log. Callers read from the record whether the job has ended.
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

// SignedFor is how long a log URL is valid (D23).
const SignedFor = 24 * time.Hour

// LogRef is the content of a log URL: the job, the expiry and the signature.
//
//	expires    Unix seconds
//	signature  HMAC-SHA-256 over scope, function, job and expires, hex
type LogRef struct {
	Scope     tenant.Scope
	Function  id.ID
	Job       id.ID
	Expires   int64
	Signature string
}

// Sign returns references to the logs of records, valid for SignedFor.
func (s *Service) Sign(ctx context.Context, scope tenant.Scope, records ...Record) ([]LogRef, error) {
	key, err := s.Store.Key(ctx)
	if err != nil {
		return nil, fmt.Errorf("sign logs: %w", err)
	}
	refs := make([]LogRef, 0, len(records))
	for _, r := range records {
		ref := LogRef{Scope: scope, Function: r.Function, Job: r.ID, Expires: s.Clock.Now().Add(SignedFor).Unix()}
		ref.Signature = ref.sign(key)
		refs = append(refs, ref)
	}
	return refs, nil
}

func (ref LogRef) sign(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(
		"log\n" + ref.Scope.String() + "\n" + ref.Function.Key() + "\n" + ref.Job.Key() + "\n" + strconv.FormatInt(
			ref.Expires, 10,
		),
	))
	return hex.EncodeToString(mac.Sum(nil))
}

// Open returns the log text of a reference. errs.Forbidden when the reference was
// changed or has expired, errs.NotFound when the log is no longer kept.
func (s *Service) Open(ctx context.Context, ref LogRef) (string, error) {
	key, err := s.Store.Key(ctx)
	if err != nil {
		return "", fmt.Errorf("open log: %w", err)
	}
	// The signature covers Expires, so it is checked first: an altered expiry must not be believed.
	if !hmac.Equal([]byte(ref.sign(key)), []byte(ref.Signature)) {
		return "", errs.Forbidden("this log URL is not valid, open it exactly as user_log_url has it")
	}

	now := s.Clock.Now()
	if now.Unix() >= ref.Expires {
		return "", errs.Forbidden("this log URL has expired")
	}

	r, err := s.read(ctx, ref.Scope, ref.Function, ref.Job)
	if err != nil {
		return "", fmt.Errorf("open log: %w", err)
	}
	if now.After(r.CreatedAt().Add(KeepLog)) {
		return "", errs.NotFound("the log of job %d is no longer kept", ref.Job)
	}

	return r.Log.Text()
}
