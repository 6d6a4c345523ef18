package trigger

import (
	"context"
	"time"

	"minicloud/shared/tenant"
)

// Store stores triggers. For an enabled timer it also stores the next minute, which engine.Dues reads; a zero next
// means there is none.
type Store interface {
	// Insert adds a trigger. It returns errs.Invalid if the environment already has MaxTriggers.
	Insert(ctx context.Context, scope tenant.Scope, t Trigger, next time.Time) error
	// Trigger returns a trigger. It returns errs.NotFound if it does not exist.
	Trigger(ctx context.Context, scope tenant.Scope, id ID) (Trigger, error)
	// Triggers returns all triggers of an environment, newest first.
	Triggers(ctx context.Context, scope tenant.Scope) ([]Trigger, error)
	// Replace replaces old by t. It returns errs.Conflict if the stored trigger has changed since old was read and
	// errs.NotFound if it was deleted.
	Replace(ctx context.Context, scope tenant.Scope, old, t Trigger, next time.Time) error
	// Delete removes a trigger. It returns errs.Conflict or errs.NotFound like Replace.
	Delete(ctx context.Context, scope tenant.Scope, t Trigger) error
}
