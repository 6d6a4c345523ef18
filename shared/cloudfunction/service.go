package cloudfunction

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"minicloud/shared/clip"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/retry"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Service creates, changes, finds and deletes functions.
type Service struct {
	Store Store
	// Runner compiles code before it is accepted; nil accepts any text.
	Runner sandbox.Runner
	IDs    *id.Source
	Clock  clock.Clock
}

// New is the input for creating a function (endpoint 5).
type New struct {
	Name   string
	Code   string
	Remark string
}

// Create adds a function. It returns errs.Invalid, naming the field, or errs.Duplicate if the name is taken.
func (s *Service) Create(ctx context.Context, scope tenant.Scope, author string, in New) (Function, error) {
	name, err := ParseName(in.Name)
	if err != nil {
		return Function{}, err
	}

	code, err := Pack(in.Code)
	if err != nil {
		return Function{}, err
	}
	if err := checkRemark(in.Remark); err != nil {
		return Function{}, err
	}
	if err := s.check(ctx, scope, name, code); err != nil {
		return Function{}, err
	}

	// New functions are approved; only an administrator can stop them later.
	now := s.now()
	f := Function{
		Name: name, Code: code, Remark: in.Remark, Audit: AuditApproved, Plan: sandbox.PlanFree,
		Version: 1, Revision: 1,
		CreatedAt: now, CreatedBy: author, UpdatedAt: now, UpdatedBy: author,
	}
	if err := s.insert(ctx, scope, &f); err != nil {
		return Function{}, err
	}

	return f, nil
}

// insert stores the function under the first free id: two processes may draw the same id in one millisecond. A
// retried request draws the ids of its first attempt again and returns the function that the first attempt made.
func (s *Service) insert(ctx context.Context, scope tenant.Scope, f *Function) error {
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	token := writetoken.Of(ctx, "function")
	f.Tokens = f.Tokens.With(token, s.Clock.Now())

	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		f.ID = ids.New(now)
		err := s.Store.Create(ctx, scope, *f)
		// Both errors may be caused by the first attempt: it took the id and the name.
		taken := errs.Is(err, errs.KindConflict) || errs.Is(err, errs.KindDuplicate)
		if taken && token != "" {
			made, missing := s.Store.ReadID(ctx, scope, f.ID)
			if missing == nil && made.Tokens.Has(token) {
				*f = made
				return nil
			}
		}
		if err != nil {
			return fmt.Errorf("create %q: %w", f.Name, err)
		}
		return nil
	})
}

// List returns a page of the functions that match the filter, newest first (endpoint 6).
func (s *Service) List(
	ctx context.Context, scope tenant.Scope, f Filter, req page.Request,
) (page.Page[Function], error) {
	got, err := s.Store.List(ctx, scope, f, req)
	if err != nil {
		return got, fmt.Errorf("list functions: %w", err)
	}
	return got, nil
}

// Read returns the function with that name, errs.NotFound if there is none (endpoint 7).
func (s *Service) Read(ctx context.Context, scope tenant.Scope, name string) (Function, error) {
	// A string that is no valid name is an unknown name: 404, not 400.
	composed, err := ParseName(name)
	if err != nil {
		return Function{}, notFound(name)
	}

	// Older releases stored names without composition, so try the name as sent first.
	if sent, bad := parse(name); bad == nil && sent != composed {
		f, err := s.Store.Read(ctx, scope, sent)
		if !errs.Is(err, errs.KindNotFound) {
			return f, err
		}
	}

	f, err := s.Store.Read(ctx, scope, composed)
	if err != nil {
		return Function{}, fmt.Errorf("read %q: %w", name, err)
	}

	return f, nil
}

// ReadID returns the function with that id, errs.NotFound if there is none.
func (s *Service) ReadID(ctx context.Context, scope tenant.Scope, fn id.ID) (Function, error) {
	f, err := s.Store.ReadID(ctx, scope, fn)
	if err != nil {
		return Function{}, fmt.Errorf("read function %d: %w", fn, err)
	}
	return f, nil
}

// Delete removes a function and its versions (endpoint 9). Its jobs stay until their retention ends, but can no
// longer be found by the function's name. A guard can refuse the deletion.
func (s *Service) Delete(ctx context.Context, scope tenant.Scope, name string, guards ...Guard) error {
	f, err := s.Read(ctx, scope, name)
	if err != nil {
		return err
	}
	return retry.Writes.Do(ctx, retry.OnConflict, func(try int) error {
		if try > 0 {
			// By id: an attempt that conflicted with a rename may have deleted versions, so the function must go.
			if f, err = s.ReadID(ctx, scope, f.ID); err != nil {
				return err
			}
		}
		if err := pass(f, guards); err != nil {
			return err
		}
		return s.Store.Delete(ctx, scope, f)
	})
}

// Guard checks the state of the function that a change would replace; its error refuses the change. It runs again
// at each attempt, because another writer may have changed the state.
type Guard func(Function) error

// pass returns the first error of the guards.
func pass(f Function, guards []Guard) error {
	for _, guard := range guards {
		if err := guard(f); err != nil {
			return err
		}
	}
	return nil
}

// retry reads the function and calls write, and repeats both after a conflict with another writer.
func (s *Service) retry(ctx context.Context, scope tenant.Scope, name string, write func(Function) error) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		f, err := s.Read(ctx, scope, name)
		if err != nil {
			return err
		}
		if err := write(f); err != nil {
			return fmt.Errorf("write %q: %w", name, err)
		}
		return nil
	})
}

func (s *Service) now() time.Time { return s.Clock.Now().Truncate(time.Second) }

func checkRemark(text string) error {
	if utf8.RuneCountInString(text) > MaxRemark {
		return errs.Invalid("remark must be at most %d characters", MaxRemark)
	}
	return nil
}

func notFound(name string) error {
	return errs.NotFound("function %q does not exist", clip.Text(name, clip.Name))
}
