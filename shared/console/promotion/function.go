package promotion

import (
	"context"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/compress"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/sandbox"
)

// carryFunction creates a function in the target, or a new version of an existing one.
func (w *work) carryFunction(ctx context.Context, step *Step, item Item) (*Definition, error) {
	source, err := w.Functions.Read(ctx, w.from.Scope, step.Name)
	if err != nil {
		return nil, err
	}
	// The snapshot has no code, and the function may have changed after it was read.
	if (Definition{Function: ofFunction(source)}).digest() != digestOf(item.After) {
		return nil, errs.Invalid("%s", changedSince(w.from.Name))
	}
	code, err := source.Code.Source()
	if err != nil {
		return nil, err
	}

	var f cloudfunction.Function
	if step.Change == Added {
		f, err = w.createFunction(ctx, step.Name, code, source.Remark, source.Plan)
	} else {
		plan := string(source.Plan)
		f, err = w.Functions.Modify(ctx, w.to.Scope, w.by.Name, step.Name,
			cloudfunction.Patch{Code: &code, Plan: &plan, Remark: &source.Remark}, w.sameFunction(step.Was))
	}
	return &Definition{Function: ofFunction(f)}, err
}

// createFunction creates a function in the target. New functions have the free plan, so any other plan is a second
// write.
func (w *work) createFunction(
	ctx context.Context, name, code, remark string, plan sandbox.Plan,
) (cloudfunction.Function, error) {
	f, err := w.Functions.Create(ctx, w.to.Scope, w.by.Name, cloudfunction.New{Name: name, Code: code, Remark: remark})
	if err != nil || f.Plan == plan {
		return f, err
	}
	text := string(plan)
	return w.Functions.Modify(writetoken.Step(ctx, "plan"), w.to.Scope, w.by.Name, name, cloudfunction.Patch{Plan: &text})
}

// revertFunction restores a function.
func (w *work) revertFunction(ctx context.Context, i int, digest string) error {
	step := w.record.Steps[i]
	if step.Change == Changed {
		_, err := w.Functions.Restore(ctx, w.to.Scope, w.by.Name, step.Name, step.Version, w.sameFunction(digest))
		// A function keeps a limited number of versions.
		if errs.Is(err, errs.KindNotFound) {
			return errs.Invalid("version %d is no longer kept", step.Version)
		}
		return err
	}

	code, err := compress.Gunzip(w.before[i].Code)
	if err != nil {
		return err
	}
	was := w.before[i].Definition.Function
	_, err = w.createFunction(ctx, step.Name, string(code), was.Remark, was.Plan)
	return err
}
