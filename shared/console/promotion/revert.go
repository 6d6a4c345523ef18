package promotion

import (
	"context"
	"fmt"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
)

// Undo selects what a revert restores.
type Undo struct {
	Items []Ref `json:"items"` // Objects to restore; none means all.
	Force bool  `json:"force"` // Also restore objects that were changed after the promotion.
}

// Revert undoes the steps of a promotion: it deletes new objects and restores the previous definition of the others. It
// refuses to delete rows and values of added columns. An error returned with a record is the retryable error of a step.
func (s *Service) Revert(ctx context.Context, record Record, to Environment, by Author, undo Undo) (Record, error) {
	ctx = s.keyed(ctx)
	for _, ref := range undo.Items {
		if !slices.ContainsFunc(record.Steps, func(step Step) bool { return step.Ref == ref }) {
			return Record{}, errs.Invalid("items: the promotion does not include %s", ref)
		}
	}
	w := &work{Service: s, by: by, record: record, again: writetoken.FromContext(ctx).Again}
	packed, err := s.Store.Before(ctx, record)
	if err != nil {
		return Record{}, err
	}
	if w.before, err = unpack(packed); err != nil {
		return Record{}, err
	}
	if w.to, err = s.read(ctx, to); err != nil {
		return Record{}, err
	}

	for _, i := range ordered(record.Steps, Step.revertRank) {
		step := &w.record.Steps[i]
		// A pending step may have had its effect although its response was lost, so undo it as well.
		left := step.Status == Failed || step.Reverted
		if left || len(undo.Items) > 0 && !slices.Contains(undo.Items, step.Ref) || w.late(ctx) {
			continue
		}
		if err := w.revertStep(ctx, i, undo.Force); err != nil {
			return Record{}, err
		}
	}
	return w.record, w.unsettled
}

// revertRank returns the rank of the opposite change.
func (s Step) revertRank() int {
	switch s.Change {
	case Added:
		s.Change = Removed
	case Removed:
		s.Change = Added
	}
	return s.rank()
}

// revertStep undoes one step and stores the result.
func (w *work) revertStep(ctx context.Context, i int, force bool) error {
	step := &w.record.Steps[i]
	err := w.restore(writetoken.StepOf(ctx, i, "revert "+step.Ref.String()), i, force)
	if step.RevertError, _ = w.failure(err); err == nil {
		step.Reverted = true
		w.record.RevertedAt, w.record.RevertedBy = w.Clock.Now().Unix(), w.by.Name
	}
	return w.save(ctx)
}

// restore undoes one step if the target is unchanged since the promotion, or if the caller forces it.
func (w *work) restore(ctx context.Context, i int, force bool) error {
	step := &w.record.Steps[i]
	if step.Kind == KindTrigger && len(w.to.triggers[step.Name]) > 1 {
		return errs.Invalid("%s has several triggers with this name: rename them first", w.to.Name)
	}
	now := digestOf(w.to.definition(step.Ref))
	switch {
	case now == step.Was:
		return nil // already in its previous state
	case now != step.Became && !force:
		return errs.Invalid("%s", w.since(now))
	case step.Was == "":
		return w.remove(ctx, step, now)
	case now == "" && step.Change == Changed:
		return errs.Invalid("it was deleted in %s after the promotion", w.to.Name)
	case now != "" && step.Change == Removed:
		return errs.Invalid("%s now has another item with this name", w.to.Name)
	case step.Kind == KindFunction:
		return w.revertFunction(ctx, i, now)
	case step.Kind == KindTable:
		return w.revertTable(ctx, i, now)
	}
	return w.revertTrigger(ctx, i, now)
}

// since returns how the object was changed after the promotion.
func (w *work) since(now string) string {
	if now == "" {
		return fmt.Sprintf("it was deleted in %s after the promotion", w.to.Name)
	}
	return fmt.Sprintf("it was changed in %s after the promotion", w.to.Name)
}
