package promotion_test

import (
	"slices"
	"strings"
	"testing"

	"minicloud/shared/console/promotion"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
)

// index makes an index of a table.
func (w *world) index(in promotion.Environment, name string, unique bool, fields ...string) {
	w.Helper()
	t, err := w.Tables.Named(w.Context(), in.Scope, name)
	w.must(err)
	_, _, err = w.Tables.CreateIndex(w.Context(), in.Scope, t.ID, fields, unique)
	w.must(err)
}

// indexes returns the names of the indexes of a table; unique ones end with "!".
func (w *world) indexes(in promotion.Environment, name string) string {
	w.Helper()
	t, err := w.Tables.Named(w.Context(), in.Scope, name)
	w.must(err)
	var all []string
	for _, x := range t.AllIndexes() {
		all = append(all, x.Name())
		if x.Unique {
			all[len(all)-1] += "!"
		}
	}
	return strings.Join(all, " ")
}

// TestCarriesIndexes: unique and compound indexes arrive, change and go with the table, and come back.
func TestCarriesIndexes(t *testing.T) {
	w := newWorld(t)
	w.table(w.test, "seats", "row string", "seat integer", "code string")
	w.index(w.test, "seats", true, "code")
	w.index(w.test, "seats", true, "row", "seat")
	w.promote(wanted("table seats"))
	if got := w.indexes(w.prod, "seats"); got != "code_1! row_1 row_1_seat_1! seat_1" {
		t.Errorf("a new table has %q", got)
	}
	if item := w.compare()["table seats"]; item.Change != promotion.Same {
		t.Errorf("still %s: %s", item.Change, jsonOf(t, item))
	}
	books, err := w.Tables.Named(t.Context(), w.prod.Scope, "seats")
	w.must(err)
	w.row(w.prod, "seats", map[string]any{"code": "a", "row": "1", "seat": 1})
	twice := w.Tables.Insert(t.Context(), w.prod.Scope, books, []map[string]any{{"code": "a"}}, table.Author{})
	if twice[0].Err == nil {
		t.Error("the index of a new table is not exact at once")
	}

	// The change replaces an index, makes another one not unique, and removes the index of some columns.
	seats, err := w.Tables.Named(t.Context(), w.test.Scope, "seats")
	w.must(err)
	for _, name := range []string{"code_1", "row_1_seat_1"} {
		_, err = w.Tables.DeleteIndex(t.Context(), w.test.Scope, seats.ID, name)
		w.must(err)
	}
	w.index(w.test, "seats", false, "code", "row")
	item := w.compare()["table seats"]
	if want := "index row_1_seat_1 of production is deleted"; item.Change != promotion.Changed || !slices.Contains(item.Warnings, want) {
		t.Errorf("%s, warnings %q", item.Change, item.Warnings)
	}
	r := w.promote(wanted("table seats"))
	if got, want := w.indexes(w.prod, "seats"), w.indexes(w.test, "seats"); got != want || got != "code_1 code_1_row_1 row_1" {
		t.Errorf("changed to %q, want %q", got, want)
	}
	w.back(r, promotion.Undo{})
	if got := w.indexes(w.prod, "seats"); got != "code_1! row_1 row_1_seat_1! seat_1" {
		t.Errorf("put back %q", got)
	}
}

// TestRefusesDuplicatesOfTheTarget: rows with the same values refuse a unique index, in a dry run too.
func TestRefusesDuplicatesOfTheTarget(t *testing.T) {
	w := newWorld(t)
	for _, in := range []promotion.Environment{w.test, w.prod} {
		w.table(in, "codes", "code string")
	}
	w.row(w.prod, "codes", map[string]any{"code": "a"})
	w.row(w.prod, "codes", map[string]any{"code": "a"})
	w.index(w.test, "codes", true, "code")

	item := w.compare()["table codes"]
	if want := "unique index code_1 is refused if rows in production have the same values"; !slices.Contains(item.Warnings, want) {
		t.Errorf("warnings %q", item.Warnings)
	}
	const why = "rows have the same values in fields"
	w.expect(w.record(w.DryRun(t.Context(), w.test, w.prod, by, wanted("table codes"))),
		errorOf, []string{why})
	w.promote(wanted("table codes"), why)
	if got := w.indexes(w.prod, "codes"); got != "" {
		t.Errorf("a refused change left %q", got)
	}
}

// TestKeepsIndexesOfOwnColumns: an index over a column that only the target has goes with the column.
func TestKeepsIndexesOfOwnColumns(t *testing.T) {
	w := newWorld(t)
	w.table(w.test, "codes", "code string", "note string")
	w.table(w.prod, "codes", "code string", "own integer")
	w.index(w.prod, "codes", true, "code", "own")
	w.promote(wanted("table codes"))
	if got := w.indexes(w.prod, "codes"); got != "code_1 code_1_own_1! own_1" {
		t.Errorf("kept %q", got)
	}
	without := wanted("table codes")
	without[0].RemoveFields = []string{"own"}
	r := w.promote(without)
	if got := w.indexes(w.prod, "codes") + w.fields(w.prod, "codes"); got != "code string, note string" {
		t.Errorf("removed to %q", got)
	}
	w.back(r, promotion.Undo{})
	if got := w.indexes(w.prod, "codes"); got != "code_1 code_1_own_1! own_1" {
		t.Errorf("put back %q", got)
	}
}

// TestCarriesAccessOfBuiltInColumns: what an application changed of the columns of users arrives, and goes back.
func TestCarriesAccessOfBuiltInColumns(t *testing.T) {
	w := newWorld(t)
	before := jsonOf(t, w.compare()["table _userprofile"].Before)
	shown := table.Column{Column: value.Column{Name: "city", Type: value.String}, ACL: &table.DefaultACL}
	w.alter(w.test, "_userprofile", table.Definition{Columns: []table.Column{shown}})

	item := w.compare()["table _userprofile"]
	if item.Change != promotion.Changed || !strings.Contains(jsonOf(t, item.After), `"built_in":{"city"`) {
		t.Fatalf("%s: %s", item.Change, jsonOf(t, item))
	}
	r := w.promote(wanted("table _userprofile"))
	city := func() table.ACL {
		users, err := w.Tables.Named(t.Context(), w.prod.Scope, "_userprofile")
		w.must(err)
		c, _ := users.Column("city")
		return c.Access()
	}
	if item := w.compare()["table _userprofile"]; item.Change != promotion.Same || city() != table.DefaultACL {
		t.Errorf("carried %s: %s", item.Change, jsonOf(t, item))
	}
	w.back(r, promotion.Undo{})
	if got := jsonOf(t, w.compare()["table _userprofile"].Before); got != before || !city().CreatorVisible {
		t.Errorf("put back %s, was %s", got, before)
	}
}
