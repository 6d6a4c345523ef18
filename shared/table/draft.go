package table

import (
	"errors"
	"maps"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/permission"
)

// Limits of writes (D29, D49): the size of a row in bytes, and the rows of a bulk request.
const (
	MaxRowBytes = 350 << 10
	MaxBulk     = 1000
)

// maxPatch is the maximum number of fields of an update without reading the row: an update expression has at most 4
// KB, and one field takes about 80 bytes.
const maxPatch = 40

// Author is the user who writes a row, with the origin of the write.
type Author struct {
	UserID int64
	Origin Origin
	// ByFunction allows a draft to set created_by, created_at and updated_at (F15).
	ByFunction bool
	// Client is the end user whose permissions limit the write; nil = an administrator or a function. UserID must then
	// be Client.User.
	Client *permission.Subject
}

// ByClient returns the author of an end user's write.
func ByClient(s permission.Subject, origin Origin) Author {
	return Author{UserID: s.User, Origin: origin, Client: &s}
}

// Outcome is the result for one row of a bulk request.
type Outcome struct {
	Row Row // the current row; for a deletion, the deleted row
	Err error
}

// Draft is the validated content of a row to create.
type Draft struct {
	row        Row // without an id
	authorship authorship
}

// CreatedAt returns the creation time that a function set, in Unix seconds; 0 = the time of the request.
func (d Draft) CreatedAt() int64 {
	if d.authorship.createdAt == nil {
		return 0
	}
	return *d.authorship.createdAt
}

// NewRow returns the row of a draft; n is the number in its id.
func (t Table) NewRow(d Draft, ids *id.Source, n id.ID, author Author) Row {
	row := d.row
	row.ID = t.newRowID(ids, n)
	row.UpdatedAt, row.CreatedBy, row.Origin, row.Revision = row.CreatedAt(), author.UserID, author.Origin, 1
	d.authorship.write(&row)
	if t.IntegerIDs() && row.CreatedBy == 0 { // users create their own profile when they sign up
		row.CreatedBy = int64(row.ID.Number())
	}
	row.Perm = row.Perm.ofCreator(row.CreatedBy)
	return row
}

// ReadDraft converts a row in decoded JSON: the values of columns, _read_perm and _write_perm, and for functions also
// the creator and times. It returns an errs.Invalid that names each invalid field; a column that the client may not write
// is one.
func (t Table) ReadDraft(draft map[string]any, by Author) (d Draft, err error) {
	if draft, err = t.CanonicalFields(draft); err != nil {
		return Draft{}, err
	}
	said := &d.authorship
	var refused value.Refused
	perm := RowPerm{Read: slices.Clone(t.DefaultRowPerm.Read), Write: slices.Clone(t.DefaultRowPerm.Write)}
	fields := make(map[string]any, len(draft))
	for _, name := range slices.Sorted(maps.Keys(draft)) {
		list, v := perm.of(name), draft[name]
		needs, barred := t.refusedField(by.Client, name)
		switch {
		case barred != nil:
			refused.Add(name, needs, barred)
		case list != nil:
			column := permColumn(name, by.Client != nil)
			converted, err := column.Convert(v)
			refused.Add(name, column.Needs(), err)
			if converted != nil {
				*list = texts(converted)
				// Invalid entries are an error: ignoring the list would give the row the table's default permissions,
				// which may be wider.
				refused.Add(name, "", permission.Check(name, *list))
			}
		case by.ByFunction && said.of(name) != nil:
			refused.Add(name, "needs an integer", said.set(t, name, v))
			if name == createdBy {
				refused.Add(name, "needs the own id", by.checkCreator(said.createdBy))
			}
		default:
			fields[name] = v
		}
	}

	fields, err = t.Schema().Row(fields)
	if others, ok := errors.AsType[*value.Refused](err); ok {
		refused.Fields = append(refused.Fields, others.Fields...)
	}
	if err := refused.Err(); err != nil {
		return Draft{}, err
	}

	d.row = Row{Fields: fields, Perm: perm}
	return d, d.row.checkSize()
}

// of returns the list with this JSON name, or nil for any other name.
func (p *RowPerm) of(name string) *[]string {
	switch name {
	case "_read_perm":
		return &p.Read
	case "_write_perm":
		return &p.Write
	}
	return nil
}

func permColumn(name string, required bool) value.Column {
	return value.Column{Name: name, Type: value.Array, Items: value.String, Required: required}
}

func texts(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, item := range list {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

// Writable returns the columns that an update may name: the table's own columns and the permissions.
func (t Table) Writable() value.Schema {
	return append(t.Schema(), permColumn("_read_perm", false), permColumn("_write_perm", false))
}

// Patchable reports whether the store can apply the operations without reading the row. It requires that no changed
// column has an index, that no operation depends on array items or changes a path inside an object, and that one
// update expression is large enough for all operations.
func (t Table) Patchable(operations update.Operations) bool {
	return len(operations) <= maxPatch && !slices.ContainsFunc(operations, func(o update.Operation) bool {
		c, own := t.Column(o.Column.Name)
		if !own || c.Index != nil || len(o.Path) > 0 {
			return true
		}
		return o.Kind != update.Set && o.Kind != update.Unset && o.Kind != update.IncrBy && o.Kind != update.Append
	})
}

// Applied returns the row after the operations, with the next revision. UpdatedAt is now (Unix seconds) unless the
// operations set it. It returns errs.Invalid for operations that are not allowed, and ErrTooLarge.
func (t Table) Applied(old Row, operations update.Operations, now int64) (Row, error) {
	next := old
	next.Revision++
	// An update cancels an interrupted deletion, since the row still exists.
	next.Deleting, next.UpdatedAt = false, now
	said, operations, err := t.splitAuthorship(old.ID, operations)
	if err != nil {
		return Row{}, err
	}
	said.write(&next)

	if err := CheckPermissions(operations); err != nil {
		return Row{}, err
	}

	var own update.Operations
	for _, o := range operations {
		list := next.Perm.of(o.Column.Name)
		if list == nil {
			own = append(own, o)
			continue
		}

		v, err := o.Apply(anys(*list))
		if err != nil {
			return Row{}, err
		}

		*list = permission.WithCreator(texts(v), next.CreatedBy)
		if len(*list) > permission.MaxEntries {
			return Row{}, errs.Invalid("%s has more than %d entries", o.Column.Name, permission.MaxEntries)
		}
	}

	fields, err := own.Apply(old.Fields)
	if err != nil {
		return Row{}, err
	}

	next.Fields = fields

	return next, next.checkSize()
}

// checkSize returns ErrTooLarge if the row exceeds MaxRowBytes.
func (r Row) checkSize() error {
	if Size(r.Fields)+Size(anys(r.Perm.Read))+Size(anys(r.Perm.Write)) > MaxRowBytes {
		return ErrTooLarge
	}
	return nil
}

// numberBytes is the maximum stored size of a number: one byte per two of a float's 17 digits, plus exponent and
// sign.
const numberBytes = 11

// Size returns an upper bound of a value's stored size in bytes.
func Size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case int64, float64:
		return numberBytes
	case []any:
		sum := 3
		for _, item := range v {
			sum += 1 + Size(item)
		}
		return sum
	case map[string]any:
		sum := 3
		for name, item := range v {
			sum += 1 + len(name) + Size(item)
		}
		return sum
	}
	return 9
}
