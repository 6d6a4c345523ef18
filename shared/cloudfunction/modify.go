package cloudfunction

import (
	"context"
	"fmt"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Patch is a change to a function; a nil field stays unchanged (endpoint 8).
type Patch struct {
	Name   *string
	Code   *string
	Plan   *string
	Remark *string
}

// change is a validated Patch.
type change struct {
	name   *Name
	code   *Code
	plan   *sandbox.Plan
	remark *string
}

// Modify applies the patch and returns the changed function, with author as the author of the new version. A patch
// that changes nothing makes no version. It returns errs.Invalid, naming the field, errs.NotFound for an unknown
// function, and errs.Duplicate if the new name is taken.
func (s *Service) Modify(
	ctx context.Context, scope tenant.Scope, author, name string, p Patch, guards ...Guard,
) (Function, error) {
	c, err := p.validate()
	if err != nil {
		return Function{}, err
	}

	if c.code != nil {
		// Stack traces and excerpts show the function's name as the file name, so check under the new name.
		file := Name(name)
		if c.name != nil {
			file = *c.name
		}
		if err := s.check(ctx, scope, file, *c.code); err != nil {
			return Function{}, err
		}
	}

	f, err := s.apply(ctx, scope, author, name, func(f Function) (change, error) { return c, pass(f, guards) })
	if errs.Is(err, errs.KindNotFound) && c.name != nil {
		// An earlier attempt of this request may have renamed the function: then the function under the new name
		// has its write token.
		renamed, missing := s.Store.Read(ctx, scope, *c.name)
		if missing == nil && renamed.Tokens.Has(changeToken(ctx)) {
			return renamed, nil
		}
	}

	return f, err
}

// changeToken returns the write token for a change of a function, "" if the request has no Idempotency-Key.
func changeToken(ctx context.Context) string { return writetoken.Of(ctx, "change") }

func (p Patch) validate() (change, error) {
	var c change
	if p.Name != nil {
		name, err := ParseName(*p.Name)
		if err != nil {
			return c, err
		}
		c.name = &name
	}

	if p.Code != nil {
		code, err := Pack(*p.Code)
		if err != nil {
			return c, err
		}
		c.code = &code
	}

	// MemoryMB is 0 for an unknown plan.
	if p.Plan != nil {
		plan := sandbox.Plan(*p.Plan)
		if plan.MemoryMB() == 0 {
			return c, errs.Invalid("plan_circle must be %s or %s", sandbox.PlanFree, sandbox.PlanPersonal)
		}
		c.plan = &plan
	}

	if p.Remark != nil {
		if err := checkRemark(*p.Remark); err != nil {
			return c, err
		}
		c.remark = p.Remark
	}

	return c, nil
}

// apply makes the next version of a function. Each attempt reads the function and calls decide again, so that
// concurrent changes of different fields are both kept.
func (s *Service) apply(
	ctx context.Context, scope tenant.Scope, author, name string, decide func(Function) (change, error),
) (Function, error) {
	var next Function
	token := changeToken(ctx)
	err := s.retry(ctx, scope, name, func(f Function) error {
		// An earlier attempt stored the change but its response was lost. Return its result: a second version must
		// not be made.
		if f.Tokens.Has(token) {
			next = f
			return nil
		}

		c, err := decide(f)
		if err != nil {
			return err
		}

		next = f
		if !c.alter(&next) {
			return nil
		}

		next.Revision++
		next.UpdatedAt, next.UpdatedBy = s.now(), author
		next.Tokens = f.Tokens.With(token, s.Clock.Now())
		return s.Store.Update(ctx, scope, f, next)
	})
	return next, err
}

// alter writes the change into f and reports whether it changed f.
func (c change) alter(f *Function) bool {
	changed := false
	if c.name != nil && *c.name != f.Name {
		f.Name, changed = *c.name, true
	}
	if c.plan != nil && *c.plan != f.Plan {
		f.Plan, changed = *c.plan, true
	}
	if c.remark != nil && *c.remark != f.Remark {
		f.Remark, changed = *c.remark, true
	}
	if c.code != nil && c.code.Digest != f.Code.Digest {
		f.Code, changed = *c.code, true
	}
	// An unchanged function keeps its version, for example when a client saves twice.
	if changed {
		f.Version++
	}

	return changed
}

// Versions returns a page of the versions of a function, the current one first, without the code's text (D15).
func (s *Service) Versions(
	ctx context.Context, scope tenant.Scope, name string, req page.Request,
) (page.Page[Version], error) {
	f, err := s.Read(ctx, scope, name)
	if err != nil {
		return page.Page[Version]{}, err
	}

	kept, err := s.Store.Versions(ctx, scope, f.ID)
	if err != nil {
		return page.Page[Version]{}, fmt.Errorf("versions of %q: %w", name, err)
	}

	cursor := func(v Version) page.Cursor { return page.Cursor(fmt.Sprintf("%08d", v.Number)) }
	return page.Of(slices.Insert(kept, 0, f.Snapshot()), req, nil, cursor), nil
}

// Version returns one version of a function with its code. It returns errs.NotFound if the version never existed or
// is no longer stored.
func (s *Service) Version(ctx context.Context, scope tenant.Scope, name string, number int) (Version, error) {
	f, err := s.Read(ctx, scope, name)
	if err != nil {
		return Version{}, err
	}
	return s.version(ctx, scope, f, number)
}

func (s *Service) version(ctx context.Context, scope tenant.Scope, f Function, number int) (Version, error) {
	if number == f.Version {
		return f.Snapshot(), nil
	}
	v, err := s.Store.Version(ctx, scope, f.ID, number)
	if err != nil {
		return Version{}, fmt.Errorf("version %d of %q: %w", number, f.Name, err)
	}
	return v, nil
}

// Restore makes a new version with the code, remark and plan of an earlier one. It keeps the current name, because
// callers use it.
func (s *Service) Restore(
	ctx context.Context, scope tenant.Scope, author, name string, number int, guards ...Guard,
) (Function, error) {
	return s.apply(ctx, scope, author, name, func(f Function) (change, error) {
		if err := pass(f, guards); err != nil {
			return change{}, err
		}
		v, err := s.version(ctx, scope, f, number)
		return change{code: &v.Code, remark: &v.Remark, plan: &v.Plan}, err
	})
}

// SetAudit sets the audit status, which allows or forbids runs of the function. Only operators of the platform call it, by
// the console's API; no endpoint of the contract does. It makes no version.
func (s *Service) SetAudit(ctx context.Context, scope tenant.Scope, name string, status AuditStatus) (Function, error) {
	if !status.Valid() {
		return Function{}, errs.Invalid("audit_status must be %s, %s or %s", AuditApproved, AuditRejected, AuditWaiting)
	}
	var next Function
	err := s.retry(ctx, scope, name, func(f Function) error {
		next = f
		if f.Audit == status {
			return nil
		}
		next.Audit = status
		next.Revision++ // so that processes that cache the function read it again
		return s.Store.Update(ctx, scope, f, next)
	})
	return next, err
}
