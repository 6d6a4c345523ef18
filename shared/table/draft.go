package table

import (
	"errors"
	"maps"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
)

// The limits of writing (D29, D49).
const (
	MaxRowBytes = 350 << 10
	MaxBulk     = 1000
)

// maxPatch is how many fields an update changes unread: a store's expression
// has at most 4 KB, of which a field takes 80 bytes.
const maxPatch = 40

// Author is the user who writes, and the origin of the write.
type Author struct {
	UserID int64
	Origin Origin
	// ByFunction allows created_by, created_at and updated_at in drafts (F15: functions may write them).
	ByFunction bool
}

// Outcome is the result for one row of a bulk request.
type Outcome struct {
	Row Row // the current row; a deleted row as it was before
	Err error
}

// Draft is the checked content of a row that is to be created.
type Draft struct {
	row        Row // without an id
	authorship authorship
}

// CheckDraft returns the error of a draft that ReadDraft would refuse.
func (t Table) CheckDraft(draft map[string]any, byFunction bool) error {
	_, err := t.ReadDraft(draft, byFunction)
	return err
}

// CreatedAt returns the time of creation that a function gives, Unix seconds; 0 = the time of the request.
func (d Draft) CreatedAt() int64 {
	if d.authorship.createdAt == nil {
		return 0
	}
	return *d.authorship.createdAt
}

// NewRow returns the row of a draft with the number n of its id.
func (t Table) NewRow(d Draft, ids *id.Source, n id.ID, author Author) Row {
	row := d.row
	row.ID = t.newRowID(ids, n)
	row.UpdatedAt, row.CreatedBy, row.Origin, row.Revision = row.CreatedAt(), author.UserID, author.Origin, 1
	d.authorship.write(&row)
	if t.IntegerIDs() && row.CreatedBy == 0 { // users who sign up create their own profile
		row.CreatedBy = int64(row.ID.Number())
	}
	row.Perm = row.Perm.ofCreator(row.CreatedBy)
	return row
}

// ReadDraft converts decoded JSON: the values of columns, _read_perm and _write_perm, and for functions also the author
// and times. It returns an errs.Invalid that names each bad field.
func (t Table) ReadDraft(draft map[string]any, byFunction bool) (d Draft, err error) {
	said := &d.authorship
	var refused value.Refused
	perm := RowPerm{Read: slices.Clone(t.DefaultRowPerm.Read), Write: slices.Clone(t.DefaultRowPerm.Write)}
	fields := make(map[string]any, len(draft))
	for _, name := range slices.Sorted(maps.Keys(draft)) {
		list, v := perm.of(name), draft[name]
		switch {
		case list != nil:
			converted, err := permColumn(name).Convert(v)
			refused.Add(name, permColumn(name).Needs(), err)
			if converted != nil {
				*list = texts(converted)
				// Never skipped: without it the row would get the table's default permissions, which may be wider.
				refused.Add(name, "", checkEntries(name, *list))
			}
		case byFunction && said.of(name) != nil:
			refused.Add(name, "needs an integer", said.set(name, v))
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

// of returns the list with that JSON name, nil for any other name.
func (p *RowPerm) of(name string) *[]string {
	switch name {
	case "_read_perm":
		return &p.Read
	case "_write_perm":
		return &p.Write
	}
	return nil
}

func permColumn(name string) value.Column {
	return value.Column{Name: name, Type: value.Array, Items: value.String}
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

// Writable returns the columns an update of a row may name: the table's own,
// and the permissions.
func (t Table) Writable() value.Schema {
	return append(t.Schema(), permColumn("_read_perm"), permColumn("_write_perm"))
}

// Patchable reports whether a store can make the change without reading the
// row: no column of it has an index, no operation depends on the items of an
// array or reaches into an object, and they are not too many for one expression.
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
// operations set it.
func (t Table) Applied(old Row, operations update.Operations, now int64) (Row, error) {
	next := old
	next.Revision++
	// An update takes back a deletion that stopped halfway: the row is still there.
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

		*list = withCreator(texts(v), next.CreatedBy)
		if len(*list) > maxPermissions {
			return Row{}, errs.Invalid("%s has more than %d entries", o.Column.Name, maxPermissions)
		}
	}

	fields, err := own.Apply(old.Fields)
	if err != nil {
		return Row{}, err
	}

	next.Fields = fields

	return next, next.checkSize()
}

// checkSize refuses a row over MaxRowBytes.
func (r Row) checkSize() error {
	if Size(r.Fields)+Size(anys(r.Perm.Read))+Size(anys(r.Perm.Write)) > MaxRowBytes {
		return ErrTooLarge
	}
	return nil
}

// numberBytes is the stored size of the longest number: half of the 17 digits of a
// float, its exponent and its sign.
const numberBytes = 11

// Size returns an upper bound of a value's bytes in the store.
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
