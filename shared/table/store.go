package table

import (
	"context"
	"errors"

	"minicloud/shared/errs"
	"minicloud/shared/language/value/update"
	"minicloud/shared/tenant"
)

// TableStore remembers schemas.
type TableStore interface {
	// InsertTable adds a table: errs.Duplicate when its name or id is taken.
	InsertTable(ctx context.Context, scope tenant.Scope, t Table) error
	// Table returns the table, errs.NotFound when there is none.
	Table(ctx context.Context, scope tenant.Scope, id ID) (Table, error)
	// TableByName returns the table of that name, errs.NotFound when there is none.
	TableByName(ctx context.Context, scope tenant.Scope, name string) (Table, error)
	// Tables returns all tables, newest first, without pages: an environment has few.
	Tables(ctx context.Context, scope tenant.Scope) ([]Table, error)
	// ReplaceTable puts next in the place of old: errs.Conflict when the table is
	// not old any more, errs.Duplicate when the new name is taken.
	ReplaceTable(ctx context.Context, scope tenant.Scope, old, next Table) error
	// DeleteTable removes the table and frees its name: errs.NotFound when it is
	// gone. Its rows can no longer be reached; Purge removes them.
	DeleteTable(ctx context.Context, scope tenant.Scope, t Table) error
}

// RowStore remembers rows and their index entries, which are consistent at any
// moment. Reads see every finished write.
type RowStore interface {
	// Write makes the changes; result i is nil when change i is done. Each change
	// is atomic with its index entries, and independent of the others. Deleting a
	// missing row succeeds: a lost answer of this deletion looks the same.
	// errs.Conflict: the row is not Old any more; as a *Stale it holds the current
	// row. errs.Duplicate: a row with this id exists. ErrDone: the change's Token
	// exists.
	Write(ctx context.Context, scope tenant.Scope, t Table, changes []Change) []error
	// Patch changes one row by operations that need no look at it (Patchable),
	// in one atomic write, and returns the row as it is then. No column with an
	// index may be among them. errs.NotFound when there is no such row,
	// ErrTooLarge, or ErrMustRead when only a look at the row can tell whether it
	// would be too large, or there is no room for the patch's Token. A row that
	// has the token already is returned as it is.
	Patch(ctx context.Context, scope tenant.Scope, t Table, id RowID, patch Patch) (Row, error)
	// ReadRows returns the existing rows of the ids.
	ReadRows(ctx context.Context, scope tenant.Scope, t Table, ids []RowID) (map[RowID]Row, error)
	// ScanRows walks rows in the order of their ids, one step.
	ScanRows(ctx context.Context, scope tenant.Scope, t Table, scan RowScan) (RowStep, error)
	// ScanIndex walks the entries of one index in their order, one step.
	ScanIndex(ctx context.Context, scope tenant.Scope, t Table, index string, scan IndexScan) (IndexStep, error)
	// Reindex adds the rows' entries to the column's index, with the values at the
	// moment of writing; it skips deleted rows.
	Reindex(ctx context.Context, scope tenant.Scope, t Table, c Column, rows []Row) error
	// PurgeRows removes some rows of a deleted table and fires no trigger. It
	// reports whether all are gone now.
	PurgeRows(ctx context.Context, scope tenant.Scope, id ID) (done bool, err error)
	// PurgeIndex removes some entries of a removed index. It reports whether all
	// are gone now.
	PurgeIndex(ctx context.Context, scope tenant.Scope, id ID, index string) (done bool, err error)
}

// ErrMustRead refuses a patch that can only be made after reading the row.
var ErrMustRead = errors.New("table: the row must be read to be changed")

// ErrTooLarge is the errs.Invalid for a row that would be over MaxRowBytes.
var ErrTooLarge = errs.Invalid("the row is over %d KB", MaxRowBytes>>10)

// Stale is the errs.Conflict of a change whose row is not Old any more, with the
// current row.
type Stale struct {
	Row Row
	Err error
}

// Error implements error.
func (s *Stale) Error() string { return s.Err.Error() }

// Unwrap returns the errs.Conflict.
func (s *Stale) Unwrap() error { return s.Err }

// ErrDone refuses a change that an earlier try made already: its token exists.
var ErrDone = errors.New("table: the change was made already")

// Change is the creation of a row (no Old), its replacement, or its deletion
// (no New; Origin is then that of the deletion).
type Change struct {
	Old, New *Row
	Origin   Origin
	// Token is a write token that the store keeps beside the row for a day, in the
	// change's transaction, which fails with ErrDone where it is there already;
	// "" = none.
	Token string
	// Fresh is the creation of a row with a new random id, which cannot exist yet.
	Fresh bool
}

// Patch is a change of one row that the store can make without reading it.
type Patch struct {
	Operations update.Operations
	UpdatedAt  int64 // Unix seconds
	Origin     Origin
	Token      string // to be left in the row's Tokens, "" = none
}

// RowScan is one step over rows: ids in [From, To), at most Limit of them.
type RowScan struct {
	From, To   RowID // "" = open
	Descending bool
	Limit      int  // rows to look at; 0 = what one read gives (1 MB)
	IDsOnly    bool // leave the rows' fields out
	// Only are the columns to read beside the id: Column.Key, or the name of a
	// built-in column; nil = all.
	Only []string
	// Filter lets the store leave out rows that do not match. The store may ignore
	// it, so the caller filters again.
	Filter Filter
}

// RowStep is what one step over rows found.
type RowStep struct {
	Rows    []Row
	Scanned int   // rows looked at, those left out included
	Last    RowID // last row looked at, "" when the range is done
}

// IndexScan is one step over entries: keys in [From, To), at most Limit.
type IndexScan struct {
	From, To   string // encoded keys (encode.go), "" = open
	Descending bool
	Limit      int // 0 = what one read gives (1 MB)
	CountOnly  bool
}

// IndexStep is what one step over an index found.
type IndexStep struct {
	Entries []Entry
	Count   int
	Last    string // key of the last entry looked at, "" when the range is done
}

// Entry is one row's place in an index.
type Entry struct {
	Value string // encoded, see EncodeValue
	ID    RowID
}

// Worker runs work that is too long for one request.
type Worker interface {
	// Submit has the task run at least once, not before delay seconds.
	Submit(ctx context.Context, task Task, delay int) error
}

// Task is work that goes on in the background: Service.Work does some of it
// and submits the rest.
type Task struct {
	Scope string `json:"scope"` // tenant.Scope as text
	Table ID     `json:"table"`
	Index string `json:"index,omitempty"` // to purge or to build; "" = the rows of a deleted table
	Build bool   `json:"build,omitempty"`
	After RowID  `json:"after,omitempty"` // where building an index goes on
	// Counters asks to purge the counters of a deleted table; Looks counts the checks whether they are zero yet.
	Counters bool `json:"counters,omitempty"`
	// Changed is when columns were added or removed, or the table was deleted, in Unix milliseconds. The triggers on
	// the table check themselves against it; Work ignores it.
	Changed int64 `json:"changed,omitempty"`
	Looks   int   `json:"looks,omitempty"`
}

// TableFilter chooses tables; what is "" chooses all.
type TableFilter struct {
	Name string // the whole name
	Part string // of the name, see page.Named
}
