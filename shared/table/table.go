// Package table knows tables (schemas), their rows, what can be written into them, and what a query about them is.
//
//	Table       columns, defaults, permissions, indexes   table.go
//	Definition  a change of a schema                       definition.go
//	Row         values of the columns and what all rows have   rows.go
//	Draft       a row to be created                        draft.go
//	Entry       a row's place in an index                  entry.go
//	Query       where, order, offset, limit                query.go
//
// Package manage writes and package finder finds them.
//
// Rows live under time-ordered ids, so "newest first" and "created between"
// are ranges of keys. An indexed column has one entry per row, ordered by the
// encoded value and then by id, written in the row's own transaction. A tree of
// counters over the ids (package count) gives totals. Every reader sees every finished write;
// only counters may be up to 2 s behind.
//
// The built-in table _userprofile (users) is one more schema; its ids are
// integers.
package table

import (
	"fmt"
	"slices"
	"strconv"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
)

// ID is the integer id of a table; time-ordered, but for the built-in tables.
type ID int64

// UserProfiles is the id of the built-in table _userprofile in every
// environment, and UserProfilesName its name.
const (
	UserProfiles     ID = 1
	UserProfilesName    = "_userprofile"
)

// Table is a schema with its identity.
type Table struct {
	ID             ID
	Name           string // unique in its environment
	Columns        []Column
	WritePerm      []string // who may add rows
	DefaultRowPerm RowPerm  // what a new row gets
	CreatedAt      int64    // Unix seconds
	UpdatedAt      int64    // Unix seconds
	Revision       int64    // counts changes of the schema
	// Dropped are the names of removed columns: a column that gets such a name
	// again must not see the old values.
	Dropped []string
	// Listeners are the triggers that wait for changes of its rows.
	Listeners Listeners `json:"-"`
	// Tokens are those of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List `json:",omitempty"`
}

// Listeners count the enabled triggers on a table's rows: a change without listeners makes no event. Adding, removing
// or changing a trigger adds 1 to the table's Revision, too.
type Listeners struct{ Create, Update, Delete int }

// RowPerm says who may read and write a row, as stored and returned; the open
// API acts for the application's administrator, who may do everything.
type RowPerm struct {
	Read  []string
	Write []string
}

// Column is a column of a table.
type Column struct {
	value.Column
	Description string
	// Key is the attribute in which rows keep the value: the name, or "<name>.<n>"
	// when an earlier column had that name.
	Key string
	// Index is set where entries are kept; Column.Indexed is set where queries
	// may use them.
	Index *Index
	// BuiltIn columns belong to the platform: they cannot be removed.
	BuiltIn bool
	// ACL is what clients may do with it; nil is DefaultACL, in a definition as it is.
	ACL *ACL `json:",omitempty"`
}

// Index names the entries of one column.
type Index struct {
	ID string // never used twice in a table
	// BuildingSince is when the index was added to a table that may have rows,
	// Unix seconds. Until they all have entries queries do not use it; 0 = ready.
	BuildingSince int64
}

// IntegerIDs reports whether the ids of rows are integers on the wire (users),
// not 24 hex digits.
func (t Table) IntegerIDs() bool { return t.ID == UserProfiles }

// Open returns an errs.Forbidden for a table whose rows the open API only
// reads: users are written through endpoints of their own.
func (t Table) Open() error {
	if t.ID == UserProfiles {
		return errs.Forbidden("the rows of %s are written through the user endpoints", UserProfilesName)
	}
	return nil
}

// Schema returns the table's own columns.
func (t Table) Schema() value.Schema {
	schema := make(value.Schema, len(t.Columns))
	for i, c := range t.Columns {
		schema[i] = c.Column
	}
	return schema
}

// Queryable returns everything a query can name: what all rows have, and the
// table's own columns.
func (t Table) Queryable() value.Schema {
	id := value.String
	if t.IntegerIDs() {
		id = value.Integer
	}
	return append(value.BuiltIn(id), t.Schema()...)
}

// Column finds one of the table's own columns by name.
func (t Table) Column(name string) (Column, bool) {
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}, false
	}
	return t.Columns[i], true
}

// String returns the id as in paths and keys.
func (i ID) String() string { return strconv.FormatInt(int64(i), 10) }

// Collection returns the name under which the rows of a table are counted.
func Collection(scope tenant.Scope, table ID) count.Collection {
	return count.Collection(fmt.Sprintf("%s#%d", scope, table))
}

// ParseID reads a table's id from a path.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseInt(text, 10, 53)
	if err != nil || n <= 0 {
		return 0, errs.NotFound("table %q not found", text)
	}
	return ID(n), nil
}
