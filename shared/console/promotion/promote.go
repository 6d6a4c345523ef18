package promotion

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/trigger"
)

// Author is the administrator who promotes.
type Author struct {
	Name string
	// Owner is recorded as the creator of new triggers.
	Owner int64
}

// lastStep is the time before the deadline of a request after which no step begins.
const lastStep = 4 * time.Second

// work is a promotion or a revert in progress.
type work struct {
	*Service
	from, to        *snapshot // from is nil for a revert
	by              Author
	record          Record
	before          []*Before // of a revert
	again           bool      // an earlier try of the request began it
	pointersPending []int     // steps whose tables lack pointers to tables of the same promotion
	// unsettled is the retryable error of a pending step.
	unsettled error
}

// Promote promotes objects one after another. A failed step stores its error, and the other steps continue. An object
// is changed only if it has not changed since it was read. An error returned with a record is that of a pending step: a
// repeated request with the same Idempotency-Key continues with that step.
func (s *Service) Promote(ctx context.Context, from, to Environment, by Author, wanted []Wanted) (Record, error) {
	ctx = s.keyed(ctx)
	w, items, err := s.prepare(ctx, from, to, by, wanted)
	if err != nil {
		return Record{}, err
	}
	begun, err := w.begin(ctx, items)
	if err != nil || !begun {
		return w.record, err
	}

	for _, i := range ordered(w.record.Steps, Step.rank) {
		step := &w.record.Steps[i]
		// All new tables exist now, so pointers between them can be added.
		if step.rank() > newTables {
			if err := w.linkTables(ctx, items); err != nil {
				return Record{}, err
			}
		}
		if step.Status != Pending || w.late(ctx) || step.rank() > newTables && w.waits(items[i]) {
			continue
		}
		ctx := writetoken.StepOf(ctx, i, step.Ref.String())
		if err := w.settle(ctx, i, w.carry(ctx, i, items[i])); err != nil {
			return Record{}, err
		}
	}
	if err := w.linkTables(ctx, items); err != nil {
		return Record{}, err
	}
	return w.record, w.unsettled
}

// waits reports whether a dependency's step is pending after a retryable error; this step then stays pending as well.
func (w *work) waits(item Item) bool {
	return slices.ContainsFunc(w.record.Steps, func(s Step) bool {
		return s.Status == Pending && slices.Contains(item.Needs, s.Ref) && w.to.definition(s.Ref) == nil
	})
}

// keyed adds a random Idempotency-Key to a request without one, so that a write retried after a lost response
// recognises its own effect.
func (s *Service) keyed(ctx context.Context) context.Context {
	if writetoken.FromContext(ctx) != nil {
		return ctx
	}
	return writetoken.NewContext(ctx, &writetoken.Request{
		At: s.Clock.Now().Truncate(time.Millisecond), Seed: id.Hex(16),
		Note: func(_ context.Context, _, text string) (string, error) { return text, nil },
	})
}

// DryRun is Promote without writing: a step is Done if it would succeed.
func (s *Service) DryRun(ctx context.Context, from, to Environment, by Author, wanted []Wanted) (Record, error) {
	w, items, err := s.prepare(ctx, from, to, by, wanted)
	if err != nil {
		return Record{}, err
	}
	for i := range w.record.Steps {
		step := &w.record.Steps[i]
		if step.Status != Pending {
			continue
		}
		if err := w.dryRun(ctx, step, items[i]); err != nil {
			// A failure of the platform says nothing about the object, so it is not an error of the step.
			if retry.Retryable(err) || errs.Is(err, errs.KindInternal) {
				return w.record, err
			}
			step.fail(errs.Message(err))
			continue
		}
		step.Status = Done
	}
	return w.record, nil
}

// prepare reads both environments and plans the steps.
func (s *Service) prepare(
	ctx context.Context, from, to Environment, by Author, wanted []Wanted,
) (*work, []Item, error) {
	if err := check(wanted); err != nil {
		return nil, nil, err
	}
	source, target, err := s.readBoth(ctx, from, to)
	if err != nil {
		return nil, nil, err
	}
	p := pair{source, target}
	steps, items := p.plan(wanted)
	for i := range items {
		// Read the variables of promoted functions only, not of the whole environment.
		if err := s.warnOfVariables(ctx, p, &items[i]); err != nil {
			return nil, nil, err
		}
		steps[i].Warnings = items[i].Warnings
	}
	w := &work{Service: s, from: source, to: target, by: by, record: Record{
		App: to.Scope.App, From: from.Scope.Env, To: to.Scope.Env, By: by.Name, CreatedAt: s.Clock.Now().Unix(), Steps: steps,
	}}
	return w, items, nil
}

// dryRun makes the checks that need more than the two snapshots.
func (w *work) dryRun(ctx context.Context, step *Step, item Item) error {
	switch {
	case step.Kind == KindTable && step.Change == Removed:
		return w.mustBeEmpty(ctx, w.to.tables[step.Name])
	case step.Kind == KindTable && step.Change == Changed:
		d := item.Before.Table.altered(step.Name, item.After.Table, step.Options.RemoveFields)
		return w.Tables.Check(ctx, w.to.Scope, w.to.tables[step.Name], d)
	case step.Kind == KindTrigger && step.Change != Removed && len(item.Needs) == 0:
		return w.dryRunTrigger(ctx, step, item)
	}
	return nil
}

// begin stores the promotion with the previous state of the target, or continues the promotion that an earlier try of
// the request stored. It returns false if no step is left to do.
func (w *work) begin(ctx context.Context, items []Item) (bool, error) {
	ids, now := writetoken.IDs(writetoken.Step(ctx, "promotion"), w.IDs, w.Clock.Now())
	// A repeated request derives the same ID, so it finds the promotion.
	number := ids.New(now)
	todo := slices.ContainsFunc(w.record.Steps, func(s Step) bool { return s.Status == Pending })
	// If nothing is left to do, another try may have done it before this one read the environments.
	if writetoken.FromContext(ctx).Again || !todo {
		known, err := w.Store.Promotion(ctx, w.record.App, number)
		if err == nil {
			w.record, w.again = known, true
			return true, nil
		}
		if !errs.Is(err, errs.KindNotFound) {
			return false, err
		}
	}

	if !todo {
		return false, nil
	}
	before := make([]*Before, len(items))
	for i, step := range w.record.Steps {
		if step.Status != Pending {
			continue
		}
		kept, err := w.keep(ctx, step, items[i])
		if err != nil {
			return false, err
		}
		before[i] = kept
	}
	w.record.ID, w.record.CreatedAt, w.record.Revision = number, now.Unix(), 1
	packed, err := pack(before)
	if err != nil {
		return false, err
	}
	return true, w.Store.Insert(ctx, w.record, packed)
}

// keep returns the state of an object before its step, nil if it does not exist. Code is copied only for a deleted
// function; otherwise it is kept as a version of the function.
func (w *work) keep(ctx context.Context, step Step, item Item) (*Before, error) {
	if item.Before == nil {
		return nil, nil
	}
	kept := &Before{Definition: *item.Before}
	switch step.Kind {
	case KindTrigger:
		kept.Enabled = w.to.triggers[step.Name][0].Enabled
	case KindFunction:
		if step.Change == Removed {
			f, err := w.Functions.Read(ctx, w.to.Scope, step.Name)
			if errs.Is(err, errs.KindNotFound) {
				err = errs.Conflict("%s was just deleted in %s: compare again", step.Ref, w.to.Name)
			}
			if err != nil {
				return nil, err
			}
			kept.Code = f.Code.Gzip
		}
	}
	return kept, nil
}

// late reports whether the time left is too short for a step, which then stays pending.
func (w *work) late(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	if !limited || time.Until(deadline) > lastStep {
		return false
	}
	w.unsettled = errs.Timeout("the request timed out: pending items were not promoted")
	return true
}

// settle stores the result of a step. A retryable error leaves it pending.
func (w *work) settle(ctx context.Context, i int, err error) error {
	if err == errPointersPending {
		return nil
	}
	step := &w.record.Steps[i]
	text, again := w.failure(err)
	step.Error = text
	switch {
	case err == nil:
		step.Status = Done
	case !again:
		step.Status = Failed
	}
	return w.save(ctx)
}

// failure returns the text of a step's error, "" without one, and whether the request can be repeated to retry the step.
func (w *work) failure(err error) (text string, again bool) {
	if err == nil {
		return "", false
	}
	if again = retry.Retryable(err) || errs.Is(err, errs.KindInternal); again {
		w.unsettled = err
	}
	return clip.Text(errs.Message(err), maxMessage), again
}

// save stores the record.
func (w *work) save(ctx context.Context) error {
	w.record.Revision++
	return w.Store.Update(ctx, w.record)
}

// maxMessage is the maximum length of an error text, in characters: a trigger can have hundreds of errors.
const maxMessage = 600

// carry executes one step.
func (w *work) carry(ctx context.Context, i int, item Item) error {
	step := &w.record.Steps[i]
	// In a repeated request, the source may have been deleted since.
	if step.Change != Removed && digestOf(item.After) == "" {
		return errs.Invalid("%s", changedSince(w.from.Name))
	}
	var became *Definition
	var err error
	switch {
	case step.Change == Removed:
		return w.remove(ctx, step, step.Was)
	case step.Kind == KindFunction:
		became, err = w.carryFunction(ctx, step, item)
	case step.Kind == KindTable:
		became, err = w.carryTable(ctx, i, item)
	default:
		became, err = w.carryTrigger(ctx, step, item)
	}
	if err == nil {
		step.Became = digestOf(became)
	}
	return err
}

// remove deletes the object of a step if it still has the digest.
func (w *work) remove(ctx context.Context, step *Step, digest string) (err error) {
	switch step.Kind {
	case KindFunction:
		err = w.Functions.Delete(ctx, w.to.Scope, step.Name, w.sameFunction(digest))
	case KindTable:
		err = w.removeTable(ctx, w.to.tables[step.Name], digest)
	default:
		if len(w.to.triggers[step.Name]) == 0 {
			err = errs.NotFound("%s not found", step.Ref)
			break
		}
		err = w.Triggers.Delete(ctx, w.to.Scope, w.to.triggers[step.Name][0].ID, w.sameTrigger(digest))
	}
	if w.again && errs.Is(err, errs.KindNotFound) {
		return nil // an earlier try deleted it
	}
	return err
}

// The guards return an error if the object was changed after it was read.

func (w *work) sameFunction(digest string) cloudfunction.Guard {
	return func(f cloudfunction.Function) error { return w.same(digest, Definition{Function: ofFunction(f)}) }
}

func (w *work) sameTable(digest string) manage.Guard {
	return func(t table.Table) error { return w.same(digest, Definition{Table: w.to.ofTable(t)}) }
}

func (w *work) sameTrigger(digest string) func(trigger.Trigger) error {
	return func(t trigger.Trigger) error { return w.same(digest, Definition{Trigger: w.to.ofTrigger(t)}) }
}

func (w *work) same(digest string, d Definition) error {
	if d.digest() != digest {
		return errs.Invalid("it was just changed in %s: compare again", w.to.Name)
	}
	return nil
}
