package api_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/job/callback"
	"minicloud/shared/sandbox"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/depth"
)

// receiver is a fake receiver that records the callbacks.
type receiver struct {
	got    []posted
	status int
	after  time.Duration
	err    error
}

type posted struct {
	url, body string
	header    http.Header
}

func (r *receiver) Send(_ context.Context, q delivery.Request) (delivery.Answer, error) {
	header := http.Header{}
	for name, text := range q.Headers {
		header.Set(name, text)
	}
	r.got = append(r.got, posted{url: q.URL, body: q.Body, header: header})
	if r.err != nil {
		return delivery.Answer{}, r.err
	}
	return delivery.Answer{Status: r.status, RetryAfter: r.after}, nil
}

// keySealer is a fake that seals a key by prefixing the text that it is bound to.
type keySealer struct{ sealed.Sealer }

func (keySealer) NewKey(_ context.Context, bound string) (clear, sealed []byte, err error) {
	clear = make([]byte, 32)
	rand.Read(clear)
	return clear, append([]byte(bound+"|"), clear...), nil
}

func (keySealer) OpenKey(_ context.Context, bound string, sealed []byte) ([]byte, error) {
	clear, ok := bytes.CutPrefix(sealed, []byte(bound+"|"))
	if !ok {
		return nil, errors.New("bound to another")
	}
	return clear, nil
}

// signedDepths is a fake that signs callback depths without a key.
type signedDepths struct{}

func (signedDepths) DepthHeader(_ context.Context, _ tenant.AppID, depth int) (string, error) {
	return fmt.Sprint(depth, ".signed"), nil
}

// started runs pay asynchronously with a callback and returns the URL path of its job.
func (p *platform) started(t *testing.T, more string) string {
	t.Helper()
	body := `{"data":{},"sync":false,"callback_url":"https://a.example/done"` + more + `}`
	answer := p.play(t, step{method: "POST", path: functions + "pay/job/", body: body, status: 200})
	return fmt.Sprintf("%spay/job/%d/", functions, decode[struct {
		ID int64 `json:"job_id"`
	}](t, answer).ID)
}

// settle delivers queued messages for ten rounds, so that messages sent by a delivery are delivered too.
func (p *platform) settle(t *testing.T) {
	t.Helper()
	for range 10 {
		p.deliver(t)
	}
}

// callbackOf returns the callback member of a job as JSON.
func (p *platform) callbackOf(t *testing.T, path string) string {
	t.Helper()
	return string(decode[struct{ Callback json.RawMessage }](t, p.play(t, step{method: "GET", path: path, status: 200})).Callback)
}

// TestCallbackCarriesSignedResult: a callback is signed with the owner's key.
func TestCallbackCarriesSignedResult(t *testing.T) {
	p := withFunction(t)
	p.now = time.Now() // the verification library always uses the system clock
	made := p.play(t, step{method: "POST", path: "/oserve/v1.3/callback-key/", body: `{}`, status: 200})
	key := decode[struct{ Key string }](t, made).Key
	if len(key) != 32 {
		t.Fatal(made)
	}
	path := p.started(t, "")
	if got := p.callbackOf(t, path); !strings.Contains(got, `"url":"https://a.example/done","status":"pending","attempts":0`) {
		t.Errorf("before the end: %s", got)
	}
	p.settle(t)

	if len(p.receiver.got) != 1 {
		t.Fatalf("%d were told", len(p.receiver.got))
	}
	one := p.receiver.got[0]
	told := decode[map[string]any](t, one.body)
	if one.url != "https://a.example/done" || !strings.Contains(path, fmt.Sprintf("/%.0f/", told["job_id"])) ||
		!strings.Contains(one.body, `"function_name":"pay","status":"fulfilled","code":0,"data":{"pong":true},"error":{}`) {
		t.Errorf("%s: %s", one.url, one.body)
	}
	if got := one.header.Get(depth.Header); got != "1.signed" {
		t.Errorf("the callback of a caller's run has the depth %q", got)
	}
	verifier, err := standardwebhooks.NewWebhookRaw([]byte(key))
	if err == nil {
		err = verifier.Verify([]byte(one.body), one.header)
	}
	if err != nil || one.header.Get("webhook-id") != fmt.Sprintf("job-%.0f", told["job_id"]) {
		t.Errorf("%v, %v", err, one.header)
	}
	want := `{"url":"https://a.example/done","status":"delivered","attempts":1,"status_code":200,"error":null,"next_attempt_at":null}`
	if got := p.callbackOf(t, path); got != want {
		t.Errorf("afterwards: %s", got)
	}

	// During the overlap, both the old and the new key sign.
	next := decode[struct{ Key string }](t, p.play(t, step{method: "POST", path: "/oserve/v1.3/callback-key/", status: 200})).Key
	p.started(t, "")
	p.settle(t)
	for _, key := range []string{key, next} {
		verifier, err := standardwebhooks.NewWebhookRaw([]byte(key))
		if err == nil {
			err = verifier.Verify([]byte(p.receiver.got[1].body), p.receiver.got[1].header)
		}
		if err != nil || next == "" {
			t.Error(err)
		}
	}
	p.pass(callback.KeyOverlap + time.Millisecond) // two keys made at the same time are a millisecond apart
	p.started(t, "")
	p.settle(t)
	if n := len(strings.Fields(p.receiver.got[2].header.Get("webhook-signature"))); n != 1 {
		t.Errorf("a day later %d keys sign", n)
	}
}

// TestEveryTerminalStateSendsCallback: also for functions that fail, and for runs that are rejected, cancelled, or
// lose their worker.
func TestEveryTerminalStateSendsCallback(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(p *platform)
		want string
	}{
		"threw": {
			func(p *platform) {
				p.gives(sandbox.Result{
					Outcome: sandbox.OutcomeExecutionFailed, Error: &sandbox.Error{Type: "TypeError", Message: "x"},
				}, nil)
				p.started(t, "")
			}, `"status":"execution_failed","code":1,"data":null,"error":{"message":"x","type":"TypeError"}`,
		},
		"cancelled": {
			func(p *platform) {
				path := p.started(t, fmt.Sprintf(`,"run_at":%d`, p.time().Add(time.Hour).Unix()))
				p.play(t, step{method: "DELETE", path: path, status: 204})
			}, `"status":"execution_rejected","code":1,"data":null,"error":{"message":"the job was cancelled","type":"RejectedError"}`,
		},
		"deleted": {
			func(p *platform) {
				p.started(t, "")
				p.play(t, step{method: "DELETE", path: functions + "pay/", status: 204})
			}, `"status":"execution_rejected"`,
		},
		"worker died": {
			func(p *platform) {
				p.gives(sandbox.Result{}, nil)
				p.runner.run = func(sandbox.Request) (sandbox.Result, error) { panic("dies") }
				p.started(t, "")
				func() {
					defer func() { recover() }()
					p.deliver(t)
				}()
				p.queue.take()
				p.pass(2 * time.Minute)
				if _, err := p.jobs.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
			}, `"status":"execution_failed","code":1,"data":null,"error":{"message":"the run was lost`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := withFunction(t)
			c.run(p)
			p.settle(t)
			if len(p.receiver.got) != 1 || !strings.Contains(p.receiver.got[0].body, c.want) ||
				p.receiver.got[0].header.Get("webhook-signature") != "" {
				t.Errorf("%+v", p.receiver.got)
			}
		})
	}
}

// TestCallbackRetriesForThreeDays: retries follow the schedule of webhooks and keep one id; a lost message changes
// nothing.
func TestCallbackRetriesForThreeDays(t *testing.T) {
	p := withFunction(t)
	p.receiver.status = 503
	path := p.started(t, "")
	p.deliver(t)   // runs
	p.queue.take() // the message that requests the callback is lost
	begun := p.time()
	var waits []time.Duration
	for len(waits) < 11 && p.time().Before(begun.Add(100*time.Hour)) {
		before := len(p.receiver.got)
		if _, err := p.jobs.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		delays := p.queue.delay
		for i, m := range p.queue.take() {
			if i < len(delays) && m.Callback {
				p.pass(delays[i])
			}
			if err := p.jobs.Work(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		if len(p.receiver.got) > before {
			waits = append(waits, p.time().Sub(begun).Round(time.Second))
		}
		p.pass(30 * time.Second << min(len(waits), 6)) // later attempts are hours apart
	}
	if len(p.receiver.got) != 11 || waits[0] > 2*time.Minute || waits[10] < 60*time.Hour || waits[10] > 95*time.Hour {
		t.Fatalf("%d attempts, after %v", len(p.receiver.got), waits)
	}
	for _, one := range p.receiver.got {
		if one.header.Get("webhook-id") != p.receiver.got[0].header.Get("webhook-id") || one.body != p.receiver.got[0].body {
			t.Errorf("%+v", one)
		}
	}
	if got := p.callbackOf(t, path); !strings.Contains(got, `"status":"failed","attempts":11,"status_code":503,"error":"a.example answered 503","next_attempt_at":null`) {
		t.Error(got)
	}
}

// TestCallbackEndsAndDelays: the responses that end a callback, and the responses that delay it.
func TestCallbackEndsAndDelays(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		after  time.Duration
		err    error
		want   string
	}{
		"created":   {status: 201, want: `"status":"delivered","attempts":1,"status_code":201,"error":null`},
		"gone":      {status: 410, want: `"status":"failed","attempts":1,"status_code":410`},
		"redirect":  {status: 302, want: `"status":"pending","attempts":1,"status_code":302`},
		"forbidden": {err: errs.Invalid("a.example is no public address"), want: `"status":"failed","attempts":1,"status_code":null,"error":"a.example is no public address"`},
		"dead":      {err: errs.Timeout("a.example did not answer within 5s"), want: `"status":"pending","attempts":1,"status_code":null,"error":"a.example did not answer within 5s"`},
		"busy": {status: 503, after: time.Hour, want: fmt.Sprintf(`"next_attempt_at":%d`,
			time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC).Unix())},
	} {
		t.Run(name, func(t *testing.T) {
			p := withFunction(t)
			p.receiver.status, p.receiver.after, p.receiver.err = c.status, c.after, c.err
			path := p.started(t, "")
			p.deliver(t)
			p.deliver(t)
			if got := p.callbackOf(t, path); len(p.receiver.got) != 1 || !strings.Contains(got, c.want) {
				t.Errorf("%d told: %s, want %s", len(p.receiver.got), got, c.want)
			}
		})
	}
}

func TestRunWithoutCallbackCostsNothingExtra(t *testing.T) {
	p := withFunction(t)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{},"sync":false}`, status: 200})
	p.settle(t)
	if len(p.receiver.got) != 0 {
		t.Errorf("told: %v", p.receiver.got)
	}
	if held := p.queue.take(); len(held) != 0 {
		t.Errorf("messages %v", held)
	}
}
