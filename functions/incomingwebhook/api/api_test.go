package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"minicloud/functions/incomingwebhook/api"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/oauth"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/tenant"
	"minicloud/shared/trace/depth"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/hook"
)

var (
	noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop = tenant.Scope{App: 7, Env: tenant.Production}
)

const (
	hookID = "Ab3dE6gH9j"
	off    = "off3E6gH9j"
)

type platform struct {
	http.Handler
	hooks  *triggerdb.Triggers
	stream *dynamotest.Stream
	now    atomic.Int64 // Unix milliseconds
	reads  atomic.Int64 // number of reads of applications
}

// ours is the application whose webhook calls the hook; the hook belongs to another application.
var ours = app.Application{ID: 8, ClientID: "00000000000000000008", SigningKey: bytes.Repeat([]byte{8}, 32)}

// applications is a fake that counts reads.
type applications struct{ reads *atomic.Int64 }

func (a applications) ByHandle(_ context.Context, h app.Handle) (app.Application, error) {
	a.reads.Add(1)
	if h != ours.ClientID.Handle() {
		return app.Application{}, errs.NotFound("application not found")
	}
	return ours, nil
}

func newPlatform(t testing.TB) *platform {
	client := dynamotest.Start(t, "TriggersTable")
	p := &platform{hooks: &triggerdb.Triggers{Client: client, Table: "TriggersTable"}}
	p.now.Store(noon.UnixMilli())
	for i, name := range []string{hookID, off} {
		planted := trigger.Trigger{
			ID: trigger.ID(1 + i), Name: name, Enabled: name == hookID, Type: trigger.TypeIncomingWebhook,
			Condition: &trigger.HookCondition{}, HookID: name, Revision: 1,
		}
		if err := p.hooks.Insert(t.Context(), shop, planted, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	p.stream = dynamotest.OpenStream(t, client, "TriggersTable")
	p.stream.Take()

	ticking := func() time.Time { return time.UnixMilli(p.now.Load()) }
	group := &api.Group{
		Receiver: &hook.Receiver{Hooks: p.hooks, Clock: ticking, IDs: new(id.Source)},
		Depths:   &oauth.RunVerifier{Store: applications{&p.reads}, Clock: ticking},
	}
	p.Handler = (&httpapi.API{Routes: group.Routes(), Clock: clock.System}).Handler()
	return p
}

// call sends a request to a hook; headers alternates names and values.
func (p *platform) call(method, hook, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/oserve/v1/incoming-webhook/"+hook+"/", strings.NewReader(body))
	r.RemoteAddr = "203.0.113.7"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w
}

// fired returns the events that calls have caused since the last call of fired.
func (p *platform) fired(t testing.TB) (all []trigger.Event) {
	t.Helper()
	for _, record := range p.stream.Take() {
		e, ok, err := triggerdb.CallEvent(t.Context(), record)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			all = append(all, e)
		}
	}
	return all
}

// TestStoresCallsAsEvents: each of the five methods stores the record of the contract.
func TestStoresCallsAsEvents(t *testing.T) {
	p := newPlatform(t)
	for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		w := p.call(method, hookID, ` {"n": 1, "of":["x", 1e300]}`,
			"Content-Type", "text/plain", "X-Service-From", "café", "x_service_who", "me", "Cookie", "no", "User-Agent", "curl")
		if w.Code != 200 || w.Body.String() != `{"status":"ok"}` {
			t.Fatalf("%s: %d %s", method, w.Code, w.Body)
		}
		got := p.fired(t)
		if len(got) != 1 || got[0].Scope != shop || got[0].IndexKey() != "hook#"+hookID || got[0].Depth != 0 {
			t.Fatalf("%s fired %+v", method, got)
		}
		text, err := json.Marshal(got[0].Payload)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"_id":%q,"meta":{"headers":{"CONTENT_LENGTH":"","CONTENT_TYPE":"text/plain",`+
			`"HOST":"example.com","USER_AGENT":"curl","X_SERVICE_FROM":"café","X_SERVICE_WHO":"me"},`+
			`"remote_address":"203.0.113.7","request_method":%q},"payload":{"n":1,"of":["x",1e+300]}}`, got[0].Subject, method)
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Error(diff)
		}
		p.now.Add(1000)
	}

	for _, body := range []string{"", " \n"} {
		if w := p.call("GET", hookID, body); w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if got := p.fired(t); len(got) != 1 || !cmp.Equal(got[0].Payload["payload"], map[string]any{}) {
			t.Errorf("a call without body has %v", got)
		}
	}
	if w := p.call("POST", hookID, `[1]`, "X-Service-Trace-Id", "JK=", "X-Service-Webhook-Action-Id", "run-1"); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := p.fired(t); len(got) != 1 || got[0].Trace != "JK=" || got[0].Cause != "run-1" {
		t.Errorf("what an action calls is of its trace: %v", got)
	}
}

// TestReadsSignedDepthOnly: the depth counts if this platform signed it, for this application or another; unsigned
// requests, and signatures older than a day, start at 0.
func TestReadsSignedDepthOnly(t *testing.T) {
	p := newPlatform(t)
	signed := oauth.DepthHeader(ours, 7, noon)
	stranger := ours
	stranger.SigningKey = bytes.Repeat([]byte{9}, 32)
	second, other := time.Duration(0), ours
	other.ClientID = "99999999990000000009"
	for name, c := range map[string]struct {
		header string
		at     time.Duration // after noon
		want   int
	}{
		"signed":               {signed, 0, 7},
		"signed, above all":    {oauth.DepthHeader(ours, 99, noon), 0, trigger.MaxDepth},
		"a day later":          {signed, 24 * time.Hour, 0},
		"absent":               {"", 0, 0},
		"a number":             {"7", 0, 0},
		"changed":              {"1" + strings.TrimPrefix(signed, "7"), 0, 0},
		"by another key":       {oauth.DepthHeader(stranger, 7, noon), 0, 0},
		"by nobody we know":    {oauth.DepthHeader(other, 7, noon), 0, 0},
		"longer":               {signed + ".x", 0, 0},
		"longer than any":      {signed + strings.Repeat("x", 200), 0, 0},
		"a later end":          {strings.Replace(signed, ".179", ".189", 1), 25 * time.Hour, 0},
		"a depth that is none": {"x" + strings.TrimPrefix(signed, "7"), 0, 0},
	} {
		second += time.Second // the limit is five calls per second
		p.now.Store(noon.Add(c.at + second).UnixMilli())
		if w := p.call("POST", hookID, `[1]`, depth.Header, c.header); w.Code != 200 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
		if got := p.fired(t); len(got) != 1 || got[0].Depth != c.want {
			t.Errorf("%s: %v, want depth %d", name, got, c.want)
		}
	}
}

// TestSkipsDepthOfRefusedCalls: only a stored call reads the key that signed its depth.
func TestSkipsDepthOfRefusedCalls(t *testing.T) {
	p := newPlatform(t)
	forged := oauth.DepthHeader(app.Application{ClientID: "99999999990000000009"}, 7, noon)
	for _, c := range []struct {
		hook, body string
		status     int
		reads      int64
	}{
		{"none56gH9j", `1`, 404, 0}, {off, `1`, 404, 0}, {hookID, `{`, 400, 0}, {hookID, `1`, 200, 1},
	} {
		p.reads.Store(0)
		w := p.call("POST", c.hook, c.body, depth.Header, forged)
		if n := p.reads.Load(); w.Code != c.status || n != c.reads {
			t.Errorf("%s %s: %d, %d reads of applications", c.hook, c.body, w.Code, n)
		}
	}
}

// TestRefusedCallsFireNothing: the response says what is wrong, and the hook's owner sees the call without its
// content.
func TestRefusedCallsFireNothing(t *testing.T) {
	many := []string{}
	for i := range 51 {
		many = append(many, fmt.Sprint("X-Service-", i), "x")
	}
	for name, tt := range map[string]struct {
		method, hook, body string
		headers            []string
		status             int
		says               string
	}{
		"unknown":           {"POST", "Ab3dE6gH9k", "", nil, 404, "Ab3dE6gH9k"},
		"disabled":          {"POST", off, "", nil, 404, off},
		"HEAD":              {"HEAD", hookID, "", nil, 405, ""},
		"OPTIONS":           {"TRACE", hookID, "", nil, 405, "TRACE"},
		"no JSON":           {"POST", hookID, "a=b", nil, 400, "not valid JSON"},
		"two values":        {"PUT", hookID, "{} {}", nil, 400, "more after"},
		"a key twice":       {"POST", hookID, `{"a":1,"a":2}`, nil, 400, "a"},
		"no UTF-8":          {"POST", hookID, "\"\xff\"", nil, 400, "UTF-8"},
		"257 KB":            {"POST", hookID, `"` + strings.Repeat("x", 256<<10) + `"`, nil, 400, "256 KB"},
		"6 MB":              {"POST", hookID, `"` + strings.Repeat("x", 6<<20) + `"`, nil, 400, "256 KB"},
		"number too large":  {"POST", hookID, `{"n":[1e999]}`, nil, 400, "1e999"},
		"compressed":        {"POST", hookID, "{}", []string{"Content-Encoding", "gzip"}, 400, "gzip"},
		"a header twice":    {"POST", hookID, "{}", []string{"X-Service-A", "1", "X_Service_A", "2"}, 400, "twice"},
		"control in value":  {"POST", hookID, "{}", []string{"X-Service-A", "1\x002"}, 400, "X_SERVICE_A"},
		"no text in value":  {"POST", hookID, "{}", []string{"X-Service-A", "\xff"}, 400, "X_SERVICE_A"},
		"hostile name":      {"POST", hookID, "{}", []string{"X-Service-<b>", "1"}, 400, "letters"},
		"too many headers":  {"POST", hookID, "{}", many, 400, "50"},
		"too large headers": {"POST", hookID, "{}", []string{"X-Service-A", strings.Repeat("x", 9<<10)}, 400, "8 KB"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlatform(t)
			w := p.call(tt.method, tt.hook, tt.body, tt.headers...)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if got := p.fired(t); len(got) > 0 {
				t.Errorf("fired %v", got)
			}

			calls, err := p.hooks.Calls(t.Context(), shop, 1)
			if err != nil {
				t.Fatal(err)
			}
			if shown := tt.status == 400; len(calls) != map[bool]int{true: 1}[shown] {
				t.Errorf("the owner sees %v", calls)
			}
			for _, c := range calls {
				if c.Fired || c.Reason == "" || len(c.Headers) > 0 {
					t.Errorf("the owner sees %+v", c)
				}
			}
		})
	}
}

// TestTakesFiveCallsPerSecond: the limit holds across programs, and each second allows five more.
func TestTakesFiveCallsPerSecond(t *testing.T) {
	p := newPlatform(t)
	for second := range 3 {
		var taken, refused atomic.Int32
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				switch w := p.call("POST", hookID, "{}"); {
				case w.Code == 200:
					taken.Add(1)
				case w.Code == 429 && w.Header().Get("Retry-After") == "1":
					refused.Add(1)
				default:
					t.Errorf("%d %s", w.Code, w.Body)
				}
			})
		}
		callers.Wait()
		if got := p.fired(t); taken.Load() != 5 || refused.Load() != 15 || len(got) != 5 {
			t.Errorf("second %d: %d taken, %d refused, %d fired", second, taken.Load(), refused.Load(), len(got))
		}
		p.now.Add(1000)
	}

	calls, err := p.hooks.Calls(t.Context(), shop, 1)
	if err != nil || len(calls) != 18 || calls[0].At < calls[17].At {
		t.Errorf("%d calls are shown, %v", len(calls), err)
	}
}

// TestUsesCallerAddressBehindGateway: the event has the caller's address, not the gateway's; browsers may call from
// any page.
func TestUsesCallerAddressBehindGateway(t *testing.T) {
	p := newPlatform(t)
	event := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RawPath: "/oserve/v1/incoming-webhook/" + hookID + "/", Body: "eyJhIjoxfQ==", IsBase64Encoded: true,
		Headers: map[string]string{"content-length": "7", "origin": "https://shop.example", "host": "api.example"},
	}
	event.RequestContext.HTTP.Method, event.RequestContext.HTTP.SourceIP = "POST", "203.0.113.9"
	event.RequestContext.HTTP.Path = event.RawPath
	answer, err := lambdahttp.Adapt(p)(t.Context(), event)
	if err != nil || answer.StatusCode != 200 || answer.Headers["Access-Control-Allow-Origin"] != "*" {
		t.Fatalf("%+v, %v", answer, err)
	}
	got := p.fired(t)
	if len(got) != 1 {
		t.Fatalf("fired %v", got)
	}
	meta := got[0].Payload["meta"].(map[string]any)
	headers := meta["headers"].(map[string]any)
	if meta["remote_address"] != "203.0.113.9" || headers["CONTENT_LENGTH"] != "7" || headers["HOST"] == "" {
		t.Errorf("meta is %v", meta)
	}

	w := p.call(
		"OPTIONS", hookID, "", "Origin", "https://shop.example", "Access-Control-Request-Headers",
		"X_SERVICE_A, x-service-b, cookie",
	)
	if got := w.Header().Get("Access-Control-Allow-Headers"); w.Code != 204 ||
		!strings.Contains(got, "X_service_a, X-Service-B") {
		t.Errorf("%d allows %q", w.Code, got)
	}
}
