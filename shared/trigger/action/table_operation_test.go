package action_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// TestCreatesRow checks typed values, and that a repeated run does not create the row again after its deletion. The row
// belongs to the administrator, and its event is one level deeper.
func TestCreatesRow(t *testing.T) {
	p := newPlatform(t)
	p.goods.Listeners.Create = 1
	name, one := p.goods.ID.String(), p.newTable(shop, "buyers", value.Column{Name: "x", Type: value.String})
	buyer := p.insert(shop, one, map[string]any{"x": "y"})[0]
	s := creation(
		set("name", "{{ info.a }}"), set("n", "{{ count }}"), set("price", "{{ total }}"), set("sold", "{{ paid }}"),
		set("born", "{{ at }}"), set("photo", "{{ photo }}"), set("place", "{{ spot }}"), set("owner", "{{ buyer }}"),
		set("about", map[string]any{"of": "{{ title }}", "n": "{{ count }}"}),
		trigger.Assignment{Field: "tags", Operator: trigger.AppendUnique, Value: "{{ labels }}"},
		trigger.Assignment{Field: "stock", Operator: trigger.IncBy, Value: "{{ count }}"},
	)

	got, err := p.doer.Do(t.Context(), p.work("r1", s, order))
	rows := p.rows()
	if err != nil || len(rows) != 1 || got.Response != fmt.Sprintf(`{"created":%q}`, rows[0].ID) || got.Unfinished {
		t.Fatalf("%+v %v: %d rows of %s", got, err, len(rows), name)
	}
	want := map[string]any{
		"name": `{"b":"<1>"}`, "n": int64(3), "price": 12.5, "sold": true, "born": "2026-11-22T20:00:00+08:00",
		"photo": map[string]any{"id": "f1", "name": "a.png", "size": 7.0},
		"place": map[string]any{"type": "Point", "coordinates": []any{120.0, 30.0}},
		"owner": map[string]any{"_table": "buyers", "id": "5f3e5f3e5f3e5f3e5f3e5f3f"},
		"about": map[string]any{"of": "ink & paper", "n": 3.0}, "tags": []any{"a", "b"}, "stock": int64(8),
	}

	if diff := cmp.Diff(want, rows[0].Fields); diff != "" || rows[0].CreatedBy != 70 {
		t.Errorf("by %d, -want +got:\n%s", rows[0].CreatedBy, diff)
	}

	if _, err := p.tables.Delete(t.Context(), shop, p.goods, rows[0].ID, table.Author{}); err != nil {
		t.Fatal(err)
	}
	for _, attempt := range []int{1, 2} {
		w := p.work("r1", s, order)
		w.Attempt = attempt
		if again, err := p.doer.Do(t.Context(), w); err != nil || again.Response != action.AlreadyDone ||
			len(p.rows()) != 0 {
			t.Errorf("again: %+v %v", again, err)
		}
	}

	if _, err := p.doer.Do(t.Context(), p.work("r2", creation(set("owner", string(buyer.ID))), order)); err != nil {
		t.Fatal(err)
	}
	if owner := p.rows()[0].Fields["owner"]; !cmp.Equal(
		owner, map[string]any{"_table": "buyers", "id": string(buyer.ID)},
	) {
		t.Errorf("an id by itself points to %v", owner)
	}
}

// TestResolvesPointers checks that the table of a pointer is the one that the event names.
func TestResolvesPointers(t *testing.T) {
	p := newPlatform(t)
	for text, want := range map[string]map[string]any{
		"{{ id }}":            {"_table": "orders", "id": order["id"]},
		"{{ payload.id }}":    {"_table": "orders", "id": order["id"]},
		"{{ created_by }}":    {"_table": "_userprofile", "id": int64(12)},
		"{{ created_by.id }}": {"_table": "_userprofile", "id": int64(12)},
		"{{ after.buyer }}":   {"_table": "buyers", "id": "5f3e5f3e5f3e5f3e5f3e5f3f"},
		"{{ buyer.id }}":      {"_table": "buyers", "id": "5f3e5f3e5f3e5f3e5f3e5f3f"},
	} {
		_, err := p.doer.Do(t.Context(), p.work(text, creation(set("owner", text), set("name", text+"!")), order))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all := p.rows()
		if got := all[len(all)-1].Fields["owner"]; !cmp.Equal(got, any(want)) {
			t.Errorf("%s points to %v, want %v", text, got, want)
		}
	}
}

// TestRaisesDepth checks the depth of events of created, updated and deleted rows.
func TestRaisesDepth(t *testing.T) {
	p := newPlatform(t)
	listens := trigger.Listening{Table: p.goods.ID, By: map[trigger.Change]int{
		trigger.Create: 1, trigger.Update: 1, trigger.Delete: 1,
	}}
	part, err := (&rowdb.Tables{Client: p.client.Client, Name: "TablesTable"}).Listen(shop, listens)
	if err != nil {
		t.Fatal(err)
	}
	if err := dynamo.Transact(t.Context(), p.client.Client, part); err != nil {
		t.Fatal(err)
	}
	fires := func() string {
		var all []string
		out, err := p.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: new("RowsTable")})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range out.Items {
			depth, _, _ := strings.Cut(dynamo.TextOf(it["fires"]), "#")
			all = append(all, depth)
		}
		return strings.Join(all, " ")
	}

	if _, err := p.doer.Do(t.Context(), p.work("c", creation(set("n", 1.0)), order)); err != nil || fires() != "3" {
		t.Errorf("a new row fires %q, %v", fires(), err)
	}
	w := p.work("u", increment(everything), order)
	w.Run.Event.Depth = 4
	if _, err := p.doer.Do(t.Context(), w); err != nil || fires() != "5" {
		t.Errorf("a changed row fires %q, %v", fires(), err)
	}

	// The deepest event of a batch counts: otherwise a loop that joins batches of other events would never end (G19).
	w = p.work("b", increment(everything), order)
	w.Events = []trigger.Event{w.Run.Event, {Payload: order, Depth: 6}}
	if _, err := p.doer.Do(t.Context(), w); err != nil || fires() != "7" {
		t.Errorf("a row that a batch has changed fires %q, %v", fires(), err)
	}
}

// TestRefusesValuesThatDoNotFit checks that the failure is permanent, names the field, and writes nothing (G7).
func TestRefusesValuesThatDoNotFit(t *testing.T) {
	p := newPlatform(t)
	p.insert(shop, p.goods, map[string]any{"n": 1.0})
	inc := func(field string, v any) trigger.Assignment {
		return trigger.Assignment{Field: field, Operator: trigger.IncBy, Value: v}
	}
	add := func(field string, v any) trigger.Assignment {
		return trigger.Assignment{Field: field, Operator: trigger.Append, Value: v}
	}

	for _, row := range []struct {
		a    trigger.Assignment
		want string
	}{
		{set("n", "{{ title }}"), `field "n" must be an integer`},
		{set("n", "{{ total }}"), `field "n" must be an integer`},
		{set("n", "{{ count }}0"), `field "n" must be an integer`},
		{set("name", "{{ count }}"), `field "name" must be a string`},
		{set("sold", "{{ title }}"), `field "sold" must be true or false`},
		{set("born", "{{ title }}"), `field "born" must be an ISO 8601 date`},
		{set("tags", "{{ title }}"), `field "tags" must be an array`},
		{
			set("about", "{{ info }}"),
			`field "about" is of type object: a variable that is an object fits string columns only`,
		},
		{set("n", "{{ info.a }}"), `field "n" is of type integer: a variable that is an object`},
		{set("photo", "{{ info }}"), `field "photo" must be a file`},
		{set("place", "{{ title }}"), `field "place" must be a GeoJSON`},
		{set("owner", "{{ total }}"), `field "owner" must be the id of a row`},
		{set("owner", "{{ labels }}"), `field "owner" must be the id of a row`},
		{set("owner", "5f3e5f3e5f3e5f3e5f3e5f00"), `field "owner": no table has a row "5f3e5f3e5f3e5f3e5f3e5f00"`},
		{inc("n", "{{ title }}"), `field "n" must be an integer`},
		{inc("n", "{{ gone }}"), `field "n" needs a value for inc_by`},
		{inc("n", 9007199254740991.0), `field "n" would leave the range of integers`},
		{add("tags", "{{ count }}"), `field "tags" must be an array: item 0 must be a string`},
		{
			add("parts", "{{ info }}"), `field "parts" is of type array: a variable that is an object fits string columns only`,
		},
		{set("about", map[string]any{"$incr_by": 1.0}), `key "$incr_by" may not start with $`},
		{set("name", "{{ long }}"), "the row is over 350 KB"},
	} {
		for _, kind := range []trigger.Change{trigger.Create, trigger.Update} {
			s := &trigger.TableOperationSettings{Operation: kind, Assign: []trigger.Assignment{row.a}}
			if kind == trigger.Update {
				s.Where = everything
			} else if row.a.Value == 9007199254740991.0 {
				continue // a new row has no value to increment
			}
			_, err := p.doer.Do(t.Context(), p.work(fmt.Sprint(row.want, kind), s, order))
			f, isFailure := errors.AsType[*action.Failure](err)
			permanent := isFailure && f.Permanent || errs.Is(err, errs.KindInvalid) || errs.Is(err, errs.KindTooLarge)
			if err == nil || !permanent || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s %s %v: %v, want %s", kind, row.a.Field, row.a.Operator, err, row.want)
			}
		}
	}

	if rows := p.rows(); len(rows) != 1 || rows[0].Revision != 1 {
		t.Errorf("something was written: %+v", rows)
	}
}

// TestRemovedTableOrColumnIsNotFound checks that the failure is permanent (G21).
func TestRemovedTableOrColumnIsNotFound(t *testing.T) {
	p := newPlatform(t)
	p.insert(shop, p.goods, map[string]any{"n": 1.0})
	for what, s := range map[string]*trigger.TableOperationSettings{
		"assigned": creation(set("gone", 1.0)),
		"in where": {Operation: trigger.Delete, Where: map[string]any{"gone": 1.0}},
		"in an $or": {
			Operation: trigger.Delete, Where: map[string]any{"$or": []any{map[string]any{"gone": 1.0}, everything}},
		},
		"no such name": {Table: "other", Operation: trigger.Delete, Where: everything},
	} {
		_, err := p.doer.Do(t.Context(), p.work(what, s, order))
		f, _ := errors.AsType[*action.Failure](err)
		if !errs.Is(err, errs.KindNotFound) && (f == nil || !f.Permanent || f.Type != "not_found") {
			t.Errorf("%s: %v", what, err)
		}
	}

	if err := p.tables.DeleteTable(t.Context(), shop, p.goods.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.doer.Do(
		t.Context(), p.work("table", creation(set("n", 1.0)), order),
	); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("a deleted table: %v", err)
	}
}

// TestHostileValuesSelectNothing checks that values are compared and never parsed.
func TestHostileValuesSelectNothing(t *testing.T) {
	p := newPlatform(t)
	p.insert(
		shop, p.goods, map[string]any{"name": "a", "n": 1.0}, map[string]any{"n": 2.0}, map[string]any{"name": "", "n": 3.0},
	)

	for name, v := range map[string]any{
		"operators":  map[string]any{"$ne": "zzz"},
		"isnull":     map[string]any{"$isnull": true},
		"as text":    `{"$ne":"zzz"}`,
		"template":   "{{ title }}",
		"nothing":    nil,
		"a list":     []any{"a"},
		"very long":  strings.Repeat("x", 20<<10),
		"odd":        "\x00\xff",
		"a number":   1.0,
		"everything": "{}",
	} {
		for op, where := range map[string]any{
			"=": "{{ v }}", "$in": map[string]any{"$in": []any{"{{ v }}"}}, "$regex": map[string]any{"$eq": "{{ v }}"},
		} {
			s := &trigger.TableOperationSettings{Operation: trigger.Delete, Where: map[string]any{"name": where}}
			row := map[string]any{"v": v, "title": "a"}
			if _, err := p.doer.Do(t.Context(), p.work(name+op, s, row)); err != nil && !errs.Is(err, errs.KindInvalid) {
				t.Errorf("%s %s: %v", name, op, err)
			}
			if left := len(p.rows()); left != 3 {
				t.Fatalf("%s %s deleted %d rows", name, op, 3-left)
			}
		}
	}

	s := &trigger.TableOperationSettings{Operation: trigger.Delete, Where: map[string]any{"$and": []any{}}}
	if _, err := p.doer.Do(t.Context(), p.work("all", s, order)); !errs.Is(err, errs.KindInvalid) || len(p.rows()) != 3 {
		t.Errorf("no condition: %v", err)
	}
}

// TestCannotReachOtherTenants uses the ids of rows and tables of other tenants.
func TestCannotReachOtherTenants(t *testing.T) {
	p := newPlatform(t)
	test := tenant.Scope{App: shop.App, Env: "0123456789abcdef0123"}
	for _, other := range []tenant.Scope{{App: 2002}, test} {
		theirs := p.newTable(other, "goods", value.Column{Name: "n", Type: value.Integer})
		row := p.insert(other, theirs, map[string]any{"n": 1.0})[0]
		byID := &trigger.TableOperationSettings{Operation: trigger.Delete, Where: map[string]any{"id": "{{ victim }}"}}
		victim := map[string]any{"victim": string(row.ID)}
		if got, err := p.doer.Do(t.Context(), p.work("id", byID, victim)); err != nil ||
			got.Response != `{"deleted":0,"failed":0}` {
			t.Errorf("%v: %+v %v", other, got, err)
		}
		w := p.work("table", &trigger.TableOperationSettings{Operation: trigger.Delete, Where: everything}, order)
		w.Trigger.Tables = map[string]table.ID{"goods": theirs.ID}
		if _, err := p.doer.Do(t.Context(), w); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%v: their table: %v", other, err)
		}
		pointing := p.work("pointer", creation(set("owner", string(row.ID))), order)
		if _, err := p.doer.Do(t.Context(), pointing); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%v: a pointer to their row: %v", other, err)
		}
		if _, err := p.tables.Read(t.Context(), other, theirs, row.ID); err != nil {
			t.Errorf("%v: %v", other, err)
		}
	}
}

// TestKeepsIndexes checks the indexes of created and updated rows.
func TestKeepsIndexes(t *testing.T) {
	p := newPlatform(t)
	p.crowd(50)
	s := &trigger.TableOperationSettings{
		Operation: trigger.Update, Where: map[string]any{"n": map[string]any{"$lt": 40.0}},
		Assign: []trigger.Assignment{{Field: "n", Operator: trigger.IncBy, Value: 1000.0}},
	}
	if got, err := p.until(p.work("u", s, order)); err != nil || got.Response != `{"updated":40,"failed":0}` {
		t.Fatalf("%+v %v", got, err)
	}
	if _, err := p.until(p.work("c", creation(set("n", 2000.0)), order)); err != nil {
		t.Fatal(err)
	}

	for text, want := range map[string]int{
		`{"n":{"$lt":1000}}`: 10, `{"n":{"$gte":1000}}`: 41, `{"n":1005}`: 1, `{"n":2000}`: 1,
	} {
		where, err := p.goods.Grammar().Where(text)
		if err != nil {
			t.Fatal(err)
		}
		q := table.Query{Where: where, Page: page.Request{Limit: 100}}
		found, err := p.tables.Find(t.Context(), shop, p.goods, q)
		if err != nil || len(found.Objects) != want || !strings.HasPrefix(found.Plan, "index n") {
			t.Errorf("%s: %d rows by %s, %v", text, len(found.Objects), found.Plan, err)
		}
		for _, row := range p.rows() {
			if where.Match(p.goods.Record(row)) != slices.ContainsFunc(
				found.Objects, func(r table.Row) bool { return r.ID == row.ID },
			) {
				t.Errorf("%s: row %s", text, row.ID)
			}
		}
	}
}
