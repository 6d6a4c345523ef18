package show_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/table/show"
	"minicloud/shared/tenant"
)

var scope = tenant.Scope{App: 7, Env: tenant.Production}

// idle is a worker that drops tasks.
type idle struct{}

func (idle) Submit(context.Context, table.Task, int) error { return nil }

// counted counts the calls that read rows, and the tables that are read.
type counted struct {
	table.RowStore
	table.TableStore
	rows, tables atomic.Int64
}

func (c *counted) ReadRows(
	ctx context.Context, scope tenant.Scope, t table.Table, ids []table.RowID,
) (map[table.RowID]table.Row, error) {
	c.rows.Add(1)
	if len(slices.Compact(slices.Sorted(slices.Values(ids)))) != len(ids) {
		panic("a row is read twice")
	}
	return c.RowStore.ReadRows(ctx, scope, t, ids)
}

func (c *counted) Table(ctx context.Context, scope tenant.Scope, id table.ID) (table.Table, error) {
	c.tables.Add(1)
	return c.TableStore.Table(ctx, scope, id)
}

// shop has authors and books, whose author leads to a row of authors, and two users.
type shop struct {
	*testing.T
	*counted
	tables         *manage.Service
	authors, books table.Table
	ann, ben       table.Row // readable to everybody, and to user 2 only
	users          []int64
}

func newShop(t *testing.T) *shop {
	client := dynamotest.Start(t, "TablesTable", "RowsTable", "RowIndexesTable")
	c := &counted{
		RowStore:   &rowdb.Rows{Client: client, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"},
		TableStore: &rowdb.Tables{Client: client, Name: "TablesTable"},
	}
	s := &shop{T: t, counted: c, tables: &manage.Service{
		Schemas: c, Rows: c, Counts: &dynamotest.Counts{Client: client, Table: "RowsTable"}, Worker: idle{},
		Clock: clock.Fixed(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)), IDs: new(id.Source),
	}}
	text := func(name string, acl *table.ACL) table.Column {
		return table.Column{Column: value.Column{Name: name, Type: value.String}, ACL: acl}
	}
	pointer := func(name, to string) table.Column {
		return table.Column{Column: value.Column{Name: name, Type: value.Pointer, Target: to}}
	}
	s.authors = s.table("authors", text("name", nil), text("secret", &table.ACL{}),
		text("mine", &table.ACL{ClientVisible: true, CreatorVisible: true}), pointer("best", "authors"))
	s.books = s.table("books", text("title", nil), pointer("author", "authors"), pointer("any", ""),
		pointer("editor", table.UserProfilesName), table.Column{
			Column: value.Column{Name: "hidden", Type: value.Pointer, Target: "authors"}, ACL: &table.ACL{},
		})

	profiles, err := s.tables.Table(t.Context(), scope, table.UserProfiles)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range s.tables.Insert(t.Context(), scope, profiles, []map[string]any{
		{"nickname": "Ada", "city": "Bonn"}, {"nickname": "Bob", "city": "Rome", "country": ""},
	}, table.Author{}) {
		s.users = append(s.users, int64(o.Row.ID.Number()))
	}
	s.ann = s.insert(s.authors, 0, map[string]any{"name": "Ann", "secret": "s", "mine": "m", "_read_perm": []any{"user:anonymous"}})
	s.ben = s.insert(s.authors, 1, map[string]any{"name": "Ben", "_read_perm": []any{fmt.Sprint("user:", s.users[1])}})
	return s
}

func (s *shop) table(name string, columns ...table.Column) table.Table {
	s.Helper()
	made, err := s.tables.Create(s.Context(), scope, table.Definition{Name: &name, Columns: columns})
	if err != nil {
		s.Fatal(err)
	}
	return made
}

// insert creates a row as one of the users.
func (s *shop) insert(in table.Table, user int, draft map[string]any) table.Row {
	s.Helper()
	o := s.tables.Insert(s.Context(), scope, in, []map[string]any{draft}, table.Author{UserID: s.users[user]})[0]
	if o.Err != nil {
		s.Fatal(o.Err)
	}
	return o.Row
}

// shown returns a row as JSON, without the members that no case is about.
func (s *shop) shown(in table.Table, row table.Row, reader *permission.Subject, keys, expand string) string {
	s.Helper()
	fields, err := show.Parse(in, reader, keys, expand)
	if err != nil {
		s.Fatal(err)
	}
	record, err := show.Service{Tables: s.tables}.Row(s.Context(), scope, fields, row)
	if err != nil {
		s.Fatal(err)
	}
	trim(record)
	text, _ := json.Marshal(record)
	return s.named(string(text))
}

func trim(record map[string]any) {
	for _, name := range []string{"_id", "created_at", "updated_at", "_read_perm", "_write_perm", "read_perm", "write_perm"} {
		delete(record, name)
	}
	for name, v := range record {
		if inner, ok := v.(map[string]any); ok {
			trim(inner)
		} else if v == nil {
			delete(record, name)
		}
	}
}

// named replaces ids by names.
func (s *shop) named(text string) string {
	for i, user := range s.users {
		text = strings.ReplaceAll(text, fmt.Sprint(user), fmt.Sprintf("%d", i+1))
	}
	return strings.NewReplacer(string(s.ann.ID), "ann", string(s.ben.ID), "ben").Replace(text)
}

func TestExpands(t *testing.T) {
	s := newShop(t)
	ada, bob, nobody := &permission.Subject{User: s.users[0]}, &permission.Subject{User: s.users[1]}, &permission.Subject{}
	book := s.insert(s.books, 0, map[string]any{
		"title": "T", "author": string(s.ann.ID), "any": map[string]any{"_table": "authors", "id": string(s.ben.ID)},
		"editor": fmt.Sprint(s.users[1]), "hidden": string(s.ann.ID),
	})
	const any, author = `"any":{"_table":"authors","id":"ben"}`, `"author":{"_table":"authors","id":"ann"}`
	const editor = `"editor":{"_table":"_userprofile","id":2}`
	for _, c := range []struct {
		reader       *permission.Subject
		keys, expand string
		want         string // without the id of the book
	}{
		{nil, "author,any", "", `{` + any + `,` + author + `}`},
		{nil, "author", "author", `{"author":{"_table":"authors","created_by":1,"id":"ann","mine":"m","name":"Ann","secret":"s"}}`},
		{ada, "author", "author", `{"author":{"_table":"authors","created_by":1,"id":"ann","mine":"m","name":"Ann"}}`},
		{bob, "author", "author", `{"author":{"_table":"authors","created_by":1,"id":"ann","name":"Ann"}}`},
		{nobody, "author", "author", `{"author":{"_table":"authors","created_by":1,"id":"ann","name":"Ann"}}`},
		// Unreadable stays as gone does.
		{ada, "any", "any", `{` + any + `}`},
		{bob, "any", "any", `{"any":{"_table":"authors","created_by":2,"id":"ben","name":"Ben"}}`},
		// keys of expanded rows.
		{nil, "author.name", "author", `{"author":{"_table":"authors","id":"ann","name":"Ann"}}`},
		{nil, "author.name,author.mine,author.nothing", "author", `{"author":{"_table":"authors","id":"ann","mine":"m","name":"Ann"}}`},
		{nil, "author._id", "author", `{"author":{"_table":"authors","id":"ann"}}`},
		{nil, "-author._id,-author.secret,-any,-hidden,-editor,-title,-author.created_by", "author", `{"author":{"_table":"authors","mine":"m","name":"Ann"},"created_by":1}`},
		{ada, "author.secret", "author", `{"author":{"_table":"authors","id":"ann"}}`},
		{nil, "author.name", "", `{` + author + `}`},
		{nil, "author,author.name", "author", `{"author":{"_table":"authors","created_by":1,"id":"ann","mine":"m","name":"Ann","secret":"s"}}`},
		{nil, "author.name,author", "author", `{"author":{"_table":"authors","created_by":1,"id":"ann","mine":"m","name":"Ann","secret":"s"}}`},
		{nil, "-author.secret,-author.mine,-any,-hidden,-editor", "author",
			`{"author":{"_table":"authors","created_by":1,"id":"ann","name":"Ann"},"created_by":1,"title":"T"}`},
		{nil, "-author.secret,-any,-hidden,-editor", "", `{` + author + `,"created_by":1,"title":"T"}`},
		{ada, "title,-any", "any", `{` + any + `,` + author + `,"created_by":1,` + editor + `,"title":"T"}`},
		// Not selected, hidden, no pointer, no column: not expanded, and no error.
		{ada, "title", "author,hidden,title,nothing, ", `{"title":"T"}`},
		{ada, "", "hidden", `{` + any + `,` + author + `,"created_by":1,` + editor + `,"title":"T"}`},
		{nil, "created_by.nickname", "created_by", `{"created_by":{"id":1,"nickname":"Ada"}}`},
		{ada, "editor.nickname,editor.city", "editor", `{"editor":{"_table":"_userprofile","id":2,"nickname":"Bob"}}`},
		{bob, "editor.nickname,editor.city", "editor", `{"editor":{"_table":"_userprofile","city":"Rome","id":2,"nickname":"Bob"}}`},
		// A value that is not set is null for end users, which this test leaves out.
		{nil, "editor.country", "editor", `{"editor":{"_table":"_userprofile","country":"","id":2}}`},
		{bob, "editor.country", "editor", `{"editor":{"_table":"_userprofile","id":2}}`},
		{nobody, "editor", "editor", `{` + editor + `}`},
		{nobody, "created_by", "created_by", `{"created_by":1}`},
	} {
		got := strings.Replace(s.shown(s.books, book, c.reader, c.keys, c.expand), fmt.Sprintf(`,"id":%q`, book.ID), "", 1)
		got = strings.Replace(got, fmt.Sprintf(`"id":%q,`, book.ID), "", 1)
		if got != c.want {
			t.Errorf("%+v keys=%s expand=%s:\n%s, want\n%s", c.reader, c.keys, c.expand, got, c.want)
		}
	}

	if _, err := s.tables.Delete(t.Context(), scope, s.authors, s.ann.ID, table.Author{}); err != nil {
		t.Fatal(err)
	}
	if got := s.shown(s.books, book, nil, "-hidden,-editor,-any", "author"); !strings.Contains(got, author) {
		t.Errorf("a row that is gone: %s", got)
	}
	if err := s.tables.DeleteTable(t.Context(), scope, s.authors.ID); err != nil {
		t.Fatal(err)
	}
	if got := s.shown(s.books, book, nil, "any,author", "any,author"); !strings.Contains(got, any+`,`+author) {
		t.Errorf("a table that is gone: %s", got)
	}
}

// TestRefusesKeys: a hidden column has the error of one that does not exist.
func TestRefusesKeys(t *testing.T) {
	s := newShop(t)
	for _, c := range []struct {
		reader *permission.Subject
		keys   string
	}{
		{nil, "nothing"}, {nil, "-nothing"}, {nil, "nothing.a"}, {nil, "title.a"}, {nil, "title,"},
		{&permission.Subject{User: 1}, "hidden"}, {&permission.Subject{User: 1}, "-hidden"}, {&permission.Subject{}, "hidden.name"},
	} {
		_, err := show.Parse(s.books, c.reader, c.keys, "")
		name := strings.TrimPrefix(strings.TrimPrefix(c.keys, "title,"), "-")
		if want := fmt.Sprintf("keys: field %q does not exist", name); !errs.Is(err, errs.KindInvalid) || errs.Message(err) != want {
			t.Errorf("%s: %v, want %s", c.keys, err, want)
		}
	}
}

// TestReadsOnceForATable: a page costs a read of each schema, and of its rows, whatever number of rows and of
// fields lead to them.
func TestReadsOnceForATable(t *testing.T) {
	s := newShop(t)
	for i := range 60 {
		to := []table.Row{s.ann, s.ben}[i%2]
		s.insert(s.books, i%2, map[string]any{
			"author": string(to.ID), "hidden": string(to.ID), "editor": s.users[(i+1)%2],
			"any": map[string]any{"_table": fmt.Sprint(int64(s.authors.ID)), "id": string(to.ID)},
		})
	}
	fields, err := show.Parse(s.books, nil, "", "author,hidden,any,editor,created_by")
	if err != nil {
		t.Fatal(err)
	}
	s.rows.Store(0)
	s.counted.tables.Store(0)
	got, err := show.Service{Tables: s.tables}.Find(t.Context(), scope, fields, table.Query{Page: page.Request{Limit: 50}, Total: true})
	if err != nil || len(got.Objects) != 50 || got.Next == "" || got.Total != 60 {
		t.Fatalf("%d rows, next %q, total %d: %v", len(got.Objects), got.Next, got.Total, err)
	}
	if s.rows.Load() != 2 || s.counted.tables.Load() != 2 {
		t.Errorf("%d reads of rows and %d of schemas, want 2 and 2", s.rows.Load(), s.counted.tables.Load())
	}
	for _, record := range got.Objects {
		for _, name := range []string{"author", "hidden", "any", "editor", "created_by"} {
			if _, whole := record[name].(map[string]any)["created_at"]; !whole {
				t.Errorf("%s: %v", name, record[name])
			}
		}
	}
}

// TestLargeExpansions: pages with large targets have fewer rows, and lead to all of them; a row with too many keeps
// some as pointers.
func TestLargeExpansions(t *testing.T) {
	s := newShop(t)
	const size = 340 << 10
	large := s.insert(s.authors, 0, map[string]any{"name": strings.Repeat("x", size)})
	var want []any
	for i := range 30 {
		row := s.insert(s.books, 0, map[string]any{"title": fmt.Sprint(i), "author": string(large.ID)})
		want = append([]any{s.books.Wire(row.ID)}, want...)
	}
	fields, err := show.Parse(s.books, nil, "", "author")
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	q := table.Query{Page: page.Request{Limit: 25}, Total: true}
	for pages := 1; ; pages++ {
		found, err := show.Service{Tables: s.tables}.Find(t.Context(), scope, fields, q)
		if err != nil || found.Total != 30 {
			t.Fatalf("total %d: %v", found.Total, err)
		}
		text, _ := json.Marshal(found.Objects)
		if len(text) > page.MaxBytes || len(text) < page.MaxBytes-2*size && found.Next != "" {
			t.Errorf("a page of %d bytes", len(text))
		}
		for _, record := range found.Objects {
			got = append(got, record["id"])
			if len(record["author"].(map[string]any)["name"].(string)) != size {
				t.Error("the author is not whole")
			}
		}
		if q.Page.After = found.Next; found.Next == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}

	var columns []table.Column
	draft := map[string]any{}
	for i := range 20 {
		name := fmt.Sprint("p", i)
		columns = append(columns, table.Column{Column: value.Column{Name: name, Type: value.Pointer, Target: "authors"}})
		draft[name] = string(large.ID)
	}
	wide := s.table("wide", columns...)
	row := s.insert(wide, 0, draft)
	if fields, err = show.Parse(wide, nil, "", strings.Join(slices.Sorted(maps.Keys(draft)), ",")); err != nil {
		t.Fatal(err)
	}
	record, err := show.Service{Tables: s.tables}.Row(t.Context(), scope, fields, row)
	text, _ := json.Marshal(record)
	if err != nil || len(text) > page.MaxBytes || len(text) < page.MaxBytes-size {
		t.Errorf("a row of %d bytes: %v", len(text), err)
	}
}
