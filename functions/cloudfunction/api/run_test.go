package api_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

var shopScope = tenant.Scope{App: shop.ID, Env: tenant.Production}

func withFunction(t *testing.T) *platform {
	p := newPlatform(t)
	p.play(t, step{method: "POST", path: functions, body: `{"name":"pay","function_code":"1"}`, status: 201})
	return p
}

func (p *platform) gives(result sandbox.Result, err error) {
	p.runner.mu.Lock()
	defer p.runner.mu.Unlock()
	p.runner.run = func(sandbox.Request) (sandbox.Result, error) { return result, err }
}

type jobList struct {
	Meta struct {
		Total int `json:"total_count"`
	}
	Objects []map[string]any
}

func (p *platform) jobsOf(t *testing.T, query string) []map[string]any {
	t.Helper()
	got := decode[jobList](t, p.play(t, step{method: "GET", path: functions + "pay/job/?" + query, status: 200}))
	if got.Meta.Total != len(got.Objects) {
		t.Errorf("%s: %d of %d", query, len(got.Objects), got.Meta.Total)
	}
	return got.Objects
}

func TestRunOutcomes(t *testing.T) {
	const ok = `{"code":0,"data":{"pong":true},"error":{}}`
	for _, c := range []struct {
		what   string
		result sandbox.Result
		err    error
		code   int
		answer string
		status job.Status
	}{
		{
			"result", sandbox.Result{Outcome: sandbox.OutcomeFulfilled, Data: json.RawMessage(`{"pong":true}`)}, nil, 200, ok,
			job.StatusFulfilled,
		},
		{
			"no result", sandbox.Result{Outcome: sandbox.OutcomeFulfilled}, nil, 200, `{"code":0,"data":null,"error":{}}`,
			job.StatusFulfilled,
		},
		{"threw", sandbox.Result{
			Outcome: sandbox.OutcomeExecutionFailed,
			Error:   &sandbox.Error{Type: "TypeError", Message: "<no>", Stack: "at main"},
		}, nil,
			200, `{"code":1,"data":null,"error":{"message":"<no>","type":"TypeError"}}`, job.StatusExecutionFailed},
		{"too slow", sandbox.Result{
			Outcome: sandbox.OutcomeDeadlineExceeded,
			Error:   &sandbox.Error{Type: "TimeoutError", Message: "function timed out after 5000 ms"},
		}, nil,
			200, `{"code":1,"data":null,"error":{"message":"function timed out after 5000 ms","type":"TimeoutError"}}`,
			job.StatusDeadlineExceeded},
		{"sandbox crashed", sandbox.Result{}, errors.New("Runtime.ExitError"),
			200, `{"code":1,"data":null,"error":{"message":"the sandbox failed before the function ended","type":"SandboxError"}}`, job.StatusExecutionFailed},
		{"no sandbox", sandbox.Result{}, sandbox.NotStarted("the sandbox has no capacity"),
			503, failure("the sandbox has no capacity"), job.StatusScheduleFailed},
	} {
		t.Run(c.what, func(t *testing.T) {
			p := withFunction(t)
			p.gives(c.result, c.err)
			p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: c.code, want: c.answer})
			p.play(
				t,
				step{
					method: "POST", path: "/oserve/v1/cloud-function/job/", body: `{"function_name":"pay"}`, status: c.code,
					want: c.answer,
				},
			)
			got := p.jobsOf(t, "")
			if len(got) != 2 || got[0]["status"] != string(c.status) || got[0]["source"] != "open_api" ||
				got[0]["service_type"] != "time_sensitive" {
				t.Errorf("jobs: %v", got)
			}
			if slots, err := p.jobs.Store.Slots(t.Context(), shop.ID); err != nil || len(slots) != 0 {
				t.Errorf("slots are held: %v, %v", slots, err)
			}
		})
	}
}

func TestRunBadInput(t *testing.T) {
	p := withFunction(t)
	const v1 = "/oserve/v1/cloud-function/job/"
	for _, s := range []step{
		{
			path: functions + "pay/job/", body: `{}`, status: 400,
			want: failure("data is required; send {} when there is no input"),
		},
		{path: functions + "pay/job/", body: `{"data":null}`, status: 400},
		{path: functions + "pay/job/", body: `{"data":[1]}`, status: 400, want: failure("data must be an object")},
		{path: functions + "pay/job/", body: `{"data":"x"}`, status: 400},
		{
			path: functions + "pay/job/", body: `{"data":{},"sync":"no"}`, status: 400,
			want: failure("sync must be a boolean, not a string"),
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"run_at":1}`, status: 400,
			want: failure("run_at needs sync to be false"),
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"callback_url":"https://a.example/"}`, status: 400,
			want: failure("callback_url needs sync to be false"),
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"sync":false,"callback_url":"ftp://a.example/"}`, status: 400,
			want: "~callback_url must be an http or https address",
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"sync":false,"callback_url":""}`, status: 400,
			want: "~callback_url must be an http or https address",
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"sync":false,"callback_url":"https://ada:pw@a.example/"}`, status: 400,
			want: "~callback_url must not hold a name or a password",
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"sync":false,"callback_url":"https://a.example:22/"}`, status: 400,
			want: "~callback_url must have no port",
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"sync":false,"run_at":2000000000}`, status: 400,
			want: failure("run_at must be within 30 days"),
		},
		{
			path: functions + "pay/job/", body: `{"data":{},"sync":false,"run_at":9223372036854775807}`, status: 400,
			want: failure("run_at must be a Unix timestamp in seconds, not 9223372036854775807"),
		},
		{path: functions + "pay/job/", body: `{"data":{},"sync":false,"run_at":-1}`, status: 400},
		{
			path: functions + "pay/job/", body: `{"data":{"a":"` + strings.Repeat("a", job.MaxSyncData) + `"}}`, status: 400,
			want: "~data must be at most 4194304 bytes",
		},
		{
			path: functions + "pay/job/", body: `{"data":{"a":"` + strings.Repeat("a", job.MaxAsyncData) + `"},"sync":false}`,
			status: 400, want: "~262144 bytes",
		},
		{
			path: functions + "pay/job/", body: `{"data":{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`,
			status: 400, want: failure("data must not be nested deeper than 1000"),
		},
		{
			path:   functions + "pay/job/",
			body:   `{"sync":false,"data":{"a":` + strings.Repeat(`{"b":`, 1000) + "1" + strings.Repeat("}", 1001) + `}`,
			status: 400, want: failure("data must not be nested deeper than 1000"),
		},
		{path: functions + "none/job/", body: `{"data":{}}`, status: 404},
		{path: functions + "none/job/", body: `{"data":{},"sync":false}`, status: 404},
		{path: v1, body: `{}`, status: 400, want: failure("function_name is required")},
		{path: v1, body: `{"function_name":"none"}`, status: 404},
		{path: v1, body: `{"function_name":7}`, status: 400, want: failure("function_name must be a string, not a number")},
		{path: v1, body: `{"function_name":"pay","data":7}`, status: 400},
		{path: functions + "pay/debug/", body: `{}`, status: 400},
		{
			path: functions + "pay/debug/", body: `{"data":{},"subject":"moon"}`, status: 400,
			want: "~subject must be one of sdk, open_api, ",
		},
		{path: functions + "pay/debug/", body: `{"data":{},"subject":"incoming_webhook"}`, status: 400},
		{
			path: functions + "pay/debug/", body: `{"data":{},"subject":"flex_schema"}`, status: 400,
			want: failure("schema_id is required when subject is flex_schema"),
		},
		{
			path: functions + "pay/debug/", body: `{"data":{},"subject":"flex_schema","schema_id":"7"}`, status: 400,
			want: failure("schema_id must be an integer, not a string"),
		},
		{
			path: functions + "pay/debug/", body: `{"data":{},"subject":"flex_schema","schema_id":999}`, status: 400,
			want: failure("schema_id 999 is not a table of this application"),
		},
		{path: functions + "none/debug/", body: `{"data":{}}`, status: 404},
	} {
		s.method = "POST"
		p.play(t, s)
	}
	for _, s := range []step{
		{path: functions + "pay/job/?source=moon", want: "~source must be one of sdk, open_api"},
		{path: functions + "pay/job/?status=done", want: "~status must be one of waiting"},
		{path: functions + "pay/job/?service_type=x", want: failure("service_type must be one of time_sensitive, batch")},
		{path: functions + "pay/job/?created_at__gte=yesterday", want: "~created_at__gte must be an integer"},
		{path: functions + "pay/job/?created_at__lte=-1", want: "~created_at__lte must be a Unix timestamp"},
		{path: functions + "pay/job/?created_at__lte=9999999999", want: "~created_at__lte must be a Unix timestamp"},
		{path: functions + "pay/job/?limit=1001"},
	} {
		s.method, s.status = "GET", 400
		p.play(t, s)
	}
	if len(p.runner.seen) != 0 {
		t.Errorf("%d runs came of bad input", len(p.runner.seen))
	}
}

func TestEvent(t *testing.T) {
	p := withFunction(t)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{"a":[1]}}`, status: 200})
	run := p.runner.last(t)
	want := fmt.Sprintf(`{"data":{"a":[1]},"eventType":"open_api","jobId":"%s","memoryLimitInMB":128,"timeLimitInMS":5000,"miniappId":7,`+
		`"request":{"meta":{"ip_address":"192.0.2.7","user_agent":"test/1"}},"timezone":"Asia/Shanghai","signKey":""}`, run.JobID)
	if string(run.Event) != want || run.TimeoutMS != 5000 || run.MemoryMB != 128 || run.Function != "pay" ||
		len(run.Digest) != 64 {
		t.Errorf("event:\n got %s\nwant %s\n%+v", run.Event, want, run)
	}
	inTest := "X-Service-Env-ID: " + string(testEnv)
	p.play(
		t, step{method: "POST", path: functions, header: inTest, body: `{"name":"pay","function_code":"1"}`, status: 201},
	)
	p.play(
		t,
		step{method: "PATCH", path: functions + "pay/", header: inTest, body: `{"plan_circle":"P_PERSONAL"}`, status: 202},
	)
	p.play(t, step{method: "POST", path: functions + "pay/job/", header: inTest, body: `{"data":{}}`, status: 200})
	run = p.runner.last(t)
	if !strings.Contains(string(run.Event), `"env":{"id":"`+string(testEnv)+`","name":"staging"}`) ||
		run.MemoryMB != 256 {
		t.Errorf("event of a test environment: %s", run.Event)
	}
	p.play(t, step{method: "POST", path: "/hserve/v1/cloud-function/job/", body: `{"function_name":"pay"}`, status: 200,
		header: "Authorization: Service-r1 shop\nX-Service-Client-ID: 00000000000000000007"})
	if run = p.runner.last(t); !strings.Contains(string(run.Event), `"eventType":"sdk"`) ||
		!strings.Contains(string(run.Event), `"192.0.2.7"`) {
		t.Errorf("event of a mini program: %s", run.Event)
	}
	for _, header := range []string{
		"X-Service-Client-ID: 00000000000000000007", "Authorization: Service-r1 shop",
		"Authorization: Service-r1 shop\nX-Service-Client-ID: 00000000000000000008",
	} {
		p.play(
			t,
			step{
				what: header, method: "POST", path: "/hserve/v1/cloud-function/job/", body: `{"function_name":"pay"}`,
				header: header, status: 401,
			},
		)
	}
}

// TestFieldNamesAreCaseSensitive: a name in another case neither replaces the input nor makes a run asynchronous
// (D4).
func TestFieldNamesAreCaseSensitive(t *testing.T) {
	p := withFunction(t)
	p.play(
		t,
		step{
			method: "POST", path: functions + "pay/job/", body: `{"data":{"a":1},"DATA":{"a":2},"Sync":false,"RUN_AT":1}`,
			status: 200, want: `~"code":0`,
		},
	)
	if event := string(p.runner.last(t).Event); !strings.Contains(event, `"data":{"a":1}`) {
		t.Errorf("event %s", event)
	}
	p.play(
		t,
		step{
			method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":true,"sync":false}`, status: 400,
			want: failure("sync is given twice"),
		},
	)
}

func TestDebug(t *testing.T) {
	p := withFunction(t)
	body := p.play(t, step{method: "POST", path: functions + "pay/debug/", body: `{"data":{"a":1}}`, status: 200})
	run := p.runner.last(t)
	want := `{"billing_time":100,"code":0,"data":{"pong":true},"error":{},"execution_time":1.5,"job_id":"` + run.JobID +
		`","log":"a line\n","mem_usage":2048}`
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	for subject, part := range map[job.Source]string{
		job.SourceSDK: `"data":{},`, job.SourceTimer: `"data":{},`, job.SourceOpenAPI: `"data":{},`,
		job.SourceCloudFunction: `"data":{},`,
		job.SourceFlexSchema:    `"id":1001,"is_authorized":true,"language":"sample"`, job.SourceChatPay: `"trade_no"`,
		job.SourceFileOperation: `"mime_type":"image/png"`,
	} {
		p.play(
			t,
			step{
				method: "POST", path: functions + "pay/debug/",
				body: `{"data":{},"schema_id":1,"subject":"` + string(subject) + `"}`, status: 200,
			},
		)
		event := string(p.runner.last(t).Event)
		if !strings.Contains(event, `"eventType":"`+string(subject)+`"`) || !strings.Contains(event, part) ||
			!json.Valid([]byte(event)) {
			t.Errorf("%s: %s", subject, event)
		}
		if strings.Contains(event, `"flex_schema_name":"_userprofile"`) != (subject == job.SourceFlexSchema) {
			t.Errorf("%s: flex_schema_name in %s", subject, event)
		}
		if n := len(p.jobsOf(t, "source="+string(subject))); n == 0 {
			t.Errorf("no job of %s", subject)
		}
	}
	p.gives(
		sandbox.Result{
			Outcome: sandbox.OutcomeExecutionFailed, ExecutionMS: 101,
			Error: &sandbox.Error{Type: "Error", Message: "no", Stack: "at main (pay.js:1:1)"},
		},
		nil,
	)
	p.play(t, step{method: "POST", path: functions + "pay/debug/", body: `{"data":{}}`, status: 200,
		want: `~{"billing_time":200,"code":1,"data":null,"error":{"message":"no","type":"Error","stack":"at main (pay.js:1:1)"},"execution_time":101.0,`})
}

func TestRefusedFunctionsDoNotRun(t *testing.T) {
	p := withFunction(t)
	if _, err := p.functions.SetAudit(t.Context(), shopScope, "pay", cloudfunction.AuditRejected); err != nil {
		t.Fatal(err)
	}
	p.play(t, step{method: "GET", path: functions + "pay/", status: 200, want: `~"audit_status":"rejected"`})
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200,
		want: `{"code":1,"data":null,"error":{"message":"function \"pay\" may not run: its audit status is rejected","type":"RejectedError"}}`})
	p.play(
		t,
		step{
			method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200, want: `~"status":"ok"`,
		},
	)
	if got := p.jobsOf(t, "status=execution_rejected"); len(got) != 2 || len(p.runner.seen) != 0 ||
		len(p.queue.held) != 0 {
		t.Errorf("jobs %v, %d runs", got, len(p.runner.seen))
	}
}

func TestFullSlots(t *testing.T) {
	p := withFunction(t)
	p.play(t, step{method: "PATCH", path: functions + "pay/", body: `{"plan_circle":"P_PERSONAL"}`, status: 202})
	f, err := p.functions.Read(t.Context(), shopScope, "pay")
	if err != nil {
		t.Fatal(err)
	}
	ids := new(id.Source)
	for slot := range 10 {
		// Ids from this source could equal those of the runs below, which another source makes in the same
		// millisecond.
		r := job.Record{ID: ids.New(p.time().Add(-time.Second)), Function: f.ID, Name: "pay", Status: job.StatusExecuting, Source: job.SourceTimer,
			Service: job.TimeSensitive, Plan: sandbox.PlanPersonal, StartedAt: p.time(), Slot: slot,
			Lease: p.time().Add(10 * time.Second)}
		if err := p.jobs.Store.Begin(t.Context(), job.Running{Record: r, Scope: shopScope}, job.Nowhere); err != nil {
			t.Fatal(err)
		}
	}
	before := p.time()
	full := "no free slot: 10 functions on plan P_PERSONAL are running already"
	p.play(
		t,
		step{
			method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200,
			want: `{"code":1,"data":null,"error":{"message":"` + full + `","type":"ScheduleError"}}`,
		},
	)
	if waited := p.time().Sub(before); waited < 2*time.Second || waited > 3*time.Second {
		t.Errorf("a synchronous run waits %v for a slot", waited)
	}
	p.play(t, step{method: "POST", path: functions + "pay/debug/", body: `{"data":{}}`, status: 400, want: failure(full)})
	if got := p.jobsOf(t, "status=schedule_failed"); len(got) != 2 {
		t.Errorf("%d jobs schedule_failed", len(got))
	}
	if got := p.jobsOf(t, "status=executing"); len(got) != 10 {
		t.Errorf("%d jobs executing", len(got))
	}
	// The leases of their workers have expired: the next run ends those jobs and takes a slot.
	p.pass(11 * time.Second)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200, want: `~"code":0`})
	if got := p.jobsOf(t, "status=execution_failed&source=timer"); len(got) != 10 {
		t.Errorf("%d dead jobs ended", len(got))
	}
}

func TestCallsPerRun(t *testing.T) {
	p := withFunction(t)
	run := func(sync string) func() {
		return func() {
			p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":` + sync + `}`, status: 200})
		}
	}
	// Authentication makes one more call, which is not to DynamoDB in this test. The first run of a process also
	// stores an announcement of the function and looks for a free slot.
	if diff := cmp.Diff(
		[]string{"GetItem", "PutItem", "Query", "PutItem", "PutItem", "DeleteItem"}, p.counting(run("true")),
	); diff != "" {
		t.Errorf("first synchronous run:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GetItem", "PutItem", "PutItem", "DeleteItem"}, p.counting(run("true"))); diff != "" {
		t.Errorf("synchronous run:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"GetItem", "PutItem"}, p.counting(run("false"))); diff != "" {
		t.Errorf("accepting a run:\n%s", diff)
	}
	if diff := cmp.Diff(
		[]string{"GetItem", "GetItem", "TransactWriteItems", "PutItem", "DeleteItem"}, p.counting(func() { p.deliver(t) }),
	); diff != "" {
		t.Errorf("working on a run:\n%s", diff)
	}
	run("false")()
	if diff := cmp.Diff(
		[]string{"GetItem", "TransactWriteItems", "PutItem", "DeleteItem"}, p.counting(func() { p.deliver(t) }),
	); diff != "" {
		t.Errorf("working on the next run of the same function:\n%s", diff)
	}
	list := p.counting(func() { p.jobsOf(t, "status=fulfilled") })
	if diff := cmp.Diff([]string{"GetItem", "Query", "GetItem", "PutItem", "GetItem"}, list); diff != "" {
		t.Errorf("first list:\n%s", diff)
	}
}
