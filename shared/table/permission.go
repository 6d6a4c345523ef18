package table

import (
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
)

// Entries of permissions beside user:<id> and gid:<id>. An empty list denies every client.
const (
	anybody    = "user:anonymous" // with a token or without
	registered = "user:*"
	// creator is replaced by user:<id> when a row is written.
	creator = "user:{created_by}"
)

// checkEntries returns errs.Invalid with the field and the first entry that is no permission. Users and groups need
// not exist.
func checkEntries(field string, list []string) error {
	if len(list) > maxPermissions {
		return errs.Invalid("%s has more than %d entries", field, maxPermissions)
	}
	for i, entry := range list {
		if !isEntry(entry) {
			return errs.Invalid("%s[%d] is %q and must be %s, %s, %s, user:<id> or gid:<id>",
				field, i, clip.Text(entry, clip.Name), registered, anybody, creator)
		}
	}
	return nil
}

// permit sets the permissions that a definition gives.
func (t *Table) permit(d Definition) error {
	was := *t
	for _, p := range []struct {
		field string
		said  []string
		has   []string
		to    *[]string
	}{
		{"write_perm", d.WritePerm, was.WritePerm, &t.WritePerm},
		{"default_row_perm._read_perm", d.DefaultRowPerm.Read, was.DefaultRowPerm.Read, &t.DefaultRowPerm.Read},
		{"default_row_perm._write_perm", d.DefaultRowPerm.Write, was.DefaultRowPerm.Write, &t.DefaultRowPerm.Write},
		{"row_read_perm", d.RowPerm.Read, was.DefaultRowPerm.Read, &t.DefaultRowPerm.Read},
		{"row_write_perm", d.RowPerm.Write, was.DefaultRowPerm.Write, &t.DefaultRowPerm.Write},
	} {
		if p.said == nil || slices.Equal(p.said, p.has) {
			continue
		}
		if err := checkEntries(p.field, p.said); err != nil {
			return err
		}
		// write_perm decides who may create rows, and a row not yet created has no creator.
		if i := slices.Index(p.said, creator); i >= 0 && p.to == &t.WritePerm {
			return errs.Invalid("%s[%d] is %q, which means the creator of a row: give it in row_write_perm", p.field, i, creator)
		}
		if !slices.Equal(*p.to, p.has) && !slices.Equal(*p.to, p.said) {
			return errs.Invalid("%s is not what default_row_perm says: give one of them", p.field)
		}
		*p.to = p.said
	}
	return nil
}

func isEntry(entry string) bool {
	kind, number, _ := strings.Cut(entry, ":")
	if kind != "user" && kind != "gid" {
		return false
	}
	n, err := strconv.ParseInt(number, 10, 64)
	isID := err == nil && 0 < n && n <= value.MaxInteger && strconv.FormatInt(n, 10) == number
	return isID || entry == anybody || entry == registered || entry == creator
}

// ofCreator returns the permission with user:{created_by} replaced by the row's creator, or removed when the row has
// none.
func (p RowPerm) ofCreator(id int64) RowPerm {
	return RowPerm{Read: withCreator(p.Read, id), Write: withCreator(p.Write, id)}
}

func withCreator(list []string, id int64) []string {
	if !slices.Contains(list, creator) {
		return list
	}
	own := "user:" + strconv.FormatInt(id, 10)
	named := make([]string, 0, len(list))
	for _, entry := range list {
		switch {
		case entry != creator:
			named = append(named, entry)
		case id > 0 && !slices.Contains(named, own):
			named = append(named, own)
		}
	}
	return named
}

// CheckPermissions returns errs.Invalid for operations that would put invalid entries into the permissions of rows.
func CheckPermissions(operations update.Operations) error {
	for _, o := range operations {
		if new(RowPerm).of(o.Column.Name) == nil || o.Kind == update.Remove {
			continue
		}
		if err := checkEntries(o.Column.Name, texts(o.Value)); err != nil {
			return err
		}
	}
	return nil
}

// ACL restricts what clients may do with a column; administrators of the application may do everything. Columns
// without an ACL have DefaultACL.
type ACL struct {
	ClientVisible  bool `json:"clientVisible"`  // false: clients never see it
	ClientReadOnly bool `json:"clientReadOnly"` // clients cannot write it
	CreatorVisible bool `json:"creatorVisible"` // clients see it in the rows that they created
}

// DefaultACL lets clients read and write a column.
var DefaultACL = ACL{ClientVisible: true}

// Access returns the column's ACL.
func (c Column) Access() ACL {
	if c.ACL == nil {
		return DefaultACL
	}
	return *c.ACL
}
