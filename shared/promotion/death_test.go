package promotion_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/promotion"
)

// TestDeathBetweenWrites lets the program die at each of its writes of the record; the repetition does the rest and
// nothing twice.
func TestDeathBetweenWrites(t *testing.T) {
	for writes := range 5 {
		t.Run(fmt.Sprint(writes), func(t *testing.T) {
			w := newWorld(t)
			w.function(w.prod, "old", "1")
			w.function(w.prod, "both", "1")
			w.function(w.test, "both", "2")
			items := append(w.shop(), wanted("function old", "function both")...)
			items[3].Remove = true

			w.store.left = writes
			if _, err := w.Promote(w.try("k", false), w.test, w.prod, by, items); !errs.Is(err, errs.KindUnavailable) {
				t.Fatalf("died: %v", err)
			}
			w.store.left = 1000
			r := w.record(w.Promote(w.try("k", true), w.test, w.prod, by, items))
			w.expect(r, func(s promotion.Step) string { return s.Error }, nil)
			w.record(w.Promote(w.try("k", true), w.test, w.prod, by, items))

			both, err := w.Functions.Read(t.Context(), w.prod.Scope, "both")
			w.must(err)
			if both.Version != 2 || w.source(w.prod, "pay") == "" || w.source(w.prod, "old") != "" ||
				len(w.triggers(w.prod, "paid")) != 1 {
				t.Errorf("not everything was done once: %+v", both)
			}
			if got, err := w.Promotions(t.Context(), 7, page.Request{Limit: 5}); err != nil || len(got.Objects) != 1 {
				t.Errorf("%d records, %v", len(got.Objects), err)
			}
			w.back(r, promotion.Undo{})
			if w.source(w.prod, "both") != "1" || w.source(w.prod, "old") != "1" || w.source(w.prod, "pay") != "" {
				t.Error("it was not put back")
			}
		})
	}
}

// TestLostAnswers: each write in turn is done and its answer gets lost, on the way there and on the way back. What is then
// tried again finds itself done.
func TestLostAnswers(t *testing.T) {
	w := newWorld(t)
	for n, more := 0, true; more; n++ {
		name := fmt.Sprint("n", n)
		w.function(w.prod, name, "1")
		w.function(w.test, name, "2")
		w.table(w.test, name, "title string")
		w.trigger(w.test, fmt.Sprintf(`{"name":%q,"type":"table","condition":{"table":%q,"event":"create"},
			"actions":[{"type":"cloud_function","settings":{"function":%q}}]}`, name, name, name))
		items := wanted("function "+name, "table "+name, "trigger "+name)

		calls := 0
		w.fault = func() dynamotest.Fault {
			if calls++; calls == n+1 {
				return dynamotest.Unheard
			}
			return 0
		}
		r := w.promote(items)
		done := w.record(w.Revert(t.Context(), r, w.prod, by, promotion.Undo{}))
		w.expect(done, func(s promotion.Step) string { return s.RevertError }, nil)
		w.fault, more = nil, calls > n

		f, err := w.Functions.Read(t.Context(), w.prod.Scope, name)
		w.must(err)
		if w.source(w.prod, name) != "1" || f.Version != 3 || w.fields(w.prod, name) != "-" || len(w.triggers(w.prod, name)) != 0 {
			t.Errorf("write %d: version %d, %s, %d triggers", n, f.Version, w.fields(w.prod, name), len(w.triggers(w.prod, name)))
		}
	}
}

// TestDeathOnTheWayBack: what is left is put back by asking again.
func TestDeathOnTheWayBack(t *testing.T) {
	for writes := range 3 {
		w := newWorld(t)
		r := w.promote(w.shop())
		w.store.left = writes
		if _, err := w.Revert(w.try("k", false), r, w.prod, by, promotion.Undo{}); !errs.Is(err, errs.KindUnavailable) {
			t.Fatalf("died: %v", err)
		}
		w.store.left = 1000
		w.back(r, promotion.Undo{})
		if w.source(w.prod, "pay") != "" || w.fields(w.prod, "books") != "-" || len(w.triggers(w.prod, "paid")) != 0 {
			t.Errorf("after %d writes something stays", writes)
		}
	}
}

// TestDeathWithoutAKey: what was pending is put back by what is there.
func TestDeathWithoutAKey(t *testing.T) {
	w := newWorld(t)
	items := w.shop()
	w.store.left = 2 // the record, the table
	_, err := w.Promote(t.Context(), w.test, w.prod, by, items)
	if !errs.Is(err, errs.KindUnavailable) || w.source(w.prod, "pay") == "" {
		t.Fatalf("died: %v", err)
	}
	w.store.left = 1000
	got, err := w.Promotions(t.Context(), 7, page.Request{Limit: 5})
	w.must(err)
	w.back(got.Objects[0], promotion.Undo{})
	if w.source(w.prod, "pay") != "" || w.fields(w.prod, "books") != "-" {
		t.Error("something stays")
	}
}

// TestTwoAtOnce: what one has changed the other does not change by what it saw before.
func TestTwoAtOnce(t *testing.T) {
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
		} else if !strings.Contains(step.Error, "just been changed") && !strings.Contains(step.Error, "nothing to do") {
			t.Errorf("%+v", step)
		}
	}
	f, err := w.Functions.Read(t.Context(), w.prod.Scope, "pay")
	w.must(err)
	if first != 1 || f.Version != 2 {
		t.Errorf("%d did it, version %d", first, f.Version)
	}
}

// TestErrorsAreReturned: where a call of the database fails, whichever it is, nobody is told that it is done.
func TestErrorsAreReturned(t *testing.T) {
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
		"foresee": func(w *world) error {
			got, err := w.Foresee(t.Context(), w.test, w.prod, by, items)
			return wrong(err, len(got.Steps) == 4 && got.Steps[0].Status == promotion.Done)
		},
		"read": func(w *world) error {
			got, err := w.Promotion(t.Context(), 7, r.ID)
			return wrong(err, len(got.Steps) == 3)
		},
		"list": func(w *world) error {
			got, err := w.Promotions(t.Context(), 7, page.Request{Limit: 5})
			return wrong(err, len(got.Objects) > 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dynamotest.FailEach(t, w.database, func(c *dynamodb.Client) error { return do(newWorldIn(w.T, c)) })
		})
	}

	// Each try goes on with what the one before has left.
	n := 0
	var done promotion.Record
	dynamotest.FailEach(t, w.database, func(c *dynamodb.Client) error {
		n++
		other := newWorldIn(w.T, c)
		other.now = w.now.Add(time.Minute)
		got, err := other.Promote(other.try("there", n > 1), w.test, w.prod, by, items)
		done = got
		return err
	})
	if w.source(w.prod, "pay") != "exports.main = () => 2" || w.fields(w.prod, "films") != "title string" ||
		w.source(w.prod, "old") != "" {
		t.Error("it was not promoted")
	}

	n = 0
	dynamotest.FailEach(t, w.database, func(c *dynamodb.Client) error {
		n++
		other := newWorldIn(w.T, c)
		known, err := other.Promotion(t.Context(), 7, done.ID)
		if err == nil {
			_, err = other.Revert(other.try("back", n > 1), known, w.prod, by, promotion.Undo{})
		}
		return err
	})
	if w.source(w.prod, "pay") != "exports.main = () => 1" || w.fields(w.prod, "films") != "-" ||
		w.source(w.prod, "old") != "1" {
		t.Error("it was not put back")
	}
}

// wrong is err, or says that the answer is not ok where no call has failed.
func wrong(err error, ok bool) error {
	if err == nil && !ok {
		return errors.New("no call fails, and the answer is wrong")
	}
	return err
}
