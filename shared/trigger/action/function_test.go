package action_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/job/event"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// jobQueue is a fake queue that records the messages of jobs.
type jobQueue struct{ sent []job.Message }

func (q *jobQueue) Send(_ context.Context, _ time.Duration, all ...job.Message) error {
	q.sent = append(q.sent, all...)
	return nil
}

// environments is a fake Applications with one test environment.
type environments struct{ test tenant.EnvID }

func (e environments) Application(context.Context, tenant.AppID) (app.Application, error) {
	return app.Application{Environments: map[tenant.EnvID]string{e.test: "staging"}}, nil
}

const testEnv tenant.EnvID = "0123456789abcdef0123"

// jobKit has a function "f" in both environments, and the started jobs.
type jobKit struct {
	*action.CloudFunction
	store     *jobdb.Store
	service   *job.Service
	functions map[tenant.EnvID]cloudfunction.Function
	queue     *jobQueue
}

func newJobKit(t *testing.T) *jobKit {
	client := dynamotest.Start(t, "FunctionsTable", "JobsTable")
	functions := &cloudfunction.Service{
		Store: &functiondb.Functions{Client: client, Table: "FunctionsTable"}, IDs: new(id.Source), Clock: clock.System,
	}
	k := &jobKit{
		store: &jobdb.Store{Client: client, Table: "JobsTable"}, queue: &jobQueue{},
		functions: map[tenant.EnvID]cloudfunction.Function{},
	}
	for _, env := range []tenant.EnvID{tenant.Production, testEnv} {
		f, err := functions.Create(
			t.Context(), tenant.Scope{App: 7, Env: env}, "ada",
			cloudfunction.New{Name: "f", Code: "exports.main = async () => 1"},
		)
		if err != nil {
			t.Fatal(err)
		}
		k.functions[env] = f
	}
	k.service = &job.Service{
		Functions: functions, Store: k.store, Queue: k.queue, IDs: new(id.Source), Clock: clock.System,
	}
	k.CloudFunction = &action.CloudFunction{
		Jobs: k.service, Applications: environments{testEnv}, BaseURL: "https://here.example",
	}
	return k
}

// pending returns the pending jobs of f.
func (k *jobKit) pending(t *testing.T, scope tenant.Scope) []job.PendingJob {
	t.Helper()
	f := k.functions[scope.Env].ID
	listed, err := k.store.Pending(t.Context(), scope, f, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range listed {
		if listed[i], err = k.store.ReadPending(t.Context(), scope, f, w.ID); err != nil {
			t.Fatal(err)
		}
	}
	return listed
}

func starts(e trigger.Event) action.Work {
	a := trigger.Action{ID: 5, Type: trigger.CloudFunction, Settings: &trigger.CloudFunctionSettings{Function: "f"}}
	return action.Work{
		Run: run.Run{
			ID: run.IDOf(e.Scope, 3, e.ID, 5), Scope: e.Scope, Trigger: 3, Action: 5, Event: e,
			CreatedAt: time.Now().UTC().Truncate(time.Millisecond),
		},
		Trigger: trigger.Trigger{ID: 3, Type: e.Type, Timezone: "Europe/Paris"}, Action: a, Attempt: 1,
	}
}

// TestFunctionGetsEventOfTrigger checks per event type the event.data of the contract, and the source (D22).
func TestFunctionGetsEventOfTrigger(t *testing.T) {
	record := map[string]any{"id": "x", "n": 1.0}
	for _, c := range []struct {
		event  trigger.Event
		data   string
		source job.Source
		schema string
	}{
		{trigger.TimerEvent(here, 3, morning), `{}`, "timer", ""},
		{
			trigger.Event{ID: "r", Type: trigger.TypeTable, TableName: "books", Payload: record, Depth: 2},
			`{"id":"x","n":1}`, "flex_schema", "books",
		},
		{trigger.Event{ID: "p", Type: trigger.TypeChatPay, Payload: record}, `{"id":"x","n":1}`, "chat_pay_success", ""},
		{trigger.Event{ID: "a", Type: trigger.TypeAltPay, Payload: record}, `{"id":"x","n":1}`, "alt_pay_success", ""},
		{trigger.Event{ID: "t", Type: trigger.TypeTPay, Payload: record}, `{"id":"x","n":1}`, "tpay_success", ""},
		{trigger.Event{ID: "f", Type: trigger.TypeFileOperation, Payload: record}, `{"id":"x","n":1}`, "file_operation", ""},
		{
			trigger.HookEvent(here, trigger.HookCall{ID: "9", Method: "POST", RemoteAddress: "1.2.3.4", Payload: record}),
			`{"_id":"9","meta":{"headers":{},"remote_address":"1.2.3.4","request_method":"POST"},"payload":{"id":"x","n":1}}`,
			"incoming_webhook", "",
		},
		{trigger.MessageEvent(here, "m", morning, record), `{"id":"x","n":1}`, "chat_message", ""},
	} {
		t.Run(string(c.source), func(t *testing.T) {
			k := newJobKit(t)
			c.event.Scope = here
			result, err := k.Do(t.Context(), starts(c.event))
			if err != nil {
				t.Fatal(err)
			}
			all := k.pending(t, here)
			if len(all) != 1 || len(k.queue.sent) != 1 || !slices.Contains(job.Sources, c.source) {
				t.Fatalf("%d jobs, %d sent", len(all), len(k.queue.sent))
			}

			w := all[0]
			want := event.Meta{
				SchemaName: c.schema, TimeZone: "Europe/Paris", Depth: c.event.Depth, BaseURL: "https://here.example",
			}
			if string(w.Input.Data) != c.data || w.Source != c.source || w.Input.Meta != want || w.Service != job.Batch {
				t.Errorf("%s from %s with %+v", w.Input.Data, w.Source, w.Input.Meta)
			}
			var said struct {
				Job id.ID `json:"job_id"`
			}
			if err := json.Unmarshal([]byte(result.Response), &said); err != nil || said.Job != w.ID {
				t.Errorf("answered %s, job %d", result.Response, w.ID)
			}
		})
	}
}

// TestFunctionGetsLargestRow starts a function with a row of the largest size, whose text JSON for HTML would escape.
func TestFunctionGetsLargestRow(t *testing.T) {
	k := newJobKit(t)
	text := strings.Repeat("<", table.MaxRowBytes)
	row := trigger.Event{ID: "r", Scope: here, Type: trigger.TypeTable, Payload: map[string]any{"s": text}}
	if _, err := k.Do(t.Context(), starts(row)); err != nil {
		t.Fatal(err)
	}
	if all := k.pending(t, here); len(all) != 1 || string(all[0].Input.Data) != `{"s":"`+text+`"}` {
		t.Errorf("%d jobs, want the row's", len(all))
	}
}

// TestFunctionRefusesTooLargeData: JSON can double the size of a row, and the entry in the log names the limit.
func TestFunctionRefusesTooLargeData(t *testing.T) {
	k := newJobKit(t)
	row := trigger.Event{ID: "r", Scope: here, Type: trigger.TypeTable, Payload: map[string]any{"s": strings.Repeat("\n", 200<<10)}}
	_, err := k.Do(t.Context(), starts(row))
	want := "data of a run that a trigger starts must be at most 399360 bytes"
	if !errs.Is(err, errs.KindInvalid) || errs.Message(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestFunctionStartsOncePerRun(t *testing.T) {
	k := newJobKit(t)
	w := starts(trigger.TimerEvent(here, 3, morning))
	first, err := k.Do(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := k.Do(t.Context(), w); err != nil || again.Response != first.Response {
		t.Errorf("%+v, %v, want %+v", again, err, first)
	}
	if n := len(k.pending(t, here)); n != 1 {
		t.Errorf("%d jobs", n)
	}

	next := starts(trigger.TimerEvent(here, 3, morning.Add(time.Hour)))
	if other, err := k.Do(t.Context(), next); err != nil || other.Response == first.Response {
		t.Errorf("another run: %+v, %v", other, err)
	}
}

// TestBatchStartsOneFunction checks the list of events, and that the depth is that of the deepest event.
func TestBatchStartsOneFunction(t *testing.T) {
	k := newJobKit(t)
	var list []trigger.Event
	for i := range 3 {
		e := trigger.MessageEvent(here, "m", morning, map[string]any{"n": float64(i)})
		e.Depth = i
		list = append(list, e)
	}
	w := starts(list[0])
	w.Events = list
	if _, err := k.Do(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	got := k.pending(t, here)[0].Input
	if string(got.Data) != `{"events":[{"n":0},{"n":1},{"n":2}]}` || got.Meta.Depth != 2 {
		t.Errorf("%s, depth %d", got.Data, got.Meta.Depth)
	}
}

func TestStartsFunctionOfTestEnvironment(t *testing.T) {
	k := newJobKit(t)
	scope := tenant.Scope{App: 7, Env: testEnv}
	if _, err := k.Do(t.Context(), starts(trigger.TimerEvent(scope, 3, morning))); err != nil {
		t.Fatal(err)
	}
	if all := k.pending(t, scope); len(all) != 1 || all[0].Input.Meta.EnvName != "staging" ||
		len(k.pending(t, here)) != 0 {
		t.Errorf("%+v", all)
	}
}

// TestRejectedFunctionsFailForGood checks a missing function, a function that may not run, and a chain that is too
// deep.
func TestRejectedFunctionsFailForGood(t *testing.T) {
	k := newJobKit(t)
	gone, deep, rejected := starts(trigger.TimerEvent(here, 3, morning)), starts(trigger.TimerEvent(here, 3, morning)),
		starts(trigger.TimerEvent(here, 3, morning.Add(time.Hour)))
	gone.Action.Settings = &trigger.CloudFunctionSettings{Function: "g"}
	deep.Run.Event.Depth = trigger.MaxDepth
	functions := k.service.Functions.(*cloudfunction.Service)

	for _, c := range []struct {
		what   string
		work   action.Work
		kind   string
		before func() error
	}{
		{"gone", gone, "not_found", nil},
		{"deep", deep, "execution_rejected", nil},
		{"rejected", rejected, "execution_rejected", func() error {
			_, err := functions.SetAudit(t.Context(), here, "f", cloudfunction.AuditRejected)
			return err
		}},
	} {
		if c.before != nil {
			if err := c.before(); err != nil {
				t.Fatal(err)
			}
		}
		for try := range 2 {
			_, err := k.Do(t.Context(), c.work)
			f, ok := err.(*action.Failure)
			if !ok || !f.Permanent || f.Type != c.kind {
				t.Errorf("%s, try %d: %v", c.what, try, err)
			}
		}
	}

	listing, err := k.store.List(t.Context(), here, k.functions[tenant.Production].ID, job.Filter{}, time.Now(),
		page.Request{Limit: 10})
	if err != nil || len(listing.Objects) != 2 {
		t.Errorf("%d jobs, want one for each that was rejected: %v", len(listing.Objects), err)
	}
}
