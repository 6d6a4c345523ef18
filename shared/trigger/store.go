package trigger

import (
	"context"
	"time"

	"minicloud/shared/table"
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

// Candidates finds the triggers that may care about an event.
type Candidates interface {
	// Candidates returns the enabled triggers of an index key.
	Candidates(ctx context.Context, scope tenant.Scope, key string) ([]Trigger, error)
}

// Schemas tells what a table is like.
type Schemas interface {
	// Table returns a table, errs.NotFound when there is none.
	Table(ctx context.Context, scope tenant.Scope, id table.ID) (table.Table, error)
}
