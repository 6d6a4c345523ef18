// Package promotion compares two environments of an application, and carries functions, tables and triggers from one to
// the other and back.
//
//	contents.go    which kinds of thing an environment holds
//	definition.go  what a promotion carries of a thing, without ids and secrets
//	estate.go      an environment as it is compared
//	compare.go     two of them side by side
//	plan.go        what becomes of what is asked for, before anything is written
//	promote.go     doing it: function.go table.go trigger.go
//	revert.go      the way back, with what before.go has kept
//
// A definition names tables and groups where the stored form has their ids, so that those of two environments can be
// compared and one can be written in the other. What belongs to an environment alone is no part of it: rows, variables
// of functions, keys and addresses of webhooks, and whether a trigger is enabled.
//
// A promotion is recorded before it begins, with what there was before, and after each of its steps:
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

// Kind says what is carried, spelled as on the wire.
type Kind string

// The kinds.
const (
	KindFunction Kind = "function"
	KindTable    Kind = "table"
	KindTrigger  Kind = "trigger"
)

// kinds are all of them, in the order of a comparison.
var kinds = []Kind{KindFunction, KindTable, KindTrigger}

// Change says how a thing of the target differs from the source's.
type Change string

// The changes: only in the source, different, only in the target, the same.
const (
	Added   Change = "added"
	Changed Change = "changed"
	Removed Change = "removed"
	Same    Change = "same"
)

// Ref names a thing of an environment.
type Ref struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name" minLength:"1"`
}

// MaxItems is how many things one promotion carries.
const MaxItems = 50

// Kept is how long a promotion can be looked at and reverted.
const Kept = 90 * 24 * time.Hour

// Status says how far a step has come.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Done    Status = "done"
	Failed  Status = "failed"
)

// Record is a promotion that was begun.
type Record struct {
	ID        id.ID        `json:"-"` // 0 = none was begun
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

// Step is what becomes of one thing.
type Step struct {
	Ref
	Change Change `json:"change"`
	Status Status `json:"status"`
	// Error is why it failed, or why it is still pending.
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Options  Options  `json:"options"`
	// Was and Became are digests of the target's definition before and after, "" where there was none. Became is what
	// is expected while the step is pending.
	Was     string `json:"was,omitempty"`
	Became  string `json:"became,omitempty"`
	Version int    `json:"version,omitempty"` // that a function had before
	// Reverted is set when what was before is there again; RevertError is why the last try did not manage.
	Reverted    bool   `json:"reverted,omitempty"`
	RevertError string `json:"revert_error,omitempty"`
}

// Options are what a caller says beside what is to be carried.
type Options struct {
	Remove bool `json:"remove,omitempty"` // Delete what only the target has. A table must have no rows.
	// Fields that only the target's table has and that go with their values; others stay.
	RemoveFields []string `json:"remove_fields,omitempty"`
	Enable       bool     `json:"enable,omitempty"` // A new trigger arrives as it is in the source; otherwise disabled.
}

// Store remembers promotions.
type Store interface {
	// Insert adds a promotion with what there was before its steps. errs.Conflict when there is one of that id.
	Insert(ctx context.Context, r Record, before []byte) error
	// Update replaces a promotion by its next revision: errs.Conflict when another has done so.
	Update(ctx context.Context, r Record) error
	// Promotion returns one, errs.NotFound when there is none.
	Promotion(ctx context.Context, app tenant.AppID, id id.ID) (Record, error)
	// Before returns what was inserted with a promotion.
	Before(ctx context.Context, r Record) ([]byte, error)
	// Promotions returns those of an application, newest first.
	Promotions(ctx context.Context, app tenant.AppID, req page.Request) (page.Page[Record], error)
}
