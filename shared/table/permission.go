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

// Permission entries besides user:<id> and gid:<id>. An empty list denies every client.
const (
	anybody    = "user:anonymous" // every client, with or without a token
	registered = "user:*"
	// creator is replaced by user:<id of the creator> when a row is written.
	creator = "user:{created_by}"
)

// checkEntries returns errs.Invalid with the field and the first invalid entry. It does not check that users and
// groups exist.
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

// permit sets the permissions given in a definition. It returns errs.Invalid for invalid or contradicting lists.
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
		// write_perm controls who may create rows, and a row that does not exist has no creator.
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

// ofCreator returns the permissions with user:{created_by} replaced by the row's creator, or removed if the row has
// no creator.
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

// CheckPermissions returns errs.Invalid if an operation would add an invalid entry to the permissions of a row.
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

// ACL restricts client access to a column. Administrators of the application have full access. Columns without an ACL
// use DefaultACL.
type ACL struct {
	ClientVisible  bool `json:"clientVisible"`  // false: hidden from all clients
	ClientReadOnly bool `json:"clientReadOnly"` // clients cannot write the column
	CreatorVisible bool `json:"creatorVisible"` // visible to clients in rows they created
}

// DefaultACL lets clients read and write a column.
var DefaultACL = ACL{ClientVisible: true}

// Access returns the column's ACL, or DefaultACL.
func (c Column) Access() ACL {
	if c.ACL == nil {
		return DefaultACL
	}
	return *c.ACL
}
