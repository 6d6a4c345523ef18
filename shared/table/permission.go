package table

import (
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/language/value/update"
	"minicloud/shared/permission"
)

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
		if err := permission.Check(p.field, p.said); err != nil {
			return err
		}
		// write_perm controls who may create rows, and a row that does not exist has no creator.
		if i := slices.Index(p.said, permission.Creator); i >= 0 && p.to == &t.WritePerm {
			return errs.Invalid("%s[%d] is %q, which means the creator of a row: give it in row_write_perm", p.field, i, permission.Creator)
		}
		if !slices.Equal(*p.to, p.has) && !slices.Equal(*p.to, p.said) {
			return errs.Invalid("%s is not what default_row_perm says: give one of them", p.field)
		}
		*p.to = p.said
	}
	return nil
}

// ofCreator returns the permissions with user:{created_by} replaced by the row's creator, or removed if the row has
// no creator.
func (p RowPerm) ofCreator(id int64) RowPerm {
	return RowPerm{Read: permission.WithCreator(p.Read, id), Write: permission.WithCreator(p.Write, id)}
}

// CheckPermissions returns errs.Invalid if an operation would add an invalid entry to the permissions of a row.
func CheckPermissions(operations update.Operations) error {
	for _, o := range operations {
		if new(RowPerm).of(o.Column.Name) == nil || o.Kind == update.Remove {
			continue
		}
		if err := permission.Check(o.Column.Name, texts(o.Value)); err != nil {
			return err
		}
	}
	return nil
}

// ACL restricts client access to a column.
type ACL = permission.ACL

// DefaultACL lets clients read and write a column.
var DefaultACL = permission.Default

// Access returns the column's ACL, or DefaultACL.
func (c Column) Access() ACL {
	if c.ACL == nil {
		return DefaultACL
	}
	return *c.ACL
}
