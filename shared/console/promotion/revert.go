package promotion

import (
	"context"
	"fmt"
	"slices"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
)

// Undo is what a caller says of the way back.
type Undo struct {
	Items []Ref `json:"items"` // Those to be put back; none means all.
	Force bool  `json:"force"` // Also what somebody has changed since.
}

// Revert puts back what a promotion has changed: things that came are deleted, the others are what they were. What is
// lost with it is refused: rows, and values of fields that came. The error beside a record is that of a step that may
// succeed when it is tried again.
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

	for _, i := range inOrder(record.Steps, Step.backRank) {
		step := &w.record.Steps[i]
		left := step.Status == Failed || step.Reverted
		if left || len(undo.Items) > 0 && !slices.Contains(undo.Items, step.Ref) || w.late(ctx) {
			continue
		}
		if err := w.back(ctx, i, undo.Force); err != nil {
			return Record{}, err
		}
	}
	return w.record, w.unsettled
}

// backRank is rank for the way back, where what came goes.
func (s Step) backRank() int {
	switch s.Change {
	case Added:
		s.Change = Removed
	case Removed:
		s.Change = Added
	}
	return s.rank()
}

// back reverts one step and notes what became of it.
func (w *work) back(ctx context.Context, i int, force bool) error {
	step := &w.record.Steps[i]
	err := w.putBack(writetoken.StepOf(ctx, i, "revert "+step.Ref.String()), i, force)
	switch {
	case err == nil:
		step.Reverted, step.RevertError = true, ""
		w.record.RevertedAt, w.record.RevertedBy = w.Clock.Now().Unix(), w.by.Name
	case retry.Retryable(err) || errs.Is(err, errs.KindInternal):
		step.RevertError, w.unsettled = clip.Text(errs.Message(err), maxMessage), err
	default:
		step.RevertError = clip.Text(errs.Message(err), maxMessage)
	}
	return w.save(ctx)
}

// putBack reverts one step, if the target still has what the promotion left there, or in any case where it is forced.
func (w *work) putBack(ctx context.Context, i int, force bool) error {
	step := &w.record.Steps[i]
	if step.Kind == KindTrigger && len(w.to.triggers[step.Name]) > 1 {
		return errs.Invalid("%s has several triggers with this name: rename them first", w.to.Name)
	}
	now := digestOf(w.to.definition(step.Ref))
	switch {
	case now == step.Was:
		return nil // it is as it was
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

// since says what somebody has done since the promotion.
func (w *work) since(now string) string {
	if now == "" {
		return fmt.Sprintf("it was deleted in %s after the promotion", w.to.Name)
	}
	return fmt.Sprintf("it was changed in %s after the promotion", w.to.Name)
}
