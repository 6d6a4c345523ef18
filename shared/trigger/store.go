package trigger

import (
	"context"
	"time"

	"minicloud/shared/tenant"
)

// Store remembers triggers. Of an enabled timer it also remembers its next minute, zero for none, for Dues.
type Store interface {
	// Insert adds a trigger: errs.Invalid when the environment has MaxTriggers.
	Insert(ctx context.Context, scope tenant.Scope, t Trigger, next time.Time) error
	// Trigger returns one, errs.NotFound when there is none.
	Trigger(ctx context.Context, scope tenant.Scope, id ID) (Trigger, error)
	// Triggers returns all of an environment, newest first.
	Triggers(ctx context.Context, scope tenant.Scope) ([]Trigger, error)
	// Replace puts t in the place of old: errs.Conflict when it is not old any more, errs.NotFound when it is gone.
	Replace(ctx context.Context, scope tenant.Scope, old, t Trigger, next time.Time) error
	// Delete removes a trigger: errs.Conflict, errs.NotFound as Replace.
	Delete(ctx context.Context, scope tenant.Scope, t Trigger) error
}
