package promotion

import (
	"context"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// carryTrigger writes a trigger to the target.
func (w *work) carryTrigger(ctx context.Context, step *Step, item Item) (*Definition, error) {
	enabled := step.Options.Enable && w.from.triggers[step.Name][0].Enabled
	written, err := w.writeTrigger(ctx, step.Name, item.After.Trigger, enabled, step.Change == Added, step.Was)
	if err != nil {
		return nil, err
	}
	for _, warning := range written.Warnings {
		step.Warnings = append(step.Warnings, clip.Text(warning.String(), maxMessage))
	}
	return &Definition{Trigger: w.to.ofTrigger(written.Trigger)}, nil
}

// keepActionIDs gives actions the IDs of the target's actions of the same type, in order, so that an action keeps its
// log, its position in ordered flows and the key of its webhook.
func keepActionIDs(d TriggerDefinition, there []trigger.Action) {
	taken := map[trigger.ActionID]bool{}
	for _, action := range d.actions() {
		for _, old := range there {
			if !taken[old.ID] && action["type"] == string(old.Type) {
				taken[old.ID], action["id"] = true, float64(old.ID)
				break
			}
		}
	}
}

// writeTrigger creates a trigger, or changes the existing one if it still has the digest. enabled applies to a new
// trigger; an existing one stays enabled or disabled.
func (w *work) writeTrigger(
	ctx context.Context, name string, d TriggerDefinition, enabled, added bool, digest string,
) (manage.Written, error) {
	given, err := w.to.located(d)
	if err != nil {
		return manage.Written{}, err
	}
	given["name"] = name
	if added {
		given["enabled"] = enabled
		return w.Triggers.Create(ctx, w.to.Scope, w.by.Owner, given)
	}

	there := w.to.triggers[name]
	if len(there) == 0 {
		return manage.Written{}, errs.NotFound("trigger %q not found", name)
	}
	// Names are unique here: the plan refuses duplicates.
	keepActionIDs(given, there[0].Actions)
	return w.Triggers.Change(ctx, w.to.Scope, there[0].ID, given, w.sameTrigger(digest))
}

// dryRunTrigger checks a trigger in the target.
func (w *work) dryRunTrigger(ctx context.Context, step *Step, item Item) error {
	given, err := w.to.located(item.After.Trigger)
	if err != nil {
		return err
	}
	given["name"] = step.Name
	// Set the ID of an existing trigger, or the check would report its name as taken.
	if there := w.to.triggers[step.Name]; len(there) > 0 {
		given["id"] = float64(there[0].ID)
		keepActionIDs(given, there[0].Actions)
	}
	report, err := w.Triggers.Check(ctx, w.to.Scope, w.by.Owner, given)
	if err != nil {
		return err
	}
	for _, warning := range report.Warnings {
		step.Warnings = append(step.Warnings, clip.Text(warning.String(), maxMessage))
	}
	if err := report.Errors.Err(); err != nil {
		return errs.Invalid("%s", clip.Text(errs.Message(err), maxMessage))
	}
	return nil
}

// revertTrigger restores a trigger.
func (w *work) revertTrigger(ctx context.Context, i int, digest string) error {
	step := &w.record.Steps[i]
	was := w.before[i]
	_, err := w.writeTrigger(ctx, step.Name, was.Definition.Trigger, was.Enabled, step.Change == Removed, digest)
	return err
}
