// Package show makes rows into answers: the columns that the reader sees, the fields that keys selects, and the rows
// that expand puts in the place of pointers (client API, 4.1, 4.2 and 4.4).
//
//	fields.go   the parameters keys and expand, the fields of one row
//	expand.go   rows in the place of the fields that lead to them
//	page.go     pages that stay within the size of a response
package show

import (
	"slices"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// Record is a row in an answer, by name.
type Record = map[string]any

// createdBy is the built-in column that leads to a user.
const createdBy = "created_by"

// Fields says what answers show of the rows of one table to one reader.
type Fields struct {
	table  table.Table
	reader *permission.Subject // nil = an administrator
	// only and without are the fields that keys shows and hides; nil = none.
	only, without map[string]bool
	expand        []expansion
}

// expansion is a field that becomes the row that it leads to, and what keys shows and hides of that row.
type expansion struct {
	name          string
	only, without map[string]bool
}

// Parse reads the parameters keys and expand, which are names separated by commas. A minus in keys hides a field; keys
// of mixed signs are ignored. ptr.field is a field of the row to which ptr leads, if expand names ptr. expand ignores
// other names than those of pointers and created_by (C22). reader is nil for administrators.
//
// Parse returns errs.Invalid for a name in keys that does not exist or that the reader does not see.
func Parse(t table.Table, reader *permission.Subject, keys, expand string) (Fields, error) {
	f := Fields{table: t, reader: reader}
	if keys == "" && expand == "" {
		return f, nil
	}
	only, without := parts{}, parts{}
	shown := t.ShownTo(reader)
	for _, key := range names(keys) {
		key, hidden := strings.CutPrefix(key, "-")
		name, field, dotted := strings.Cut(key, ".")
		name = t.Canonical(name)
		column, ok := shown.Column(name)
		if !ok || dotted && !leads(column) {
			return Fields{}, errs.Invalid("keys: field %q does not exist", key)
		}
		if hidden {
			without.add(name, field)
		} else {
			only.add(name, field)
		}
	}
	if len(only) > 0 && len(without) > 0 {
		only, without = nil, nil
	}

	for name := range only {
		f.only = with(with(f.only, "id"), name)
	}
	for name, fields := range without {
		if fields == nil {
			f.without = with(f.without, name)
		}
	}
	for _, name := range names(expand) {
		column, ok := shown.Column(name)
		if !ok || !leads(column) || slices.ContainsFunc(f.expand, func(e expansion) bool { return e.name == name }) {
			continue
		}
		if f.selects(name) {
			f.expand = append(f.expand, expansion{name: name, only: only[name], without: without[name]})
		}
	}
	return f, nil
}

// names returns the names in a list by commas.
func names(list string) []string {
	if list == "" {
		return nil
	}
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// parts are the fields that keys names, with the fields of the rows to which they lead; nil = the whole row.
type parts map[string]map[string]bool

// add adds a field, or one of the row to which it leads. A field that is also named alone is meant as a whole.
func (p parts) add(name, field string) {
	fields, has := p[name]
	switch {
	case field == "":
		p[name] = nil
	case !has || fields != nil:
		p[name] = with(fields, field)
	}
}

// with adds a name to a set, which may be nil.
func with(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

// Unset replaces the values of built-in columns that stand for none by null, as end users see users (client API, 3).
func Unset(t table.Table, record Record) {
	for _, c := range t.Columns {
		if v, has := record[c.Name]; has && c.BuiltIn && (v == "" || v == int64(0)) {
			record[c.Name] = nil
		}
	}
}

// leads reports whether the column's values lead to rows.
func leads(c value.Column) bool { return c.Type == value.Pointer || c.Name == createdBy }

// selects reports whether keys selects the field.
func (f Fields) selects(name string) bool { return (f.only == nil || f.only[name]) && !f.without[name] }

// record returns the fields of a row that the reader sees and keys selects, null without a value. A field with two names
// is selected under both.
func (f Fields) record(row table.Row) Record {
	record, creator := f.table.Answer(row), f.table.CreatorOf(row)
	for _, c := range f.table.Columns {
		if _, has := record[c.Name]; !has {
			record[c.Name] = nil
		}
		if !c.Access().Shown(f.reader, creator) {
			delete(record, c.Name)
		}
	}
	if f.only == nil && f.without == nil && f.table.ID != table.UserProfiles {
		return record
	}
	for name := range record {
		// Of a user, others see the id and the columns only (client API, 3).
		if _, own := f.table.Column(name); f.table.ID == table.UserProfiles && !own && name != "id" && !f.reader.Created(creator) {
			delete(record, name)
		}
		if !f.selects(f.table.Canonical(name)) {
			delete(record, name)
		}
	}
	return record
}
