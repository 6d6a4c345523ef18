package promotion_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/console/promotion"
	"minicloud/shared/errs"
)

// interrupted is the connection to a database that does something before one of the calls.
type interrupted struct {
	dynamodb.HTTPClient
	left      atomic.Int64 // calls up to that one
	meanwhile func()
}

func (c *interrupted) Do(r *http.Request) (*http.Response, error) {
	if c.left.Add(-1) == 0 {
		c.meanwhile()
	}
	return c.HTTPClient.Do(r)
}

// TestRepetitionMeanwhile: before each call of a promotion another try of the same request runs. Both succeed, or one of
// them conflicts with the other, and the objects are promoted.
func TestRepetitionMeanwhile(t *testing.T) {
	database := dynamotest.Start(
		t, "ConsoleTable", "FunctionsTable", "TablesTable", "RowsTable", "RowIndexesTable", "CountsTable", "TriggersTable",
		"TriggerLogTable", "UsersTable", "SettingsTable",
	)
	calls := &interrupted{HTTPClient: database.Options().HTTPClient}
	w := newWorldIn(t, dynamodb.New(database.Options(), func(o *dynamodb.Options) { o.HTTPClient = calls }))
	w.function(w.prod, "run", "1")

	for call := int64(1); ; call++ {
		name := func(kind string) string { return fmt.Sprint(kind, call) }
		w.function(w.test, name("added"), "1")
		w.function(w.prod, name("gone"), "1")
		w.table(w.prod, name("gone"), "a string")
		w.trigger(w.prod, fmt.Sprintf(`{"name":%q,"type":"timer","condition":{"cron":"0 8 * * *"},
			"actions":[{"type":"cloud_function","settings":{"function":"run"}}]}`, name("gone")))
		items := wanted("function "+name("added"), "function "+name("gone"), "table "+name("gone"), "trigger "+name("gone"))
		for i := range items[1:] {
			items[1+i].Remove = true
		}
		try := func(again bool) error {
			r, err := w.Promote(w.try(fmt.Sprint(call), again), w.test, w.prod, by, items)
			for _, step := range r.Steps {
				if err == nil && step.Status != promotion.Done {
					t.Errorf("call %d, again %v: %+v", call, again, step)
				}
			}
			return err
		}
		var other error
		calls.meanwhile = func() { other = try(true) }
		calls.left.Store(call)
		err := try(false)
		if calls.left.Load() > 0 {
			break
		}
		for _, err := range []error{err, other} {
			if err != nil && !errs.Is(err, errs.KindConflict) {
				t.Errorf("call %d: %v, the other %v", call, err, other)
			}
		}
		if err != nil && other != nil || w.source(w.prod, name("added")) == "" || w.source(w.prod, name("gone")) != "" ||
			w.fields(w.prod, name("gone")) != "-" || len(w.triggers(w.prod, name("gone"))) > 0 {
			t.Errorf("call %d: %v, the other %v, and something is missing or left", call, err, other)
		}
	}
}
