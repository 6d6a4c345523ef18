package rowevent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rowevent"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
)

var rowScope = tenant.Scope{App: 7, Env: tenant.Production}

var books = table.Table{ID: 373560319889407, Name: "books", Columns: []table.Column{
	{Column: value.Column{Name: "title", Type: value.String}, Key: "title"},
	{Column: value.Column{Name: "stock", Type: value.Integer}, Key: "stock"},
	{Column: value.Column{Name: "tags", Type: value.Array, Items: value.String}, Key: "tags"},
	{Column: value.Column{Name: "author", Type: value.Pointer}, Key: "author"},
}}

// seen is the event made from one record.
type seen struct {
	Kind            trigger.Kind
	Depth, Revision int
	Before, After   any // values of the column stock
}

// TestRowEvents: only the fixtures' changes with a listener become events.
func TestRowEvents(t *testing.T) {
	for name, want := range map[string][]seen{
		"row-created":       nil,
		"row-updated":       nil,
		"row-deleted":       nil,
		"row-updated-heard": {{trigger.OnUpdate, 2, 3, int64(0), int64(3)}},
		"row-deleted-heard": {{trigger.OnDelete, 0, 3, int64(3), nil}},
	} {
		source, err := os.ReadFile(filepath.Join("..", "..", "..", "events", "stream", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(source), "{{scope}}", "6305263150000001.production")
		var batch events.DynamoDBEvent
		if err := json.Unmarshal([]byte(text), &batch); err != nil {
			t.Fatal(err)
		}
		var got []seen
		for _, record := range batch.Records {
			e, ok, err := rowevent.Read(record)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !ok {
				continue
			}
			fired, _ := e.Of(books)
			if fired.Scope != (tenant.Scope{App: 6305263150000001, Env: tenant.Production}) || fired.Table != books.ID ||
				fired.Subject != "0153c04a2d4042022c6dc14f" || fired.ID != record.EventID || fired.At.IsZero() {
				t.Errorf("%s: %+v", name, fired)
			}
			author := map[string]any{"_table": "authors", "id": "0153c04a2d4042022c6dc140"}
			if diff := cmp.Diff(author, fired.Payload["author"]); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			got = append(got, seen{fired.Kind, fired.Depth, int(fired.Revision), fired.Before["stock"], fired.After["stock"]})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	image := map[string]events.DynamoDBAttributeValue{"fires": events.NewStringAttribute("0#1")}
	for _, key := range []string{"nonsense", "7.production#x", "nobody#5"} {
		if _, _, err := rowevent.Read(events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			NewImage: image, Keys: map[string]events.DynamoDBAttributeValue{"pk": events.NewStringAttribute(key)},
		}}); err == nil {
			t.Errorf("key %q is read", key)
		}
	}
}

// TestFiresOnlyWatchedChanges: of every kind of row write, only changes with a listener fire, with the depth of the
// writer.
func TestFiresOnlyWatchedChanges(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "TriggersTable")
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	stream, reader := dynamotest.OpenStream(t, client, "RowsTable"), &rowevent.Stream{Tables: schemas}
	s := &manage.Service{
		Schemas: schemas, Clock: clock.Fixed(time.Unix(1795262400, 0)), IDs: new(id.Source),
		Rows: &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"},
	}
	name := "things"
	in, err := s.Create(t.Context(), rowScope, table.Definition{
		Name: &name, Columns: []table.Column{{Column: value.Column{Name: "n", Type: value.Integer}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable", Listeners: schemas}
	var last trigger.ID
	listen := func(event trigger.Change) {
		t.Helper()
		last++
		waits := trigger.Trigger{
			ID: last, Enabled: true, Type: trigger.TypeTable, Tables: map[string]table.ID{"things": in.ID},
			Condition: &trigger.TableCondition{Table: "things", Event: event},
		}
		if err := triggers.Insert(t.Context(), rowScope, waits, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}

	from := trace.Link{ID: "hook#1", Cause: "7/8"}
	for depth, want := range []string{
		"", "on_create on_create", "on_create on_create", "on_create on_create on_update on_update on_delete on_delete",
	} {
		switch depth {
		case 1:
			listen(trigger.Create)
		case 3:
			listen(trigger.Update)
			listen(trigger.Delete)
		}
		if in, err = schemas.Table(t.Context(), rowScope, in.ID); err != nil {
			t.Fatal(err)
		}
		for _, quiet := range []bool{true, false} {
			writeEveryWay(t, s, in, table.Origin{Quiet: quiet, Depth: depth, Trace: from})
		}

		var got []string
		for _, record := range stream.Take() {
			e, ok, err := reader.Read(t.Context(), record)
			if err == nil && !ok {
				continue
			}
			if err != nil || e.Depth != depth || e.Trace != from.ID || e.Cause != from.Cause ||
				e.Revision != in.Revision {
				t.Errorf("event %+v, %v", e, err)
			}
			got = append(got, string(e.Kind))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("depth %d: %q, want %q", depth, got, want)
		}
	}
}

// writeEveryWay creates two rows, changes one of them twice, and deletes them.
func writeEveryWay(t *testing.T, s *manage.Service, in table.Table, by table.Origin) {
	t.Helper()
	made := s.Insert(t.Context(), rowScope, in, []map[string]any{{"n": 1.0}, {"n": 2.0}}, table.Author{Origin: by})
	if made[0].Err != nil || made[1].Err != nil {
		t.Fatal(made[0].Err, made[1].Err)
	}
	change, err := update.FromObject(map[string]any{"n": map[string]any{"$incr_by": 1.0}}, in.Writable(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, patched := s.Update(t.Context(), rowScope, in, made[0].Row.ID, change, table.Author{Origin: by})
	one := table.Query{Page: page.Request{Limit: 1}}
	_, updated := s.UpdateMatching(t.Context(), rowScope, in, one, change, by)
	_, deleted := s.Delete(t.Context(), rowScope, in, made[0].Row.ID, table.Author{Origin: by})
	_, all := s.DeleteMatching(t.Context(), rowScope, in, table.Query{Page: page.Request{Limit: 9}}, by)
	if err := errors.Join(patched, updated, deleted, all); err != nil {
		t.Fatal(err)
	}
}

// TestTriggerStoresTheBuiltInTable: a new trigger stores a built-in table that is not stored yet, and a missing table
// is an error.
func TestTriggerStoresTheBuiltInTable(t *testing.T) {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable", "TriggersTable")
	schemas := &rowdb.Tables{Client: client, Name: "TablesTable"}
	triggers := &triggerdb.Triggers{Client: client, Table: "TriggersTable", Listeners: schemas}
	waits := trigger.Trigger{
		ID: 1, Enabled: true, Type: trigger.TypeTable, Revision: 1, Tables: map[string]table.ID{"users": table.UserProfiles},
		Condition: &trigger.TableCondition{Table: "users", Event: trigger.Update},
	}
	if err := triggers.Insert(t.Context(), rowScope, waits, time.Time{}); err != nil {
		t.Fatal(err)
	}

	users, err := schemas.Table(t.Context(), rowScope, table.UserProfiles)
	if _, hasNames := users.Column("nickname"); err != nil || !hasNames || users.Revision != 1 ||
		users.Listeners != (table.Listeners{Update: 1}) {
		t.Fatalf("%+v, %v", users, err)
	}
	next := users
	next.Revision++
	if err := schemas.ReplaceTable(t.Context(), rowScope, users, next); err != nil {
		t.Error(err)
	}
	if err := triggers.Delete(t.Context(), rowScope, waits); err != nil {
		t.Error(err)
	}
	users, err = schemas.Table(t.Context(), rowScope, table.UserProfiles)
	if err != nil || users.Revision != 3 || users.Listeners != (table.Listeners{}) {
		t.Errorf("%+v, %v", users, err)
	}
	if err := schemas.ReplaceTable(t.Context(), rowScope, next, next); !errs.Is(err, errs.KindConflict) {
		t.Errorf("a schema from before: %v", err)
	}

	waits.ID, waits.Tables = 2, map[string]table.ID{"users": 77}
	if err := triggers.Insert(t.Context(), rowScope, waits, time.Time{}); err == nil {
		t.Error("a trigger waits for a table that does not exist")
	}
}

// TestReadsATableOncePerBatch: the table is read again if a writer has read a later revision. A deleted table has no
// events.
func TestReadsATableOncePerBatch(t *testing.T) {
	recorder := dynamotest.Record(dynamotest.Start(t, "TablesTable"))
	schemas := &rowdb.Tables{Client: recorder.Client, Name: "TablesTable"}
	if err := schemas.InsertTable(t.Context(), rowScope, table.Table{ID: 5, Name: "things", Revision: 1}); err != nil {
		t.Fatal(err)
	}
	recorder.Take()
	reader := &rowevent.Stream{Tables: schemas}
	for i, c := range []struct {
		fires string
		reads int
		of    string
	}{{"0#1#", 1, "5"}, {"3#1#", 0, "5"}, {"0#2#", 1, "5"}, {"0#1#", 0, "5#s15"}, {"0#1#", 1, "6"}} {
		e, ok, err := reader.Read(t.Context(), fired("7.production#"+c.of, c.fires))
		if calls := recorder.Take(); len(calls) != c.reads || err != nil || ok != (c.of[:1] == "5") ||
			ok && (e.Table != 5 || fmt.Sprint(e.Depth) != c.fires[:1]) {
			t.Errorf("record %d: %v, %v, by %q: %+v", i, ok, err, calls, e)
		}
	}
	for _, wrong := range [][2]string{{"7.production#5", "x"}, {"7.production#x", "0#1"}, {"nobody#5", "0#1"}} {
		if _, ok, err := reader.Read(t.Context(), fired(wrong[0], wrong[1])); !errs.Is(err, errs.KindInvalid) || ok {
			t.Errorf("%q is read", wrong)
		}
	}
}

// fired returns the stream record of a row that fires.
func fired(pk, fires string) events.DynamoDBEventRecord {
	text := events.NewStringAttribute
	return events.DynamoDBEventRecord{EventID: "1", Change: events.DynamoDBStreamRecord{
		NewImage: map[string]events.DynamoDBAttributeValue{"fires": text(fires)},
		Keys:     map[string]events.DynamoDBAttributeValue{"pk": text(pk), "sk": text("0153c04a2d4042022c6dc14f")},
	}}
}
