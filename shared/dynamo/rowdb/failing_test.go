package rowdb_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// indexed is a table with an index on n and a listener for deletions.
var indexed = table.Table{
	ID: 5, Name: "things", Revision: 1, Listeners: table.Listeners{Delete: 1}, Columns: []table.Column{
		{Column: value.Column{Name: "n", Type: value.Integer}, Key: "n", Index: &table.Index{ID: "n"}},
		{Column: value.Column{Name: "hits", Type: value.Integer}, Key: "hits"},
	},
}

var errWrong = errors.New("no call fails, and the answer is wrong")

// wrong returns err, or errWrong if err is nil and the answer is not ok.
func wrong(err error, ok bool) error {
	if err == nil && !ok {
		return errWrong
	}
	return err
}

// TestReturnsDatabaseErrors: whichever call fails, the error of DynamoDB is returned.
func TestReturnsDatabaseErrors(t *testing.T) {
	client, ids, ctx := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable"), new(id.Source), t.Context()
	newRow := func(n int64) *table.Row {
		return &table.Row{
			ID: indexed.FirstRowID(ids.New(time.Now())), Revision: 1, Fields: map[string]any{"n": n, "hits": int64(0)},
		}
	}
	newTable := func(s *rowdb.Tables) (table.Table, error) {
		n := ids.New(time.Now())
		made := table.Table{ID: table.ID(n), Name: n.Key(), Revision: 1}
		return made, s.InsertTable(ctx, rowScope, made)
	}
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	write := func(s *rowdb.Rows, changes ...table.Change) error {
		return errors.Join(s.Write(ctx, rowScope, indexed, changes)...)
	}
	one, two := newRow(1), newRow(2)
	if err := errors.Join(
		schemas.InsertTable(ctx, rowScope, indexed), write(rows, table.Change{New: one}, table.Change{New: two}),
	); err != nil {
		t.Fatal(err)
	}
	plain := indexed
	plain.Columns = slices.Clone(indexed.Columns)
	plain.Columns[0].Index = nil

	for name, do := range map[string]func(*rowdb.Tables, *rowdb.Rows) error{
		"insert a table": func(s *rowdb.Tables, _ *rowdb.Rows) error {
			_, err := newTable(s)
			return err
		},
		"read a table": func(s *rowdb.Tables, _ *rowdb.Rows) error {
			got, err := s.Table(ctx, rowScope, indexed.ID)
			return wrong(err, got.Name == "things" && got.Listeners == indexed.Listeners)
		},
		"read a table by its name": func(s *rowdb.Tables, _ *rowdb.Rows) error {
			got, err := s.TableByName(ctx, rowScope, "things")
			return wrong(err, got.ID == indexed.ID)
		},
		"list tables": func(s *rowdb.Tables, _ *rowdb.Rows) error {
			got, err := s.Tables(ctx, rowScope)
			return wrong(err, len(got) > 0)
		},
		"rename and delete a table": func(s *rowdb.Tables, _ *rowdb.Rows) error {
			old, err := newTable(schemas)
			next := old
			next.Name, next.Revision = "x"+old.Name, 2
			if err == nil {
				err = s.ReplaceTable(ctx, rowScope, old, next)
			}
			if err == nil {
				err = s.DeleteTable(ctx, rowScope, next)
			}
			return err
		},
		"a table": func(s *rowdb.Tables, _ *rowdb.Rows) error {
			read, err := s.Table(ctx, rowScope, 5)
			return wrong(err, read.ID == 5)
		},
		"read rows": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			single, err := s.ReadRows(ctx, rowScope, indexed, []table.RowID{one.ID})
			if err != nil {
				return err
			}
			both, err := s.ReadRows(ctx, rowScope, indexed, []table.RowID{one.ID, two.ID})
			return wrong(err, len(single) == 1 && len(both) == 2)
		},
		"scan": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			scanned, err := s.ScanRows(ctx, rowScope, indexed, table.RowScan{Limit: 1})
			if err != nil {
				return err
			}
			entries, err := s.ScanIndex(ctx, rowScope, indexed, "n", table.IndexScan{Limit: 1})
			return wrong(err, len(scanned.Rows) == 1 && len(entries.Entries) == 1)
		},
		"write rows with an index, which fire": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			row, other := newRow(3), newRow(4)
			next := *row
			next.Fields, next.Revision = map[string]any{"n": int64(5)}, 2
			if err := write(s, table.Change{New: row}, table.Change{New: other}); err != nil {
				return err
			}
			if err := write(s, table.Change{Old: row, New: &next}); err != nil {
				return err
			}
			return write(s, table.Change{Old: &next}, table.Change{Old: other})
		},
		"single writes": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			row := newRow(3)
			next := *row
			next.Revision = 2
			for _, change := range []table.Change{{New: row}, {Old: row, New: &next}, {Old: &next}} {
				if err := errors.Join(s.Write(ctx, rowScope, plain, []table.Change{change})...); err != nil {
					return err
				}
			}
			return nil
		},
		"patch": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			change := table.Patch{Operations: operations(t, indexed, map[string]any{"hits": map[string]any{"$incr_by": 1.0}})}
			got, err := s.Patch(ctx, rowScope, indexed, one.ID, change)
			return wrong(err, got.ID == one.ID && got.Revision > 1)
		},
		"reindex": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			stale := *two
			stale.Fields = map[string]any{"n": int64(20)}
			return s.Reindex(ctx, rowScope, indexed, indexed.Columns[0], []table.Row{stale})
		},
		"write with others": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			refused, err := s.WriteWith(ctx, rowScope, plain, nil, []table.Change{{New: newRow(6)}})
			return wrong(err, len(refused) == 0)
		},
		"what is counted": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			found := map[count.Collection]int{}
			err := s.Collections(ctx, func(c count.Collection) error {
				return s.Records(ctx, c, one.ID.Number(), two.ID.Number(), func(id.ID, string) { found[c]++ })
			})
			return wrong(err, maps.Equal(found, map[count.Collection]int{"7.production#5": 1}))
		},
		"purge": func(_ *rowdb.Tables, s *rowdb.Rows) error {
			row := *newRow(1)
			in := table.Table{ID: 6, Columns: indexed.Columns}
			if err := errors.Join(rows.Write(ctx, rowScope, in, []table.Change{{New: &row}})...); err != nil {
				return err
			}
			for _, purge := range []func() (bool, error){
				func() (bool, error) { return s.PurgeRows(ctx, rowScope, in.ID, 1) },
				func() (bool, error) { return s.PurgeIndex(ctx, rowScope, in.ID, "n") },
			} {
				for more := true; more; {
					done, err := purge()
					if more = !done; err != nil {
						return err
					}
				}
			}
			there, err := rows.ScanIndex(ctx, rowScope, in, "n", table.IndexScan{})
			return wrong(err, len(there.Entries) == 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dynamotest.FailEach(t, client, func(c *dynamodb.Client) error {
				return do(&rowdb.Tables{Client: c, Name: "TablesTable"},
					&rowdb.Rows{Client: c, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"})
			})
		})
	}
}
