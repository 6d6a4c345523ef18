package table

import (
	"slices"

	"minicloud/shared/permission"
)

// The index of readers finds the rows that an end user may read (C45). It has an entry for each user and group in a
// row's read permission, so that rows for everybody cost nothing more:
//
//	user:<id>, gid:<id>   every row that names them
//	user:anonymous        rows for every client, in a table that has rows for fewer readers too
//	user:*                rows for registered users, in a table that has rows for neither
//	wide                  rows that name more than MaxReaders users and groups
//
// The table's item holds which kinds of rows it has. A writer notes a kind before it writes the first such row, so a
// reader who does not find a kind there needs not look for its rows.

// ReadersIndex is the id of the index of readers. No column has it: ids of other indexes start with a letter.
const ReadersIndex = "@readers"

// MaxReaders is the maximum number of users and groups that a row has entries for. The entries of two such lists, of 20
// moved columns and the row change in one transaction of at most 100 items.
const MaxReaders = 24

// wideReaders is the entry of rows that name more than MaxReaders.
const wideReaders = "wide"

// Kinds is a set of kinds of rows, by who may read them.
type Kinds uint8

// The kinds. A row has one of the first three, and is Wide in addition.
const (
	ForEverybody  Kinds = 1 << iota // user:anonymous
	ForRegistered                   // user:*
	ForNamed                        // only users and groups, or no client
	Wide                            // names more than MaxReaders
)

func (k Kinds) has(other Kinds) bool { return k&other == other }

// needs returns the kinds whose rows need an entry for their kind, in a table with rows of these kinds: a reader who
// cannot read every row must find the others.
func (k Kinds) needs() (needed Kinds) {
	if k&(ForRegistered|ForNamed) != 0 {
		needed |= ForEverybody
	}
	if k.has(ForNamed) {
		needed |= ForRegistered
	}
	return needed
}

// Readers is what a table knows about the readers of its rows.
type Readers struct {
	// Kinds are those that the table has, or has had.
	Kinds Kinds
	// Indexed are the kinds of which every row has the entries that it needs. ForNamed is missing while nothing is known
	// about the rows of a table of an earlier release.
	Indexed Kinds
	// BuildingSince is when a build of missing entries was asked for, in Unix seconds; 0 = no build.
	BuildingSince int64
}

// Building returns the readers with a build that was asked for at now, in Unix seconds.
func (r Readers) Building(now int64) *Readers {
	r.BuildingSince = now
	return &r
}

// Built returns the readers after a build that found rows of the kinds seen and wrote the entries of kinds needed. ok is
// false if rows of further kinds need entries: the build must begin again, with Needs.
func (r Readers) Built(seen, needed Kinds) (next *Readers, ok bool) {
	r.Kinds |= seen
	if r.Kinds.needs()&^needed != 0 {
		return &r, false
	}
	return &Readers{Kinds: r.Kinds, Indexed: newReaders().Indexed}, true
}

// Needs returns the kinds of rows that need an entry for their kind.
func (r Readers) Needs() Kinds { return r.Kinds.needs() }

// newReaders returns the readers of a table without rows.
func newReaders() *Readers { return &Readers{Indexed: ForEverybody | ForRegistered | ForNamed} }

// WithReaders returns the table with an index of readers, for a table without rows.
func (t Table) WithReaders() Table {
	t.Readers = newReaders()
	return t
}

// kindOf returns the kinds of a row, and the users and groups that it names.
func kindOf(r Row) (kinds Kinds, named []string) {
	if slices.Contains(r.Perm.Read, permission.Anonymous) {
		return ForEverybody, nil
	}
	kinds = ForNamed
	for _, entry := range permission.WithCreator(r.Perm.Read, r.CreatedBy) {
		switch {
		case entry == permission.Registered:
			kinds = ForRegistered
		case permission.Valid(entry) && !slices.Contains(named, entry):
			named = append(named, entry)
		}
	}
	if len(named) > MaxReaders {
		kinds |= Wide
	}
	return kinds, named
}

// KindsOf returns the kinds of the rows. Users have none.
func (t Table) KindsOf(rows ...Row) (kinds Kinds) {
	if t.IntegerIDs() {
		return 0
	}
	for _, row := range rows {
		kind, _ := kindOf(row)
		kinds |= kind
	}
	return kinds
}

// Unnoted reports whether rows of these kinds must be noted before they are written.
func (t Table) Unnoted(kinds Kinds) bool { return t.Readers != nil && !t.Readers.Kinds.has(kinds) }

// Noted returns the next revision of the table, with rows of these kinds.
func (t Table) Noted(kinds Kinds) Table {
	next := *t.Readers
	next.Kinds |= kinds
	// Rows that the table already has lack the entries that only now are needed.
	next.Indexed &^= t.Readers.Kinds & next.Kinds.needs() &^ t.Readers.Kinds.needs()
	t.Readers = &next
	t.Revision++
	return t
}

// ReaderEntries returns the row's entries in the index of readers.
func (t Table) ReaderEntries(r Row) (entries []Entry) {
	if t.Readers == nil || t.IntegerIDs() {
		return nil
	}
	kinds, named := kindOf(r)
	values := named
	switch {
	case kinds.has(Wide):
		values = []string{wideReaders}
	case kinds == ForEverybody && t.Readers.Kinds.needs().has(ForEverybody):
		values = []string{permission.Anonymous}
	}
	if kinds.has(ForRegistered) && t.Readers.Kinds.needs().has(ForRegistered) {
		values = append(values, permission.Registered)
	}
	for _, value := range values {
		entries = append(entries, Entry{Value: value, ID: r.ID})
	}
	return entries
}

// Sight is what an end user may read of a table.
type Sight struct {
	All bool // every row
	// Indexed reports that the index of readers has all rows of the user, under Entries. Otherwise each row must be read.
	Indexed bool
	Entries []string // values of Entry
	// Exact reports that every row under Entries may be read.
	Exact bool
}

// SightOf returns what the subject may read, by what the table knows about its rows.
func (t Table) SightOf(s *permission.Subject) (see Sight) {
	switch {
	case s == nil:
		return Sight{All: true}
	case t.IntegerIDs():
		return Sight{All: s.User > 0, Indexed: true, Exact: true}
	case t.Readers == nil || !t.Readers.Indexed.has(ForNamed):
		return Sight{}
	}

	kinds, classes := t.Readers.Kinds, ForEverybody
	if s.Registered() {
		classes |= ForRegistered
	}
	if kinds&(ForEverybody|ForRegistered|ForNamed)&^classes == 0 {
		return Sight{All: true}
	}

	wide := s.User > 0 && kinds.has(Wide) // no wide row is for nobody
	see = Sight{Indexed: t.Readers.Indexed.has(kinds & classes), Exact: !wide}
	if kinds.has(ForEverybody) {
		see.Entries = append(see.Entries, permission.Anonymous)
	}
	if kinds&classes&ForRegistered != 0 {
		see.Entries = append(see.Entries, permission.Registered)
	}
	if s.User > 0 {
		see.Entries = append(see.Entries, permission.OfUser(s.User))
		for _, group := range s.Groups {
			see.Entries = append(see.Entries, permission.OfGroup(group))
		}
	}
	if wide {
		see.Entries = append(see.Entries, wideReaders)
	}
	slices.Sort(see.Entries)
	see.Entries = slices.Compact(see.Entries)
	return see
}
