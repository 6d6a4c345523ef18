package callback

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

var (
	shop    = tenant.Scope{App: 7, Env: tenant.Production}
	noon    = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	errDown = errors.New("no store")
	ended   = job.Record{ID: 4, Function: 1, Depth: 3}
)

// desk is a fake of the Store, the KeyStore and the receiver, with one callback and no key.
type desk struct {
	kept   Callback
	answer delivery.Answer
	failed error
	sent   []delivery.Request

	reads, keys, writes error // errors of its methods
}

func (d *desk) DepthHeader(_ context.Context, of tenant.AppID, depth int) (string, error) {
	return fmt.Sprint(of, " ", depth), nil
}

func (d *desk) Callback(context.Context, tenant.Scope, id.ID, id.ID) (Callback, error) {
	return d.kept, d.reads
}

func (d *desk) PutCallback(_ context.Context, _ tenant.Scope, old, next Callback) error {
	if d.writes != nil {
		return d.writes
	}
	if old.Attempts != d.kept.Attempts {
		return errs.Conflict("other attempts")
	}
	d.kept = next
	return nil
}

func (d *desk) Send(_ context.Context, r delivery.Request) (delivery.Answer, error) {
	d.sent = append(d.sent, r)
	return d.answer, d.failed
}

func (d *desk) CallbackKey(context.Context, tenant.Scope) (Key, error) {
	if d.keys != nil {
		return Key{}, d.keys
	}
	return Key{}, errs.NotFound("no key")
}

func (*desk) PutCallbackKey(context.Context, tenant.Scope, Key, time.Time) error { return nil }

func (d *desk) service(now time.Time) *Service {
	at := clock.Fixed(now)
	return &Service{Store: d, Keys: &Keys{Store: d, Clock: at}, Depths: d, Sender: d, Clock: at}
}

// TestStatusFollowsTheAnswer checks the status and the time of the next attempt for each response of the receiver.
func TestStatusFollowsTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		attempts int // before
		code     int
		failed   error
		status   Status
		why      string
	}{
		"done":           {0, 200, nil, Delivered, ""},
		"done, somehow":  {3, 299, nil, Delivered, ""},
		"no":             {0, 300, nil, Pending, "a.example answered 300, and redirects are not followed"},
		"in a minute":    {1, 503, nil, Pending, "a.example answered 503"},
		"gone":           {0, 410, nil, Failed, "a.example answered 410: it wants no more of this"},
		"forbidden":      {0, 0, errs.Invalid("no public address"), Failed, "no public address"},
		"no answer":      {0, 0, errs.Timeout("no answer within 5s"), Pending, "no answer within 5s"},
		"our fault":      {0, 0, errDown, Pending, "the platform failed"},
		"the last but 1": {9, 500, nil, Pending, "a.example answered 500"},
		"the last":       {10, 500, nil, Failed, "a.example answered 500"},
		"ours, the last": {10, 0, errDown, Failed, "the platform failed"},
	} {
		d := &desk{answer: delivery.Answer{Status: c.code}, failed: c.failed, kept: Callback{
			Function: 1, Job: 4, URL: "https://a.example:8443/", Status: Pending, Attempts: c.attempts,
			Result: json.RawMessage(`1`), Error: "before",
		}}
		s := d.service(noon)
		next, err := s.Deliver(t.Context(), shop, ended)
		if err != nil {
			t.Fatal(err)
		}

		got := d.kept
		if got.Status != c.status || got.Attempts != c.attempts+1 || got.Error != c.why || got.StatusCode != c.code ||
			(got.Result == nil) == (c.status == Pending) {
			t.Errorf("%s: %+v", name, got)
		}
		want := time.Duration(0)
		if c.status == Pending {
			want = got.Next.Sub(noon)
		}
		if next != want || (next == 0) == (c.status == Pending) {
			t.Errorf("%s: next in %v, want %v", name, next, want)
		}

		// A second message for the same attempt sends nothing.
		if next, err := s.Deliver(t.Context(), shop, ended); err != nil || next != 0 || len(d.sent) != 1 {
			t.Errorf("%s: %v, %d requests, next in %v", name, err, len(d.sent), next)
		}
	}
}

// TestErrorsRedeliverTheMessage checks which errors ask for redelivery; a missing callback does not.
func TestErrorsRedeliverTheMessage(t *testing.T) {
	for name, c := range map[string]struct {
		reads, keys, writes error
		ok                  bool
	}{
		"all is well":     {nil, nil, nil, true},
		"no callback":     {errs.NotFound("none"), nil, nil, true},
		"no store":        {errDown, nil, nil, false},
		"no keys":         {nil, errDown, nil, false},
		"another attempt": {nil, nil, errs.Conflict("other attempts"), true},
		"not written":     {nil, nil, errDown, false},
	} {
		d := &desk{kept: Callback{Status: Pending}, answer: delivery.Answer{Status: 503}}
		d.reads, d.keys, d.writes = c.reads, c.keys, c.writes
		_, err := d.service(noon).Deliver(t.Context(), shop, ended)
		if (err == nil) != c.ok || !c.ok && !errors.Is(err, errDown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHonoursRetryAfter checks that the next attempt is not before Retry-After or the schedule, and that the wait is at
// most a day.
func TestHonoursRetryAfter(t *testing.T) {
	for _, c := range []struct{ after, least, most time.Duration }{
		{0, 4 * time.Second, 7 * time.Second},
		{time.Hour, time.Hour, time.Hour + time.Second},
		{24 * time.Hour, 24 * time.Hour, 24*time.Hour + time.Second},
		{300 * time.Hour, 24 * time.Hour, 24*time.Hour + time.Second},
	} {
		d := &desk{
			kept:   Callback{Status: Pending, URL: "https://a.example/"},
			answer: delivery.Answer{Status: 503, RetryAfter: c.after},
		}
		wait, err := d.service(noon).Deliver(t.Context(), shop, ended)
		if err != nil || wait < c.least || wait > c.most {
			t.Errorf("a receiver that wants %v is called again after %v, %v", c.after, wait, err)
		}

		early := d.service(d.kept.Next.Add(-time.Second))
		if _, err := early.Deliver(t.Context(), shop, ended); err != nil || len(d.sent) != 1 {
			t.Errorf("%v, %d requests before its time", err, len(d.sent))
		}
	}
}

// TestRequestDescribesTheJob checks the body and the headers of Standard Webhooks.
func TestRequestDescribesTheJob(t *testing.T) {
	at := noon.Add(500 * time.Millisecond)
	r := job.Record{ID: id.First(at), Name: "f", Status: job.StatusFulfilled, FinishedAt: at.Add(time.Second), Depth: 3}
	r.Trace.ID = "t1"
	for want, c := range map[string]struct {
		change func(*job.Record)
		result string
	}{
		`"status":"fulfilled","code":0,"data":null,"error":{},"created_at":1795262400.5,"started_at":null,` +
			`"finished_at":1795262401.5}`: {func(*job.Record) {}, ""},
		`"code":0,"data":{"a":1},"error":{},"created_at":1795262400.5,"started_at":1795262401,"finished_at"`: {
			func(r *job.Record) { r.StartedAt = at.Add(500 * time.Millisecond) }, `{"a":1}`,
		},
		`"code":1,"data":null,"error":{"message":"x","type":"TypeError"},`: {func(r *job.Record) {
			r.Status, r.Error = job.StatusExecutionFailed, &sandbox.Error{Type: "TypeError", Message: "x"}
		}, ""},
	} {
		r := r
		c.change(&r)
		d := &desk{kept: Callback{Status: Pending, Result: json.RawMessage(c.result)}, answer: delivery.Answer{Status: 200}}
		if _, err := d.service(noon).Deliver(t.Context(), shop, r); err != nil {
			t.Fatal(err)
		}

		body, headers := d.sent[0].Body, d.sent[0].Headers
		prefix := fmt.Sprintf(`{"job_id":%d,"function_name":"f",`, r.ID)
		if !strings.Contains(body, want) || !strings.HasPrefix(body, prefix) {
			t.Errorf("%s, want %s", body, want)
		}
		if headers["webhook-id"] != fmt.Sprintf("job-%d", r.ID) || headers["Content-Type"] != "application/json" ||
			headers["X-Service-Trace-Id"] != "t1" || headers["X-Service-Trigger-Depth"] != "7 3" {
			t.Errorf("%v", headers)
		}
	}
}
