// Package table defines tables (schemas), rows, writes and queries.
//
//	Table       columns, defaults, permissions, indexes   table.go
//	Definition  change of a schema                        definition.go
//	Row         column values and built-in columns        rows.go
//	Draft       row to create                             draft.go
//	Entry       index entry of a row                      entry.go
//	Query       where, order, offset, limit               query.go
//
// Package manage writes rows and schemas, package plan chooses the keys of queries, and package finder executes them.
//
// Row ids are time-ordered, so "newest first" and "created between" are key ranges. An indexed column has one entry
// per row, ordered by encoded value, then by id, and written in the transaction of the row. A tree of counters over
// the ids (package count) provides totals. All reads are strongly consistent except counters, which may lag by up to
// 2 s.
//
// The built-in table _userprofile (users) has a schema like any other table; its ids are integers.
package table

import (
	"fmt"
	"strconv"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value"
	"minicloud/shared/table/shard"
	"minicloud/shared/tenant"
)

// ID is the integer id of a table. It is time-ordered, except for built-in tables.
type ID int64

// Id and name of the built-in table _userprofile, the same in every environment.
const (
	UserProfiles     ID = 1
	UserProfilesName    = "_userprofile"
)

// Table is a schema with its id and name.
type Table struct {
	ID             ID
	Name           string // unique in its environment
	Columns        []Column
	WritePerm      []string // who may create rows
	DefaultRowPerm RowPerm  // default permissions of a new row
	CreatedAt      int64    // Unix seconds
	UpdatedAt      int64    // Unix seconds
	Revision       int64    // number of schema changes
	// Dropped lists the names of removed columns: a new column with such a name must not see the old values.
	Dropped []string
	// FieldIndexes are the indexes that are unique or over several columns.
	FieldIndexes []FieldIndex `json:",omitempty"`
	// Epochs says in which partitions rows lie (package shard); empty = all in one.
	Epochs shard.Epochs `json:",omitempty"`
	// Listeners counts the triggers on the table's rows.
	Listeners Listeners `json:"-"`
	// Readers is what the table knows about the readers of its rows (readers.go); nil = a table of an earlier release, of
	// which nothing is known.
	Readers *Readers `json:",omitempty"`
	// Tokens are the write tokens of changes with an Idempotency-Key (D8: each takes effect once).
	Tokens writetoken.List `json:",omitempty"`
}

// Listeners holds the number of enabled triggers on a table's rows, by event. A change without listeners produces no
// event. Adding, removing or changing a trigger also adds 1 to the table's Revision.
type Listeners struct{ Create, Update, Delete int }

// RowPerm lists who may read and write a row, as stored and returned. The open API acts as the application's
// administrator, who has full access.
type RowPerm struct {
	Read  []string
	Write []string
}

// Column is a column of a table.
type Column struct {
	value.Column
	Description string
	// Key is the stored attribute of the value: the column's name, or "<name>.<n>" if a removed column had that name.
	Key string
	// Index is set if rows have index entries; Column.Indexed is set if queries may use them.
	Index *Index
	// BuiltIn marks a column of the platform, which cannot be removed.
	BuiltIn bool
	// ACL restricts client access; nil means DefaultACL, or "unchanged" in a definition.
	ACL *ACL `json:",omitempty"`
}

// Index identifies the index entries of a column.
type Index struct {
	ID string // never reused within a table
	// BuildingSince is when the index was added to a table that may have rows, in Unix seconds; 0 = ready. Queries do
	// not use the index until every row has an entry.
	BuildingSince int64
}

// IntegerIDs reports whether row ids are integers on the wire (users) rather than 24 hex digits.
func (t Table) IntegerIDs() bool { return t.ID == UserProfiles }

// Open returns errs.Forbidden for a table that the open API may only read: users are written through their own
// endpoints.
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

// Queryable returns all columns that a query can name: the built-in columns and the table's own.
func (t Table) Queryable() value.Schema {
	id := value.String
	if t.IntegerIDs() {
		id = value.Integer
	}
	return append(value.BuiltIn(id), t.Schema()...)
}

// Column returns the table's own column with this name; ok is false if there is none.
func (t Table) Column(name string) (Column, bool) {
	for i := range t.Columns { // a Column is large: IndexFunc would copy each
		if t.Columns[i].Name == name {
			return t.Columns[i], true
		}
	}
	return Column{}, false
}

// String returns the id as used in paths and keys.
func (i ID) String() string { return strconv.FormatInt(int64(i), 10) }

// Collection returns the counter collection of a table's rows.
func Collection(scope tenant.Scope, table ID) count.Collection {
	return count.Collection(fmt.Sprintf("%s#%d", scope, table))
}

// ParseID parses a table's id from a path. It returns errs.NotFound if the text is not an id.
func ParseID(text string) (ID, error) {
	n, err := strconv.ParseInt(text, 10, 53)
	if err != nil || n <= 0 {
		return 0, errs.NotFound("table %q not found", text)
	}
	return ID(n), nil
}
