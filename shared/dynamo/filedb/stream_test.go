package filedb_test

import (
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rowevent"
	"minicloud/shared/file"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// TestEventsOfFiles: a new file and one that is deleted fire; a change that is neither does not, nor do categories.
func TestEventsOfFiles(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	taken := dynamotest.OpenStream(t, client, "RowsTable")
	rows := &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}
	tables := &manage.Service{Schemas: &rowdb.Tables{Client: client, Name: "TablesTable"}, Rows: rows, Clock: clock.System, IDs: new(id.Source)}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	insert := func(in table.Table, fields map[string]any) table.Row {
		t.Helper()
		made := tables.Insert(t.Context(), scope, in, []map[string]any{fields}, table.Author{UserID: 5})[0]
		if made.Err != nil {
			t.Fatal(made.Err)
		}
		return made.Row
	}
	insert(file.Categories(), map[string]any{"name": "pictures"})
	row := insert(file.Table(), map[string]any{"name": "a.png", "cdn_path": "b.png", "size": 7.0, "mime_type": "image/png", "media_type": "other"})
	quiet := row
	quiet.Revision, quiet.Origin = row.Revision+1, table.Origin{Quiet: true}
	if err := rows.Write(t.Context(), scope, file.Table(), []table.Change{{Old: &row, New: &quiet}})[0]; err != nil {
		t.Fatal(err)
	}
	if _, err := tables.Delete(t.Context(), scope, file.Table(), row.ID, table.Author{}); err != nil {
		t.Fatal(err)
	}

	stream := &filedb.Stream{Rows: &rowevent.Stream{Tables: &rowdb.Tables{Client: client, Name: "TablesTable"}}, Site: "https://files.example.com"}
	var fired []trigger.Event
	for _, record := range taken.Take() {
		fired = append(fired, read(t, stream, record)...)
	}
	if len(fired) != 2 {
		t.Fatalf("%+v", fired)
	}
	for i, want := range []struct{ operation, status string }{{"upload", "success"}, {"delete", "running"}} {
		e := fired[i]
		if e.Facts["operation"] != want.operation || e.Payload["status"] != want.status || e.Payload["id"] != string(row.ID) ||
			e.Payload["size"] != int64(7) || e.Payload["path"] != "https://files.example.com/7/production/b.png" || e.Scope != scope {
			t.Errorf("%s: %+v", want.operation, e)
		}
	}
}

func read(t *testing.T, stream *filedb.Stream, record events.DynamoDBEventRecord) []trigger.Event {
	t.Helper()
	e, ok, err := stream.Read(t.Context(), record)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return nil
	}
	return []trigger.Event{e}
}
