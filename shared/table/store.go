package table

import (
	"context"
	"errors"

	"minicloud/shared/errs"
	"minicloud/shared/language/value/update"
	"minicloud/shared/tenant"
)

// TableStore stores schemas.
type TableStore interface {
	// InsertTable stores a new table. It returns errs.Duplicate if the name or id is taken.
	InsertTable(ctx context.Context, scope tenant.Scope, t Table) error
	// Table returns a table, or errs.NotFound.
	Table(ctx context.Context, scope tenant.Scope, id ID) (Table, error)
	// TableByName returns the table with this name, or errs.NotFound.
	TableByName(ctx context.Context, scope tenant.Scope, name string) (Table, error)
	// Tables returns all tables, newest first, without paging: an environment has few.
	Tables(ctx context.Context, scope tenant.Scope) ([]Table, error)
	// ReplaceTable replaces old by next. It returns errs.Conflict if the table has changed since old was read, and
	// errs.Duplicate if the new name is taken.
	ReplaceTable(ctx context.Context, scope tenant.Scope, old, next Table) error
	// DeleteTable deletes the table and frees its name. It returns errs.NotFound if the table no longer exists. Its
	// rows become unreachable; PurgeRows deletes them.
	DeleteTable(ctx context.Context, scope tenant.Scope, t Table) error
	// Build returns how far the build of an index is, the zero value if nothing is known.
	Build(ctx context.Context, scope tenant.Scope, id ID, index string) (Build, error)
	// PutBuild stores how far the build of an index is; the zero value forgets it.
	PutBuild(ctx context.Context, scope tenant.Scope, id ID, index string, b Build) error
}

// Build is how far the build of an index is.
type Build struct {
	After RowID // rows up to this one have entries
	At    int64 // when that was stored, in Unix seconds
}

// RowStore stores rows and their index entries, which are always consistent with each other. Reads are strongly
// consistent.
type RowStore interface {
	// Write makes the changes; result i is nil if change i was made. Each change is atomic with its index entries and
	// independent of the other changes. Deleting a missing row succeeds, because a retry after a lost response looks
	// the same.
	//
	// Errors of a change: errs.Conflict if the row has changed since Old was read, as a *Stale if the current row is
	// known; errs.Duplicate if a row with this id exists; ErrDone if the change's Token exists; *NotUnique if another row
	// has the values of New in a unique index.
	Write(ctx context.Context, scope tenant.Scope, t Table, changes []Change) []error
	// Patch applies operations that do not need the current row (Patchable) in one atomic write, and returns the row
	// after it. No changed column may have an index. A row that already has the token is returned unchanged. Patch
	// returns errs.NotFound if the row does not exist, ErrTooLarge, or ErrMustRead if the row must be read because of
	// its size, because it has no room for the token, because a sum must be rounded, or because its permissions differ
	// from those of Permitted.
	Patch(ctx context.Context, scope tenant.Scope, t Table, id RowID, patch Patch) (Row, error)
	// HasToken reports whether the Token of a change is stored apart from its row, which had no room for it.
	HasToken(ctx context.Context, scope tenant.Scope, t Table, token string) (bool, error)
	// ReadRows returns the rows with these ids; missing rows are left out.
	ReadRows(ctx context.Context, scope tenant.Scope, t Table, ids []RowID) (map[RowID]Row, error)
	// ScanRows reads one step of rows in id order.
	ScanRows(ctx context.Context, scope tenant.Scope, t Table, scan RowScan) (RowStep, error)
	// ScanIndex reads one step of index entries in key order.
	ScanIndex(ctx context.Context, scope tenant.Scope, t Table, index string, scan IndexScan) (IndexStep, error)
	// Reindex adds entries of the rows to the column's index. It uses the values at the time of writing and skips
	// deleted rows.
	Reindex(ctx context.Context, scope tenant.Scope, t Table, c Column, rows []Row) error
	// Claim adds claims of the rows to the unique index, as Reindex adds entries. It returns a *NotUnique for a row whose
	// values another row has.
	Claim(ctx context.Context, scope tenant.Scope, t Table, x FieldIndex, rows []Row) error
	// ReindexReaders adds the entries of the rows to the index of readers. It uses the permissions at the time of writing
	// and skips deleted rows.
	ReindexReaders(ctx context.Context, scope tenant.Scope, t Table, rows []Row) error
	// PurgeRows deletes some rows of a deleted table without firing triggers. shards is Table.Epochs.Most(). done reports
	// whether no rows are left.
	PurgeRows(ctx context.Context, scope tenant.Scope, id ID, shards int) (done bool, err error)
	// PurgeIndex deletes some entries of a removed index. done reports whether no entries are left.
	PurgeIndex(ctx context.Context, scope tenant.Scope, id ID, index string) (done bool, err error)
}

// ErrMustRead is returned for a patch that requires reading the row first.
var ErrMustRead = errors.New("table: the row must be read to be changed")

// ErrTooLarge is the errs.Invalid for a row that exceeds MaxRowBytes.
var ErrTooLarge = errs.Invalid("the row is over %d KB", MaxRowBytes>>10)

// Stale is the errs.Conflict of a change whose row differs from Old. It holds the current row.
type Stale struct {
	Row Row
	Err error
}

// Error implements error.
func (s *Stale) Error() string { return s.Err.Error() }

// Unwrap returns the errs.Conflict.
func (s *Stale) Unwrap() error { return s.Err }

// ErrDone is returned for a change that an earlier try already made: its write token exists.
var ErrDone = errors.New("table: the change was made already")

// Change creates a row (no Old), replaces it, or deletes it (no New). Origin is the origin of a deletion.
type Change struct {
	Old, New *Row
	Origin   Origin
	// Token is a write token that the store keeps beside the row for a day, "" = none. It is written in the
	// transaction of the change, which fails with ErrDone if the token exists.
	Token string
	// Fresh marks the creation of a row with a new random id, which cannot exist yet.
	Fresh bool
}

// Patch is a change of one row that the store can make without reading the row.
type Patch struct {
	Operations update.Operations
	UpdatedAt  int64 // Unix seconds
	Origin     Origin
	Token      string // added to the row's Tokens, "" = none
	// Permitted is a row as read before: the patch needs the same permissions and creator, otherwise Patch returns
	// ErrMustRead. nil = none are needed.
	Permitted *Row
}

// RowScan is one step over the rows with ids in [From, To), at most Limit rows.
type RowScan struct {
	From, To   RowID // "" = open
	Descending bool
	Limit      int  // rows to read; 0 = as many as one read returns (1 MB)
	IDsOnly    bool // omit the rows' fields
	// Only lists the columns to read besides the id: Column.Key or the name of a built-in column; nil = all columns.
	Only []string
	// Filter lets the store omit rows that do not match. The store may ignore it, so the caller must filter again.
	Filter Filter
}

// RowStep is the result of one step over rows.
type RowStep struct {
	Rows    []Row
	Scanned int   // rows read, including omitted rows
	Last    RowID // last row read, "" at the end of the range
}

// IndexScan is one step over the index entries with keys in [From, To), at most Limit entries.
type IndexScan struct {
	From, To   string // encoded keys (entry.go), "" = open
	Descending bool
	Limit      int // 0 = as many as one read returns (1 MB)
	CountOnly  bool
}

// IndexStep is the result of one step over an index.
type IndexStep struct {
	Entries []Entry
	Count   int
	Last    string // key of the last entry read, "" at the end of the range
}

// Entry is the entry of one row in an index.
type Entry struct {
	Value string // encoded, see EncodeValue
	ID    RowID
}

// Task is work in the background: Service.Work does part of it and submits the rest.
type Task struct {
	Scope string `json:"scope"` // tenant.Scope.String
	Table ID     `json:"table"`
	Index string `json:"index,omitempty"` // index to purge or build; "" = the rows of a deleted table
	Build bool   `json:"build,omitempty"`
	// Shards is Table.Epochs.Most() of a deleted table; 0 = 1.
	Shards int   `json:"shards,omitempty"`
	After  RowID `json:"after,omitempty"` // cursor of an index build
	Built  bool  `json:"built,omitempty"` // all rows have entries, and the index can become available
	Noted  bool  `json:"noted,omitempty"` // the store knows how far the build is
	// Needed are the kinds of rows that get an entry for their kind in a build of the index of readers, and Seen those
	// that it has found.
	Needed Kinds `json:"needed,omitempty"`
	Seen   Kinds `json:"seen,omitempty"`
	// Counters requests purging the counters of a deleted table. Looks is the number of checks whether they are zero.
	Counters bool `json:"counters,omitempty"`
	// Changed is the time of the schema change or table deletion in Unix milliseconds. Triggers on the table validate
	// themselves against the new schema; Work ignores it.
	Changed int64 `json:"changed,omitempty"`
	Looks   int   `json:"looks,omitempty"`
}

// TableFilter selects tables; an empty field matches every table.
type TableFilter struct {
	Name string // exact name
	Part string // part of the name, see page.Named
	Own  bool   // only the application's own tables
}
