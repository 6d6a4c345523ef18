package show

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// Service shows rows. For each table that expanded fields lead to, it reads the schema, unless it is that of the rows
// themselves, and the rows of a page in one call.
type Service struct {
	Tables *manage.Service
}

// Row returns one row as an answer.
func (s Service) Row(ctx context.Context, scope tenant.Scope, f Fields, row table.Row) (Record, error) {
	records, err := s.rows(ctx, scope, f, []table.Row{row})
	if err != nil {
		return nil, err
	}
	return records[0], nil
}

// chunk is the number of rows that are read at once to expand others: as many as a BatchGetItem reads. Each may have
// 350 KB, so those of a page of 1,000 rows may need more memory than a program has.
const chunk = 100

// rows returns the first of the rows as answers, as many as fit a page and at least one.
func (s Service) rows(ctx context.Context, scope tenant.Scope, f Fields, rows []table.Row) ([]Record, error) {
	records, size := make([]Record, 0, len(rows)), 0
	tables := map[string]table.Table{}
	for len(records) < len(rows) {
		rest := rows[len(records):]
		found := f.targets(rest)
		if err := s.read(ctx, scope, f.table, tables, found); err != nil {
			return nil, err
		}
		for _, row := range rest[:found.rows] {
			record := f.record(row)
			f.fill(record, row, found)
			if len(f.expand) > 0 { // the finder has measured the rows alone
				if size += page.Wire(record); size > page.MaxBytes && len(records) > 0 {
					return records, nil
				}
			}
			records = append(records, record)
		}
	}
	return records, nil
}

// targets are what the expanded fields of the first rows lead to.
type targets struct {
	rows    int // number of the rows
	byTable map[string]*target
}

// target is one table, as fields name it, with the ids and rows that they lead to.
type target struct {
	ids   []any
	table table.Table
	rows  map[table.RowID]table.Row
}

// targets returns the ids to which the first rows lead, up to about chunk of them.
func (f Fields) targets(rows []table.Row) targets {
	found, n := targets{byTable: map[string]*target{}}, 0
	for found.rows < len(rows) && n < chunk {
		for _, e := range f.expand {
			to, id, ok := f.leadsTo(e, rows[found.rows])
			if !ok {
				continue
			}
			if found.byTable[to] == nil {
				found.byTable[to] = &target{}
			}
			if of := found.byTable[to]; !slices.Contains(of.ids, id) {
				of.ids = append(of.ids, id)
				n++
			}
		}
		found.rows++
	}
	return found
}

// leadsTo returns the name or id of the table, and the id of the row, to which a field leads. ok is false if the field
// has no value or the reader does not see it.
func (f Fields) leadsTo(e expansion, row table.Row) (to string, id any, ok bool) {
	if e.name == createdBy {
		return table.UserProfiles.String(), row.CreatedBy, row.CreatedBy > 0
	}
	c, _ := f.table.Column(e.name)
	pointer, ok := row.Fields[c.Name].(map[string]any)
	if !ok || !c.Access().Shown(f.reader, f.table.CreatorOf(row)) {
		return "", nil, false
	}
	// The table may have got another name since the pointer was written.
	if c.TargetID != 0 {
		return strconv.FormatInt(c.TargetID, 10), pointer["id"], true
	}
	return fmt.Sprint(pointer["_table"]), pointer["id"], true
}

// read reads the targets, those of each table in one call. tables has the schemas that were read before; own is that
// of the rows.
func (s Service) read(
	ctx context.Context, scope tenant.Scope, own table.Table, tables map[string]table.Table, found targets,
) error {
	group, ctx := errgroup.WithContext(ctx)
	for name, to := range found.byTable {
		known, has := tables[name]
		group.Go(func() (err error) {
			if to.table = known; !has {
				to.table, err = s.table(ctx, scope, own, name)
			}
			if ids := to.rowIDs(); err == nil && len(ids) > 0 {
				to.rows, err = s.Tables.Rows.ReadRows(ctx, scope, to.table, ids)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for name, to := range found.byTable {
		tables[name] = to.table
	}
	return nil
}

// table returns a table by its name or id, the zero table if it is gone.
func (s Service) table(ctx context.Context, scope tenant.Scope, own table.Table, name string) (table.Table, error) {
	if name == own.Name || name == own.ID.String() {
		return own, nil
	}
	t, err := s.Tables.Named(ctx, scope, name)
	if errs.Is(err, errs.KindNotFound) {
		return table.Table{}, nil
	}
	return t, err
}

// rowIDs returns the ids that rows of the table can have. Several ids may be that of one user: 5 and "05".
func (t *target) rowIDs() (ids []table.RowID) {
	if t.table.ID == 0 {
		return nil
	}
	for _, id := range t.ids {
		if id, ok := t.table.RowIDOf(id); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// fill puts the rows that expanded fields lead to in their place. A field whose row is gone, or may not be read by the
// reader, stays as it is (C22), and so do those with which the row alone would be too large for a response.
func (f Fields) fill(record Record, row table.Row, found targets) {
	if len(f.expand) == 0 { // measuring a record takes as long as making it
		return
	}
	size := page.Wire(record)
	for _, e := range f.expand {
		to, id, ok := f.leadsTo(e, row)
		if !ok {
			continue
		}
		in := found.byTable[to]
		rowID, _ := in.table.RowIDOf(id)
		target, ok := in.rows[rowID]
		if !ok || !in.table.Readable(f.reader, target) {
			continue
		}

		whole := e.fields(in.table, f.reader).record(target)
		if in.table.IntegerIDs() { // the permissions of users are not shown (D13)
			for _, name := range []string{"_read_perm", "_write_perm", "read_perm", "write_perm"} {
				delete(whole, name)
			}
			if f.reader != nil {
				Unset(in.table, whole)
			}
		}
		if pointer, ok := record[e.name].(map[string]any); ok {
			whole["_table"] = pointer["_table"]
		}
		if size += page.Wire(whole); size > page.MaxBytes {
			return
		}
		record[e.name] = whole
	}
}

// fields returns what an answer shows of the rows that an expanded field leads to.
func (e expansion) fields(of table.Table, reader *permission.Subject) Fields {
	f := Fields{table: of, reader: reader}
	for name := range e.without {
		f.without = with(f.without, of.Canonical(name))
	}
	for name := range e.only {
		f.only = with(with(f.only, "id"), of.Canonical(name))
	}
	return f
}
