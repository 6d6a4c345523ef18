package promotion_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/console/promotion"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// TestRepeatsAfterLostAnswers loses the response of each write in turn, in both directions. A repeated request finds
// the write done.
func TestRepeatsAfterLostAnswers(t *testing.T) {
	w := newWorld(t)
	for n, more := 0, true; more; n++ {
		items := w.several()
		calls := 0
		w.fault = func() dynamotest.Fault {
			if calls++; calls == n+1 {
				return dynamotest.Unheard
			}
			return 0
		}
		r := w.promote(items)
		w.now = w.now.Add(time.Second)
		done := w.record(w.Revert(t.Context(), r, w.prod, by, promotion.Undo{}))
		w.expect(done, func(s promotion.Step) string { return s.RevertError }, nil)
		w.fault, more = nil, calls > n

		w.has(false)
	}
}

// TestRevertsPendingChangesAfterDeath by comparing the record with the stored objects.
func TestRevertsPendingChangesAfterDeath(t *testing.T) {
	w := newWorld(t)
	items := w.shop()
	w.store.left.Store(2) // the record, the table
	_, err := w.Promote(t.Context(), w.test, w.prod, by, items)
	if !errs.Is(err, errs.KindUnavailable) || w.source(w.prod, "pay") == "" {
		t.Fatalf("died: %v", err)
	}
	w.store.left.Store(1000)
	got, err := w.Store.Promotions(t.Context(), 7, page.Request{Limit: 5})
	w.must(err)
	w.back(got.Objects[0], promotion.Undo{})
	if w.source(w.prod, "pay") != "" || w.fields(w.prod, "books") != "-" {
		t.Error("something stays")
	}
}

// TestConcurrentPromotionsConflict: neither promotion overwrites a change of the other.
func TestConcurrentPromotionsConflict(t *testing.T) {
	w := newWorld(t)
	w.function(w.prod, "pay", "1")
	w.function(w.test, "pay", "2")
	done := make(chan promotion.Record, 4)
	for range cap(done) {
		go func() {
			r, err := w.Promote(t.Context(), w.test, w.prod, by, wanted("function pay"))
			if err != nil {
				t.Error(err)
			}
			done <- r
		}()
	}
	first := 0
	for range cap(done) {
		step := (<-done).Steps[0]
		if step.Status == promotion.Done {
			first++
		} else if !strings.Contains(step.Error, "was just changed") && !strings.Contains(step.Error, "nothing to promote") {
			t.Errorf("%+v", step)
		}
	}
	f, err := w.Functions.Read(t.Context(), w.prod.Scope, "pay")
	w.must(err)
	if first != 1 || f.Version != 2 {
		t.Errorf("%d did it, version %d", first, f.Version)
	}
}

// TestSkipsConcurrentlyChangedObjects changes each object between the comparison and its step, in both directions. No
// change is overwritten.
func TestSkipsConcurrentlyChangedObjects(t *testing.T) {
	w := newWorld(t)
	both := []promotion.Environment{w.test, w.prod}
	for _, env := range both {
		w.function(env, "run", "1")
	}
	fill := func(name string, in ...promotion.Environment) []promotion.Wanted {
		for _, env := range in {
			w.function(env, name, env.Name)
			w.table(env, name, env.Name+" string")
			w.trigger(env, fmt.Sprintf(`{"name":%q,"type":"timer","description":%q,"condition":{"cron":"0 8 * * *"},
				"actions":[{"type":"cloud_function","settings":{"function":"run"}}]}`, name, env.Name))
		}
		return wanted("function "+name, "table "+name, "trigger "+name)
	}
	change := func(names ...string) {
		for _, name := range names {
			w.save(w.prod, name, "later")
			w.alter(w.prod, name, table.Definition{Columns: fieldsOf([]string{"later integer"})})
			_, err := w.Triggers.Change(t.Context(), w.prod.Scope, w.triggers(w.prod, name)[0].ID, map[string]any{"description": "later"}, anyTrigger)
			w.must(err)
		}
	}
	is := func(names ...string) {
		t.Helper()
		for _, name := range names {
			found := w.triggers(w.prod, name)
			if len(found) != 1 || found[0].Description != "later" || w.source(w.prod, name) != "later" ||
				!strings.HasSuffix(w.fields(w.prod, name), "later integer") {
				t.Errorf("%s: %q, %s, %+v", name, w.source(w.prod, name), w.fields(w.prod, name), found)
			}
		}
	}
	const changed = "it was just changed in production: compare again"

	items := slices.Concat(fill("changed", both...), fill("gone", w.prod), fill("come", w.test)[:2], wanted("function source"))
	for i := range 3 {
		items[3+i].Remove = true
	}
	w.function(w.test, "source", "1")
	w.store.meanwhile = func() {
		w.save(w.test, "source", "2")
		change("changed", "gone")
		w.function(w.prod, "come", "later")
		w.table(w.prod, "come", "later integer")
	}
	w.promote(items, changed, changed, changed, changed, changed, changed, "already", "exists",
		"it was changed in test after the comparison")
	is("changed", "gone")
	if w.source(w.prod, "come") != "later" || w.fields(w.prod, "come") != "later integer" || w.source(w.prod, "source") != "" {
		t.Error("what has come is overwritten")
	}

	items = slices.Concat(fill("differs", both...), fill("added", w.test), fill("first", w.prod)[1:2])
	items[6].Remove = true
	r := w.promote(items)
	w.store.meanwhile = func() { change("differs", "added") } // after the first step, before it is stored
	w.back(r, promotion.Undo{}, changed, changed, changed, changed, changed, changed)
	is("differs", "added")
}

// TestReturnsDatabaseErrors: if any database call fails, nothing is reported as done.
func TestReturnsDatabaseErrors(t *testing.T) {
	w := newWorld(t)
	w.function(w.prod, "old", "1")
	r := w.promote(w.shop())
	w.save(w.test, "pay", "exports.main = () => 2")
	w.table(w.test, "films", "title string")
	items := append(wanted("function pay", "table films", "function old"), wanted("trigger paid")...)
	items[2].Remove = true
	for name, do := range map[string]func(w *world) error{
		"compare": func(w *world) error {
			got, err := w.Compare(t.Context(), w.test, w.prod, page.Request{Limit: 100})
			return wrong(err, len(got.Objects) > 0)
		},
		"dryRun": func(w *world) error {
			got, err := w.DryRun(t.Context(), w.test, w.prod, by, items)
			return wrong(err, len(got.Steps) == 4 && got.Steps[0].Status == promotion.Done)
		},
		"read": func(w *world) error {
			got, err := w.Store.Promotion(t.Context(), 7, r.ID)
			return wrong(err, len(got.Steps) == 3)
		},
		"list": func(w *world) error {
			got, err := w.Store.Promotions(t.Context(), 7, page.Request{Limit: 5})
			return wrong(err, len(got.Objects) > 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dynamotest.FailEach(t, w.database, func(c *dynamodb.Client) error { return do(newWorldIn(w.T, c)) })
		})
	}

	// Promotion and revert: each call fails once, with separate objects; the repeated request completes the rest.
	dynamotest.FailEach(t, w.database, func(c *dynamodb.Client) error {
		items, failing := w.several(), newWorldIn(w.T, c)
		failing.now = w.now
		_, err := failing.Promote(failing.try("k", false), w.test, w.prod, by, items)
		r := w.record(w.Promote(w.try("k", true), w.test, w.prod, by, items))
		w.expect(r, errorOf, nil)
		w.has(true)
		return err
	})
	dynamotest.FailEach(t, w.database, func(c *dynamodb.Client) error {
		items, failing := w.several(), newWorldIn(w.T, c)
		r := w.promote(items)
		failing.now = w.now.Add(time.Second)
		_, err := failing.Revert(failing.try("k", false), r, w.prod, by, promotion.Undo{})
		w.back(r, promotion.Undo{})
		w.has(false)
		return err
	})
}

// several fills a separate application: a changed function, a new trigger with its table, a table that points to it,
// and one object of each kind to remove.
func (w *world) several() []promotion.Wanted {
	w.Helper()
	w.test.Scope.App++
	w.prod.Scope.App++
	w.function(w.prod, "pay", "1")
	w.function(w.test, "pay", "2")
	listens := `{"name":%q,"type":"table","condition":{"table":%q,"event":"create"},
		"actions":[{"type":"cloud_function","settings":{"function":"pay"}}]}`
	w.table(w.test, "books", "title string")
	w.now = w.now.Add(time.Second)
	w.table(w.test, "pages", "of pointer books")
	w.trigger(w.test, fmt.Sprintf(listens, "books", "books"))
	w.function(w.prod, "old", "1")
	w.table(w.prod, "old", "title string")
	w.trigger(w.prod, fmt.Sprintf(listens, "old", "old"))
	items := wanted("function pay", "table pages", "table books", "trigger books", "function old", "table old", "trigger old")
	for i := range 3 {
		items[4+i].Remove = true
	}
	w.now = w.now.Add(time.Second) // so that the promotion draws its ids in another millisecond
	return items
}

// has checks the objects of several in production: each was promoted once, or has its previous state.
func (w *world) has(promoted bool) {
	w.Helper()
	pay, err := w.Functions.Read(w.Context(), w.prod.Scope, "pay")
	w.must(err)
	records, err := w.Store.Promotions(w.Context(), w.prod.Scope.App, page.Request{Limit: 5})
	w.must(err)
	got := fmt.Sprintf("%d: version %d: %s %q", len(records.Objects), pay.Version, w.source(w.prod, "pay"), w.source(w.prod, "old"))
	for _, name := range []string{"books", "pages", "old"} {
		got += fmt.Sprintf(" %s: %s, %d;", name, w.fields(w.prod, name), len(w.triggers(w.prod, name)))
	}
	want := "1: version 3: 1 \"1\" books: -, 0; pages: -, 0; old: title string, 1;"
	if promoted {
		want = "1: version 2: 2 \"\" books: title string, 1; pages: of pointer books, 0; old: -, 0;"
	}
	if got != want {
		w.Errorf("production has %s, not %s", got, want)
	}
}

// wrong returns err, or an error if no call failed and the result is not ok.
func wrong(err error, ok bool) error {
	if err == nil && !ok {
		return errors.New("no call fails, and the answer is wrong")
	}
	return err
}
