package rowdb_test

import (
	"errors"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/retry"
	"minicloud/shared/table"
)

// TestClaimsUnderLostCalls: whichever attempts are lost before or after they take effect, a row has its value and the
// claim for it, or neither, and a write that another row bars is refused.
func TestClaimsUnderLostCalls(t *testing.T) {
	client, ids := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable"), new(id.Source)
	codes := table.Table{
		ID: 6, Name: "codes", Revision: 1, Columns: []table.Column{
			{Column: value.Column{Name: "code", Type: value.Integer, Indexed: true}, Key: "code", Index: &table.Index{ID: "code"}},
		},
		FieldIndexes: []table.FieldIndex{{Fields: []string{"code"}, Unique: true, Index: table.Index{ID: "unique"}}},
	}
	if err := (&rowdb.Tables{Client: client, Name: "TablesTable"}).InsertTable(t.Context(), rowScope, codes); err != nil {
		t.Fatal(err)
	}
	good := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	row := func(code int64) *table.Row {
		return &table.Row{ID: codes.FirstRowID(ids.New(time.Now())), Revision: 1, Fields: map[string]any{"code": code}}
	}

	next := int64(0)
	for _, fault := range []dynamotest.Fault{dynamotest.Throttled, dynamotest.Unsent, dynamotest.Unheard} {
		for lost := range 3 {
			calls := 0
			faulty := *good
			faulty.Client = dynamotest.Faulty(client, func(operation string) dynamotest.Fault {
				if operation != "TransactWriteItems" {
					return 0
				}
				if calls++; calls == lost+1 {
					return fault
				}
				return 0
			})
			write := func(changes ...table.Change) []error { return faulty.Write(t.Context(), rowScope, codes, changes) }

			a, b := row(next), row(next) // two rows with one value
			first := write(table.Change{New: a}, table.Change{New: b})
			if _, twice := errors.AsType[*table.NotUnique](first[1]); first[0] != nil || !twice {
				t.Fatalf("fault %d, %d: %v", fault, lost, first)
			}
			moved := *a
			moved.Revision, moved.Fields = 2, map[string]any{"code": next + 1}
			if err := write(table.Change{Old: a, New: &moved})[0]; err != nil && !retry.OnConflict(err) {
				t.Fatalf("fault %d, %d: %v", fault, lost, err)
			}
			if err := write(table.Change{New: b})[0]; err != nil {
				t.Fatalf("fault %d, %d: the value that was freed: %v", fault, lost, err)
			}
			next += 2
		}
	}

	step, err := good.ScanRows(t.Context(), rowScope, codes, table.RowScan{})
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, r := range step.Rows {
		has[codes.Claim(codes.FieldIndexes[0], r)] = true
	}
	claims, err := good.ScanIndex(t.Context(), rowScope, codes, "unique", table.IndexScan{CountOnly: true})
	if err != nil || len(has) != len(step.Rows) || claims.Count != len(has) || len(has) != 18 {
		t.Errorf("%d rows have %d values and %d claims: %v", len(step.Rows), len(has), claims.Count, err)
	}
}
