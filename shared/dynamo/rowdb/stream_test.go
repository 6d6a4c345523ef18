package rowdb_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/value"
)

var books = table.Table{ID: 373560319889407, Name: "books", Columns: []table.Column{
	{Column: value.Column{Name: "title", Type: value.String}, Key: "title"},
	{Column: value.Column{Name: "stock", Type: value.Integer}, Key: "stock"},
	{Column: value.Column{Name: "tags", Type: value.Array, Items: value.String}, Key: "tags"},
	{Column: value.Column{Name: "author", Type: value.Pointer}, Key: "author"},
}}

// seen is what one record came to.
type seen struct {
	Kind          rowdb.EventKind
	Origin        table.Origin
	Before, After any // stock
}

func TestRowEvents(t *testing.T) {
	for name, want := range map[string][]seen{
		"row-created":            {{rowdb.RowCreated, table.Origin{}, nil, int64(0)}},
		"row-updated":            {{rowdb.RowUpdated, table.Origin{}, int64(0), int64(3)}},
		"row-deleted":            {{rowdb.RowDeleted, table.Origin{}, int64(3), nil}},
		"row-written-quietly":    {{rowdb.RowCreated, table.Origin{Quiet: true}, nil, int64(0)}},
		"row-updated-by-trigger": {{rowdb.RowUpdated, table.Origin{Depth: 2}, int64(0), int64(3)}},
		"row-deleted-quietly":    {{rowdb.RowDeleted, table.Origin{Quiet: true}, int64(3), nil}},
	} {
		source, err := os.ReadFile(filepath.Join("..", "..", "..", "events", "stream", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var event events.DynamoDBEvent
		if err := json.Unmarshal(source, &event); err != nil {
			t.Fatal(err)
		}
		var got []seen
		for _, record := range event.Records {
			e, ok, err := rowdb.ReadRowEvent(record)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !ok {
				continue
			}
			if e.Scope != (tenant.Scope{App: 6305263150000001, Env: tenant.Production}) || e.Table != books.ID || e.Row != "0153c04a2d4042022c6dc14f" || e.ID != record.EventID {
				t.Errorf("%s: %+v", name, e)
			}
			one := seen{Kind: e.Kind, Origin: e.Origin}
			before, after := e.Images(books)
			if before != nil {
				one.Before = before.Fields["stock"]
			}
			if after != nil {
				one.After = after.Fields["stock"]
				author := map[string]any{"_table": "authors", "id": "0153c04a2d4042022c6dc140"}
				if diff := cmp.Diff(author, after.Fields["author"]); diff != "" || after.ID != e.Row || len(after.Fields) != 4 {
					t.Errorf("%s: after %+v", name, after)
				}
			}
			got = append(got, one)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, _, err := rowdb.ReadRowEvent(events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{Keys: map[string]events.DynamoDBAttributeValue{
		"pk": events.NewStringAttribute("nonsense"), "sk": events.NewStringAttribute("x"),
	}}}); err == nil || !strings.Contains(err.Error(), `key "nonsense"`) {
		t.Errorf("a foreign key: %v", err)
	}
}
