package promotion_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/compress"
	"minicloud/shared/console/promotion"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

func TestCompareByPages(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.function([]promotion.Environment{w.test, w.prod}[i%2], fmt.Sprint("f", i), "1")
	}
	w.table(w.test, "a", "n integer")

	var names []string
	req := page.Request{Limit: 2}
	for {
		got, err := w.Compare(t.Context(), w.test, w.prod, req)
		w.must(err)
		for _, item := range got.Objects {
			names = append(names, item.Name)
		}
		if req.After = got.Next; got.Next == "" {
			break
		}
	}
	if got := fmt.Sprint(names); got != "[f0 f1 f2 f3 f4 _userprofile a]" {
		t.Errorf("by pages: %s", got)
	}
	if _, err := w.Compare(t.Context(), w.test, w.test, req); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("compared with itself: %v", err)
	}
}

func TestPromoteAndRevert(t *testing.T) {
	w := newWorld(t)
	r := w.promote(w.shop())
	paid := w.triggers(w.prod, "paid")
	if w.source(w.prod, "pay") == "" || w.fields(w.prod, "books") != "title string" || len(paid) != 1 {
		t.Fatal("not everything has arrived")
	}
	books, err := w.Tables.Named(t.Context(), w.prod.Scope, "books")
	w.must(err)
	if p := paid[0]; p.Enabled || p.TableID("books") != books.ID || p.CreatedBy != 7 || len(p.Secrets.Keys) != 1 {
		t.Errorf("arrived as %+v", p)
	}
	for name, item := range w.compare() {
		if item.Change != promotion.Same {
			t.Errorf("%s is still %s", name, item.Change)
		}
	}
	w.expect(w.record(w.Promote(t.Context(), w.test, w.prod, by, wanted("table books"))),
		errorOf, []string{"nothing to promote"})

	got, err := w.Store.Promotions(t.Context(), 7, page.Request{Limit: 5})
	w.must(err)
	if len(got.Objects) != 1 || got.Objects[0].ID != r.ID || got.Objects[0].By != "Ada" {
		t.Errorf("recorded: %+v", got.Objects)
	}
	w.back(r, promotion.Undo{})
	if w.source(w.prod, "pay") != "" || w.fields(w.prod, "books") != "-" || len(w.triggers(w.prod, "paid")) != 0 {
		t.Error("something stays")
	}
	w.back(r, promotion.Undo{}) // nothing is left to revert
}

func (w *world) record(r promotion.Record, err error) promotion.Record {
	w.Helper()
	w.must(err)
	return r
}

// TestPromoteBack promotes from production to test.
func TestPromoteBack(t *testing.T) {
	w := newWorld(t)
	w.function(w.prod, "pay", "hotfix")
	w.function(w.test, "pay", "old")
	w.expect(w.record(w.Promote(t.Context(), w.prod, w.test, by, wanted("function pay"))),
		errorOf, nil)
	if w.source(w.test, "pay") != "hotfix" {
		t.Error("test did not get it")
	}
}

func TestPromotedFunctionGetsAVersion(t *testing.T) {
	w := newWorld(t)
	w.function(w.prod, "pay", "old")
	w.function(w.test, "pay", "new")
	plan, remark := "P_PERSONAL", "better"
	_, err := w.Functions.Modify(t.Context(), w.test.Scope, "Ada", "pay", cloudfunction.Patch{Plan: &plan, Remark: &remark})
	w.must(err)
	secret := "s"
	w.must(w.variables.Put(t.Context(), w.prod.Scope, "pay", cloudfunction.Variable{Key: "KEY", Value: &secret}))

	w.function(w.test, "new", "new")
	_, err = w.Functions.Modify(t.Context(), w.test.Scope, "Ada", "new", cloudfunction.Patch{Plan: &plan, Remark: &remark})
	w.must(err)
	w.promote(wanted("function new"))
	removed := wanted("function new")
	removed[0].Remove = true
	w.must(w.Functions.Delete(t.Context(), w.test.Scope, "new"))
	w.back(w.promote(removed), promotion.Undo{})
	f, err := w.Functions.Read(t.Context(), w.prod.Scope, "new")
	if w.must(err); f.Plan != "P_PERSONAL" || f.Remark != "better" {
		t.Errorf("it came, went and was put back as %+v", f)
	}

	r := w.promote(wanted("function pay"))
	f, err = w.Functions.Read(t.Context(), w.prod.Scope, "pay")
	w.must(err)
	if f.Version != 2 || f.Plan != "P_PERSONAL" || f.Remark != "better" || f.UpdatedBy != "Ada" || r.Steps[0].Version != 1 {
		t.Errorf("%+v", f)
	}
	if kept, err := w.variables.List(t.Context(), w.prod.Scope, "pay"); err != nil || len(kept) != 1 {
		t.Errorf("variables of production: %v, %v", kept, err)
	}
	w.back(r, promotion.Undo{})
	f, err = w.Functions.Read(t.Context(), w.prod.Scope, "pay")
	w.must(err)
	if w.source(w.prod, "pay") != "old" || f.Version != 3 || f.Plan != "P_FREE" || f.Remark != "r" {
		t.Errorf("put back as %+v", f)
	}
}

func TestRefusesChangedTarget(t *testing.T) {
	w := newWorld(t)
	w.function(w.prod, "pay", "1")
	w.function(w.test, "pay", "2")
	items := wanted("function pay")
	items[0].Expect = w.compare()["function pay"].Digest
	w.save(w.prod, "pay", "3")
	w.promote(items, "changed in production after the comparison")
	items[0].Expect = w.compare()["function pay"].Digest
	w.save(w.test, "pay", "4")
	w.promote(items, "changed in test after the comparison")
	items[0].Expect = w.compare()["function pay"].Digest
	r := w.promote(items)

	w.save(w.prod, "pay", "5")
	w.back(r, promotion.Undo{}, "changed in production after the promotion")
	if w.source(w.prod, "pay") != "5" {
		t.Error("another's change is gone")
	}
	w.back(r, promotion.Undo{Force: true})
	if w.source(w.prod, "pay") != "3" {
		t.Errorf("forced back to %q", w.source(w.prod, "pay"))
	}

	w.save(w.test, "pay", "6")
	r = w.promote(wanted("function pay"))
	for i := range cloudfunction.MaxVersions {
		w.save(w.prod, "pay", fmt.Sprint("later ", i))
	}
	w.back(r, promotion.Undo{Force: true}, "is no longer kept")
}

func TestNamesMissingRequirements(t *testing.T) {
	w := newWorld(t)
	w.shop()
	w.promote(wanted("trigger paid"), `needs the table "books", which production does not have`)
	w.promote(wanted("trigger paid", "table books"), `needs the function "pay"`)
	if len(w.triggers(w.prod, "paid")) != 0 || w.fields(w.prod, "books") == "-" {
		t.Error("what could be done is not, or what could not is")
	}
	w.table(w.test, "authors", "name string")
	w.table(w.test, "films", "by pointer authors")
	w.trigger(w.test, `{"name":"shown","type":"table","condition":{"table":"films","event":"create"},
		"actions":[{"type":"table_operation","settings":{"table":"films","operation":"create"}}]}`)
	w.promote(wanted("trigger shown", "table films"), `needs the table "films"`, `needs the table "authors"`)
	foreseen, err := w.DryRun(t.Context(), w.test, w.prod, by, wanted("trigger paid", "function pay"))
	w.must(err)
	w.expect(foreseen, errorOf, nil)
	if foreseen.ID != 0 || w.source(w.prod, "pay") != "" {
		t.Error("a look has an effect")
	}
}

func TestPromotesTables(t *testing.T) {
	w := newWorld(t)
	for _, env := range []promotion.Environment{w.test, w.prod} {
		w.table(env, "books", "title string")
	}
	w.alter(w.test, "books", table.Definition{Columns: fieldsOf([]string{"pages integer"}), WritePerm: []string{}})
	w.alter(w.prod, "books", table.Definition{Columns: fieldsOf([]string{"shelf string"})})
	w.row(w.prod, "books", map[string]any{"title": "a", "shelf": "b"})

	r := w.promote(wanted("table books"))
	if got := w.fields(w.prod, "books"); got != "title string, shelf string, pages integer" {
		t.Errorf("promoted: %s", got)
	}
	w.promote(wanted("table books"), "only the columns shelf differ")
	w.back(r, promotion.Undo{})
	if got := w.fields(w.prod, "books"); got != "title string, shelf string" {
		t.Errorf("put back: %s", got)
	}

	r = w.promote(wanted("table books"))
	w.row(w.prod, "books", map[string]any{"title": "a", "pages": 3})
	w.back(r, promotion.Undo{}, `values in column "pages" that would be lost`)
	w.back(r, promotion.Undo{Force: true}, `values in column "pages" that would be lost`)

	items := wanted("table books")
	items[0].RemoveFields = []string{"title"}
	w.promote(items, `"title" is not a column that only production has`)
	items[0].RemoveFields = []string{"shelf"}
	r = w.promote(items)
	if got := w.fields(w.prod, "books"); got != "title string, pages integer" {
		t.Errorf("without shelf: %s", got)
	}
	w.back(r, promotion.Undo{})
	if got := w.fields(w.prod, "books"); got != "title string, pages integer, shelf string" {
		t.Errorf("with shelf again: %s", got)
	}
}

// TestCarriesPermissionsAndAccess: permissions are compared, promoted and reverted.
func TestCarriesPermissionsAndAccess(t *testing.T) {
	w := newWorld(t)
	hidden := fieldsOf([]string{"pages integer"})
	hidden[0].ACL = &table.ACL{ClientReadOnly: true}
	w.table(w.test, "books", "pages integer")
	w.table(w.prod, "books", "pages integer")
	before := jsonOf(t, w.compare()["table books"].Before)
	w.alter(w.test, "books", table.Definition{
		Columns: hidden, RowPerm: table.RowPerm{Read: []string{"user:anonymous"}, Write: []string{"user:{created_by}"}},
	})

	if got := w.compare()["table books"].Change; got != promotion.Changed {
		t.Errorf("the table is %q", got)
	}
	carried := w.promote(wanted("table books"))
	item := w.compare()["table books"]
	text := jsonOf(t, item.Before)
	if item.Change != promotion.Same || !strings.Contains(text, `"clientReadOnly":true`) ||
		!strings.Contains(text, `"_write_perm":["user:{created_by}"]`) {
		t.Errorf("carried %s: %s", item.Change, text)
	}
	w.back(carried, promotion.Undo{})
	if got := jsonOf(t, w.compare()["table books"].Before); got != before {
		t.Errorf("put back: %s, was %s", got, before)
	}
}

// TestIDsOfManyTablesDiffer: the ids of the steps are of different milliseconds, because a millisecond has 4,096 ids.
func TestIDsOfManyTablesDiffer(t *testing.T) {
	w := newWorld(t)
	w.table(w.prod, "a", "n integer")
	w.now = w.now.Add(time.Second)
	w.table(w.prod, "b", "n integer")
	items := wanted("table a", "table b")
	items[0].Remove, items[1].Remove = true, true
	different := func() {
		t.Helper()
		a, err := w.Tables.Named(t.Context(), w.prod.Scope, "a")
		w.must(err)
		b, err := w.Tables.Named(t.Context(), w.prod.Scope, "b")
		w.must(err)
		if id.ID(a.ID).Time().Equal(id.ID(b.ID).Time()) {
			t.Errorf("%d and %d are of one millisecond", a.ID, b.ID)
		}
	}
	r := w.promote(items)
	w.back(r, promotion.Undo{})
	different()
	w.expect(w.record(w.Promote(t.Context(), w.prod, w.test, by, wanted("table a", "table b"))),
		errorOf, nil)
	w.test, w.prod = w.prod, w.test
	different()
}

// TestRevert restores the selected objects that have not changed since; it refuses to lose data, even if forced.
func TestRevert(t *testing.T) {
	w := newWorld(t)
	w.function(w.test, "new", "1")
	w.function(w.test, "kept", "1")
	w.function(w.prod, "kept", "1")
	r := w.promote(wanted("function new", "function kept"), "", "nothing to promote")
	stranger := promotion.Undo{Items: []promotion.Ref{{Kind: promotion.KindFunction, Name: "other"}}}
	if _, err := w.Revert(t.Context(), r, w.prod, by, stranger); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("of another thing: %v", err)
	}
	r = w.back(r, promotion.Undo{})
	if !r.Steps[0].Reverted || r.Steps[1].Reverted || r.RevertedAt != w.now.Unix() || r.RevertedBy != "Ada" {
		t.Errorf("reverted: %+v", r)
	}
	if again := w.back(r, promotion.Undo{}); again.Revision != r.Revision {
		t.Error("it was reverted twice")
	}

	for _, name := range []string{"deleted", "same"} {
		w.function(w.prod, name, "1")
		w.function(w.test, name, "2")
	}
	w.function(w.prod, "replaced", "1")
	timer := `{"name":"timer","type":"timer","condition":{"cron":"0 8 * * *"},"actions":[{"type":"cloud_function","settings":{"function":"kept"}}]}`
	w.trigger(w.prod, timer)
	w.table(w.test, "books", "title string")
	w.table(w.prod, "books", "title string", "pages string")
	items := wanted("function deleted", "function same", "function replaced", "trigger timer", "table books")
	items[2].Remove, items[3].Remove, items[4].RemoveFields = true, true, []string{"pages"}
	r = w.promote(items)
	w.must(w.Functions.Delete(t.Context(), w.prod.Scope, "deleted"))
	w.save(w.prod, "same", "1")
	w.function(w.prod, "replaced", "3")
	w.trigger(w.prod, timer)
	w.trigger(w.prod, timer)
	w.alter(w.prod, "books", table.Definition{Columns: fieldsOf([]string{"pages integer"})})

	const changed = "it was changed in production after the promotion"
	w.back(r, promotion.Undo{}, "it was deleted in production after the promotion", "", changed, "several triggers with this name", changed)
	w.back(r, promotion.Undo{Force: true}, "it was deleted in production after the promotion", "", "another item with this name",
		"several triggers with this name", `column "pages" is integer now and was string: its values would be lost`)
	f, err := w.Functions.Read(t.Context(), w.prod.Scope, "same")
	if w.must(err); f.Version != 3 || w.source(w.prod, "replaced") != "3" || w.source(w.prod, "deleted") != "" {
		t.Errorf("what is as it was is at version %d", f.Version)
	}
}

// ending is a request context that always has three seconds left, however slow the machine is.
type ending struct{ context.Context }

func (ending) Deadline() (time.Time, bool) { return time.Now().Add(3 * time.Second), true }

// TestStopsBeforeTheRequestEnds: no step begins shortly before the deadline; the repeated request does the rest.
func TestStopsBeforeTheRequestEnds(t *testing.T) {
	w := newWorld(t)
	items := w.shop()
	short := ending{w.try("k", false)}
	r, err := w.Promote(short, w.test, w.prod, by, items)
	if !errs.Is(err, errs.KindTimeout) || r.Steps[1].Status != promotion.Pending || w.fields(w.prod, "books") != "-" {
		t.Errorf("promoted %+v, %v", r, err)
	}
	r = w.record(w.Promote(w.try("k", true), w.test, w.prod, by, items))
	w.expect(r, errorOf, nil)
	if r, err = w.Revert(short, r, w.prod, by, promotion.Undo{}); !errs.Is(err, errs.KindTimeout) || r.Steps[0].Reverted {
		t.Errorf("reverted %+v, %v", r, err)
	}
	long, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if r, err = w.Revert(long, r, w.prod, by, promotion.Undo{}); err != nil || w.fields(w.prod, "books") != "-" {
		t.Errorf("reverted %+v, %v", r, err)
	}
}

func TestKeepsValuesOfRemovedColumns(t *testing.T) {
	w := newWorld(t)
	w.table(w.test, "books", "pages string")
	w.table(w.prod, "books", "pages integer")
	w.table(w.prod, "old", "n integer")
	w.row(w.prod, "old", map[string]any{"n": 1})
	w.promote(wanted("table books", "table old"), `column "pages" is integer in production and string in test`, `only production has it`)

	items := wanted("table old", "table _userprofile")
	items[0].Remove, items[1].Remove = true, true
	foreseen, err := w.DryRun(t.Context(), w.test, w.prod, by, items)
	w.must(err)
	w.expect(foreseen, errorOf, []string{"it has rows in production", "nothing to promote"})
	w.promote(items, "it has rows in production", "nothing to promote")
	if w.fields(w.prod, "old") == "-" || w.fields(w.prod, "books") != "pages integer" {
		t.Error("something is lost")
	}

	r := w.promote(promotionOf(w, "fresh"))
	w.row(w.prod, "fresh", map[string]any{"n": 1})
	w.back(r, promotion.Undo{}, "it has rows in production")
}

func promotionOf(w *world, name string) []promotion.Wanted {
	w.table(w.test, name, "n integer")
	return wanted("table " + name)
}

// TestLinksTablesInARing: two tables that point to each other, and one that points to itself, even if the program dies
// before it adds the pointers.
func TestLinksTablesInARing(t *testing.T) {
	for writes := range int64(4) {
		w := newWorld(t)
		w.table(w.test, "authors", "name string")
		w.table(w.test, "books", "author pointer authors")
		w.alter(w.test, "authors", table.Definition{Columns: fieldsOf([]string{"best pointer books", "teacher pointer authors"})})
		w.promote(wanted("table books"), `needs the table "authors"`)

		items := wanted("table books", "table authors")
		w.store.left.Store(writes)
		r, err := w.Promote(w.try("k", false), w.test, w.prod, by, items)
		if died := writes < 3; died != errs.Is(err, errs.KindUnavailable) {
			t.Fatalf("after %d writes: %v", writes, err)
		}
		w.store.left.Store(1000)
		if err != nil {
			r = w.record(w.Promote(w.try("k", true), w.test, w.prod, by, items))
		}
		w.expect(r, errorOf, nil)
		if got := w.fields(w.prod, "books") + " | " + w.fields(w.prod, "authors"); !strings.Contains(got, "author pointer authors |") ||
			!strings.Contains(got, "best pointer books") || !strings.Contains(got, "teacher pointer authors") {
			t.Errorf("promoted %s", got)
		}
		if c := w.compare(); c["table books"].Change != promotion.Same || c["table authors"].Change != promotion.Same {
			t.Errorf("they differ: %v", c)
		}
		w.back(r, promotion.Undo{})
		if w.fields(w.prod, "books")+w.fields(w.prod, "authors") != "--" {
			t.Error("something stays")
		}
	}
}

func TestPromotesTriggers(t *testing.T) {
	w := newWorld(t)
	w.function(w.test, "pay", "1")
	w.table(w.test, "books", "title string")
	webhook := `{"type":"webhook","settings":{"url":"https://example.com/%s"}}`
	actions := fmt.Sprintf(webhook, "a") + "," + fmt.Sprintf(webhook, "b")
	w.trigger(w.test, fmt.Sprintf(`{"name":"paid","type":"table","condition":{"table":"books","event":"create"},"actions":[
		{"type":"cloud_function","settings":{"function":"pay"}},%s]}`,
		strings.Replace(actions, `{`, `{"flow":{"key":"{{ nothing }}"},`, 1)))
	items := wanted("function pay", "table books", "trigger paid")
	r := w.promote(items)
	if got := fmt.Sprint(r.Steps[2].Warnings); !strings.Contains(got, `"nothing" does not exist`) {
		t.Errorf("promoted with the warnings %s", got)
	}
	there := w.triggers(w.prod, "paid")[0]
	_, err := w.Triggers.Change(t.Context(), w.prod.Scope, there.ID, map[string]any{"enabled": true}, anyTrigger)
	w.must(err)
	changed, err := value.Decode("actions", []byte("["+actions+
		`,{"type":"webhook","flow":{"key":"{{ nobody }}"},"settings":{"url":"https://example.com"}}]`))
	w.must(err)
	_, err = w.Triggers.Change(t.Context(), w.test.Scope, w.triggers(w.test, "paid")[0].ID, map[string]any{
		"description": "better", "actions": changed,
	}, anyTrigger)
	w.must(err)

	foreseen, err := w.DryRun(t.Context(), w.test, w.prod, by, wanted("trigger paid"))
	w.must(err)
	r = w.promote(wanted("trigger paid"))
	for _, step := range []promotion.Step{foreseen.Steps[0], r.Steps[0]} {
		if got := fmt.Sprint(step.Warnings); !strings.Contains(got, `"nobody" does not exist`) || step.Status != promotion.Done {
			t.Errorf("%s with the warnings %s", step.Status, got)
		}
	}
	now := w.triggers(w.prod, "paid")[0]
	if !now.Enabled || now.ID != there.ID || now.Description != "better" || len(now.Actions) != 3 {
		t.Errorf("it is not the same trigger: %+v, was %+v", now, there)
	}
	for i := range 2 {
		was, is := there.Actions[i+1].ID, now.Actions[i].ID
		if was != is || string(now.Secrets.Keys[is].Current) != string(there.Secrets.Keys[was].Current) {
			t.Errorf("webhook %d is another: %d, was %d", i, is, was)
		}
	}
	w.back(r, promotion.Undo{})
	now = w.triggers(w.prod, "paid")[0]
	if now.Description != "" || len(now.Actions) != 3 || now.Actions[1].ID != there.Actions[1].ID || !now.Enabled {
		t.Errorf("put back as %+v", now)
	}

	w.alter(w.prod, "books", table.Definition{Remove: []string{"title"}})
	_, err = w.Triggers.Change(t.Context(), w.test.Scope, w.triggers(w.test, "paid")[0].ID, map[string]any{
		"condition": map[string]any{"table": "books", "event": "create", "rules": []any{
			map[string]any{"field": "title", "operator": "=", "value": "x"},
		}},
	}, anyTrigger)
	w.must(err)
	foreseen, err = w.DryRun(t.Context(), w.test, w.prod, by, wanted("trigger paid"))
	w.must(err)
	w.expect(foreseen, errorOf, []string{"title"})
	w.promote(wanted("trigger paid"), foreseen.Steps[0].Error)
}

func TestEnableAndRemove(t *testing.T) {
	w := newWorld(t)
	items := w.shop()
	items[0].Enable = true
	w.promote(items)
	if !w.triggers(w.prod, "paid")[0].Enabled {
		t.Error("it is not enabled")
	}
	w.must(w.Triggers.Delete(t.Context(), w.test.Scope, w.triggers(w.test, "paid")[0].ID, anyTrigger))
	w.must(w.Functions.Delete(t.Context(), w.test.Scope, "pay"))
	if got := fmt.Sprint(w.compare()["function pay"].Warnings); !strings.Contains(got, "triggers in production use it: paid") {
		t.Errorf("not warned: %s", got)
	}

	items = wanted("function pay", "trigger paid")
	w.promote(items, `with "remove": true`, `with "remove": true`)
	items[0].Remove, items[1].Remove = true, true
	r := w.promote(items)
	if w.source(w.prod, "pay") != "" || len(w.triggers(w.prod, "paid")) != 0 {
		t.Error("they are there still")
	}
	w.back(r, promotion.Undo{Items: []promotion.Ref{{Kind: promotion.KindFunction, Name: "pay"}}})
	if w.source(w.prod, "pay") == "" || len(w.triggers(w.prod, "paid")) != 0 {
		t.Error("one was to come back")
	}
	w.back(r, promotion.Undo{})
	if back := w.triggers(w.prod, "paid"); len(back) != 1 || !back[0].Enabled || len(back[0].Actions) != 3 {
		t.Errorf("put back as %+v", back)
	}
}

func TestMapsGroupsByName(t *testing.T) {
	w := newWorld(t)
	group := func(in promotion.Environment) int64 {
		g, err := w.groups.CreateGroup(t.Context(), in.Scope, "friends", 0)
		w.must(err)
		return int64(g.ID)
	}
	w.trigger(w.test, fmt.Sprintf(`{"name":"hello","type":"timer","condition":{"cron":"0 8 * * *"},"actions":[{"type":"template_message",
		"settings":{"vendor":"chat","template_id":"t","recipient":{"kind":"group","group":%d}}}]}`, group(w.test)))
	w.promote(wanted("trigger hello"), `the user group "friends", but production has 0`)
	number := group(w.prod)
	w.promote(wanted("trigger hello"))
	settings := w.triggers(w.prod, "hello")[0].Actions[0].Settings.(*trigger.TemplateMessageSettings)
	if settings.Recipient.Group != number {
		t.Errorf("it is about group %d, not %d", settings.Recipient.Group, number)
	}
}

func TestRefusesDuplicateNames(t *testing.T) {
	w := newWorld(t)
	items := w.shop()
	w.promote(items)
	copied := *w.triggers(w.prod, "paid")[0].Condition.(*trigger.TableCondition)
	w.trigger(w.prod, fmt.Sprintf(paid, string(copied.Table), "books"))
	w.promote(wanted("trigger paid"), "production has 2 triggers with this name")
}

func TestListsOfItems(t *testing.T) {
	w := newWorld(t)
	for _, items := range [][]promotion.Wanted{
		nil, make([]promotion.Wanted, promotion.MaxItems+1), wanted("row x"), wanted("table "), wanted("table a", "table a"),
	} {
		if _, err := w.Promote(t.Context(), w.test, w.prod, by, items); !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%v: %v", items, err)
		}
	}
	var most []string
	for i := range promotion.MaxItems {
		most = append(most, fmt.Sprint("table nowhere", i))
	}
	nobody := slices.Repeat([]string{"neither test nor production has it"}, len(most))
	if r := w.promote(wanted(most...), nobody...); r.ID != 0 {
		t.Error("nothing is recorded as something")
	}
}

// TestRestoresLargeCode: the code of a deleted function is stored in parts.
func TestRestoresLargeCode(t *testing.T) {
	w := newWorld(t)
	var code strings.Builder
	for i := uint32(1); code.Len() < 900<<10; i = i*1664525 + 1013904223 {
		fmt.Fprintf(&code, "%x;", i)
	}
	w.function(w.prod, "large", code.String())
	items := wanted("function large")
	items[0].Remove = true
	w.back(w.promote(items), promotion.Undo{})
	if w.source(w.prod, "large") != code.String() {
		t.Error("it did not come back")
	}
}

// TestRecordKeepsObjects: the previous state is restored as stored; damaged state, or state over 4 MB, is an error.
func TestRecordKeepsObjects(t *testing.T) {
	code := make([]byte, 2<<20)
	rand.NewChaCha8([32]byte{}).Read(code)
	kept := []*promotion.Before{nil, {Code: code, Enabled: true}}
	packed, err := promotion.Pack(kept)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := promotion.Unpack(packed); err != nil || jsonOf(t, got) != jsonOf(t, kept) {
		t.Errorf("%d things, %v", len(got), err)
	}
	if _, err := promotion.Pack(append(kept, kept...)); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("over 4 MB: %v", err)
	}
	for _, damaged := range [][]byte{nil, packed[:1000], compress.Gzip([]byte("{}"))} {
		if _, err := promotion.Unpack(damaged); err == nil {
			t.Error("damaged, and no error")
		}
	}
}

// TestKeepsDefaults of a table that a promotion deletes and a revert restores.
func TestKeepsDefaults(t *testing.T) {
	w := newWorld(t)
	fields := fieldsOf([]string{"n integer", "o object", "d date"})
	fields[0].Default, fields[1].Default, fields[2].Default = int64(9007199254740991), map[string]any{"a": 1.5}, "2026-11-22T00:00:00+08:00"
	fields[0].Indexed = true
	name := "things"
	_, err := w.Tables.Create(t.Context(), w.prod.Scope, table.Definition{Name: &name, Columns: fields})
	w.must(err)
	before := jsonOf(t, w.compare()["table things"].Before)

	items := wanted("table things")
	items[0].Remove = true
	w.back(w.promote(items), promotion.Undo{})
	if after := jsonOf(t, w.compare()["table things"].Before); after != before || !strings.Contains(after, "9007199254740991") {
		t.Errorf("%s, was %s", after, before)
	}
	made, err := w.Tables.Named(t.Context(), w.prod.Scope, "things")
	w.must(err)
	if c, _ := made.Column("n"); c.Default != int64(9007199254740991) || c.Type != value.Integer {
		t.Errorf("%+v", c)
	}
}
