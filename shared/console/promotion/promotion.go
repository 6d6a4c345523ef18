// Package promotion compares two environments of an application, promotes functions, tables and triggers from one to
// the other, and reverts promotions.
//
//	contents.go    which kinds of objects an environment has
//	definition.go  the part of an object that is promoted, without IDs and secrets
//	snapshot.go    the state of an environment
//	compare.go     the differences of two environments
//	plan.go        the steps of a promotion, before anything is written
//	promote.go     executing the steps: function.go table.go trigger.go
//	revert.go      undoing the steps, from the state that before.go stores
//
// A definition contains names of tables and groups instead of IDs, so that definitions of two environments can be
// compared and written to either. It excludes everything that belongs to one environment: rows, variables of functions,
// keys and addresses of webhooks, and whether a trigger is enabled.
//
// A promotion is stored before its first step, with the previous state of the target, and after each step:
//
//	pending ──► done ──► reverted
//	   └──────► failed
package promotion

import (
	"context"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Kind is a kind of object, spelled as in the API.
type Kind string

// The kinds.
const (
	KindFunction Kind = "function"
	KindTable    Kind = "table"
	KindTrigger  Kind = "trigger"
)

// kinds lists all kinds, in the order of a comparison.
var kinds = []Kind{KindFunction, KindTable, KindTrigger}

// Change is the difference between an object of the target and that of the source.
type Change string

// The changes: only in the source, different, only in the target, equal.
const (
	Added   Change = "added"
	Changed Change = "changed"
	Removed Change = "removed"
	Same    Change = "same"
)

// Ref is a reference to an object of an environment.
type Ref struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name" minLength:"1"`
}

// MaxItems is the maximum number of objects in one promotion.
const MaxItems = 50

// Kept is the retention of a promotion: it can be read and reverted for this long.
const Kept = 90 * 24 * time.Hour

// Status is the progress of a step.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Done    Status = "done"
	Failed  Status = "failed"
)

// Record is a promotion.
type Record struct {
	ID        id.ID        `json:"-"` // 0 = nothing to promote, so none was stored
	App       tenant.AppID `json:"-"`
	Revision  int64        `json:"-"` // counts its writes
	From      tenant.EnvID `json:"from"`
	To        tenant.EnvID `json:"to"`
	CreatedAt int64        `json:"created_at"` // Unix seconds
	By        string       `json:"by"`
	Steps     []Step       `json:"steps"`
	// RevertedAt is when it was last reverted, Unix seconds; 0 = never.
	RevertedAt int64  `json:"reverted_at,omitempty"`
	RevertedBy string `json:"reverted_by,omitempty"`
}

// Step is the promotion of one object.
type Step struct {
	Ref
	Change Change `json:"change"`
	Status Status `json:"status"`
	// Error is why the step failed or is still pending.
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Options  Options  `json:"options"`
	// Was and Became are digests of the target's definition before and after, "" = no object. While the step is
	// pending, Became is the expected digest.
	Was     string `json:"was,omitempty"`
	Became  string `json:"became,omitempty"`
	Version int    `json:"version,omitempty"` // of a function before the step
	// Reverted is set once the step is undone; RevertError is why the last attempt to undo it failed.
	Reverted    bool   `json:"reverted,omitempty"`
	RevertError string `json:"revert_error,omitempty"`
}

// Options are the caller's choices for one object.
type Options struct {
	Remove bool `json:"remove,omitempty"` // Delete an object that only the target has. A table must be empty.
	// Columns of the target's table to delete with their values. Other columns that the source lacks stay.
	RemoveFields []string `json:"remove_fields,omitempty"`
	Enable       bool     `json:"enable,omitempty"` // Keep a new trigger enabled as in the source. By default it is created disabled.
}

// Store stores promotions.
type Store interface {
	// Insert adds a promotion with the state before its steps. It returns errs.Conflict if the ID exists.
	Insert(ctx context.Context, r Record, before []byte) error
	// Update writes the next revision of a promotion. It returns errs.Conflict if another writer was first.
	Update(ctx context.Context, r Record) error
	// Promotion returns a promotion. It returns errs.NotFound if there is none.
	Promotion(ctx context.Context, app tenant.AppID, id id.ID) (Record, error)
	// Before returns the state that was stored with a promotion.
	Before(ctx context.Context, r Record) ([]byte, error)
	// Promotions lists the promotions of an application, newest first.
	Promotions(ctx context.Context, app tenant.AppID, req page.Request) (page.Page[Record], error)
}
