package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"minicloud/shared/errs"
)

// Limits of indexes over several columns. They follow from those of a transaction, as MaxIndexes does.
const (
	MaxFieldIndexes = 10
	MaxIndexFields  = 5
)

// FieldIndex is an index that is named by its fields: unique, over several columns, or both (C28). Each of its columns
// is indexed; a unique index also has a claim for the values of each row, which no other row can have.
type FieldIndex struct {
	Fields []string
	Unique bool
	// Made lists the columns that are indexed for this index only.
	Made []string
	// Index identifies the claims of a unique index.
	Index Index
	// Failed says why the index is not completed: rows had the same values. Claims are then not needed.
	Failed string
}

// Name returns the name of an index: f1_1_f2_1 for the fields f1 and f2.
func (x FieldIndex) Name() string { return strings.Join(x.Fields, "_1_") + "_1" }

// Same reports whether two indexes have the same fields and are both unique or not.
func (x FieldIndex) Same(other FieldIndex) bool {
	return x.Unique == other.Unique && slices.Equal(x.Fields, other.Fields)
}

// Claims reports whether rows need claims for their values.
func (x FieldIndex) Claims() bool { return x.Unique && x.Failed == "" }

// Claim returns the key that the row's values have in a unique index; equal values have equal keys. It is "" if a value
// is missing: nulls do not collide.
func (t Table) Claim(x FieldIndex, r Row) string {
	keys := make([]string, len(x.Fields))
	for i, name := range x.Fields {
		c, _ := t.Column(name)
		v := r.Fields[name]
		if v == nil {
			return ""
		}
		keys[i] = c.Type.Key(v)
	}

	key := strings.Join(keys, Separator)
	if len(key) <= MaxEncoded {
		return key
	}
	// A cut key would be that of other values, too. No other key starts with this character.
	sum := sha256.Sum256([]byte(key))
	return "#" + hex.EncodeToString(sum[:])
}

// NotUnique is the errs.Invalid of a row whose values another row has in a unique index.
type NotUnique struct{ Fields []string }

// Error implements error.
func (e *NotUnique) Error() string {
	if len(e.Fields) == 1 {
		return fmt.Sprintf("field %q must be unique: another row has this value", e.Fields[0])
	}
	return fmt.Sprintf("fields %s must be unique together: another row has these values", quoted(e.Fields))
}

// Unwrap returns an errs.Invalid with the same message.
func (e *NotUnique) Unwrap() error { return errs.Invalid("%s", e.Error()) }

func quoted(names []string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(list, ", ")
}

// FieldIndex returns the index with this name and whether there is one. An indexed column has the index f_1.
func (t Table) FieldIndex(name string) (FieldIndex, bool) {
	all := t.AllIndexes()
	i := slices.IndexFunc(all, func(x FieldIndex) bool { return x.Name() == name })
	if i < 0 {
		return FieldIndex{}, false
	}
	return all[i], true
}

// AllIndexes returns the indexes over several columns, the unique ones and those of single columns, by name.
func (t Table) AllIndexes() []FieldIndex {
	all := slices.Clone(t.FieldIndexes)
	for _, c := range t.Columns {
		x := FieldIndex{Fields: []string{c.Name}}
		if c.Indexed && !slices.ContainsFunc(all, func(other FieldIndex) bool { return other.Name() == x.Name() }) {
			all = append(all, x)
		}
	}
	slices.SortFunc(all, func(a, b FieldIndex) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}

// Ready reports whether the index is complete.
func (t Table) Ready(x FieldIndex) bool {
	if x.Unique && (x.Failed != "" || x.Index.BuildingSince != 0) {
		return false
	}
	return !slices.ContainsFunc(x.Fields, func(name string) bool {
		c, _ := t.Column(name)
		return !c.Usable()
	})
}

// InIndex returns the name of an index over several columns, or of a unique one, to which the column belongs.
func (t Table) InIndex(column string) (name string, ok bool) {
	for _, x := range t.FieldIndexes {
		if slices.Contains(x.Fields, column) {
			return x.Name(), true
		}
	}
	return "", false
}

// Indexes returns the indexes that have entries or claims: of columns, unique ones and that of readers.
func (t Table) Indexes() (all []Index) {
	for _, c := range t.Columns {
		if c.Index != nil {
			all = append(all, *c.Index)
		}
	}
	for _, x := range t.FieldIndexes {
		if x.Claims() {
			all = append(all, x.Index)
		}
	}
	if t.Readers != nil {
		all = append(all, Index{ID: ReadersIndex, BuildingSince: t.Readers.BuildingSince})
	}
	return all
}
