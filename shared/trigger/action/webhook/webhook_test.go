package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"minicloud/shared/delivery"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/webhook"
	"minicloud/shared/trigger/run"
)

const (
	oldKey = "0123456789abcdefghijklmnopqrstUV"
	newKey = "VUtsrqponmlkjihgfedcba9876543210"
)

var shop = tenant.Scope{App: 7, Env: tenant.Production}

// plain is a fake sealer that does not encrypt.
type plain struct{}

func (plain) NewKey(context.Context, string) (clear, sealed []byte, err error) {
	return []byte("d"), []byte("d"), nil
}
func (plain) OpenKey(context.Context, string, []byte) ([]byte, error) { return []byte("d"), nil }
func (plain) Encrypt(_ []byte, _, text string) ([]byte, error)        { return []byte(text), nil }
func (plain) Decrypt(_ []byte, _ string, sealed []byte) (string, error) {
	return string(sealed), nil
}

// desk is a doer with a fake receiver, fake rates and a fake store of receivers.
type desk struct {
	webhook.Doer
	now    time.Time
	answer delivery.Answer
	err    error
	wait   time.Duration // returned by the rate limiter

	mu      sync.Mutex
	failing map[trigger.ActionID]trigger.Failing
	slow    map[trigger.ActionID]time.Time
	sent    []delivery.Request
	taken   int
	writes  []string
}

func newDesk() *desk {
	d := &desk{
		now: time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC), answer: delivery.Answer{Status: 200, Body: "ok"},
		failing: map[trigger.ActionID]trigger.Failing{}, slow: map[trigger.ActionID]time.Time{},
	}
	d.Doer = webhook.Doer{
		Sealer: plain{}, Depths: d, Sender: d, Rates: d, Endpoints: d,
		Clock: func() time.Time { return d.now },
	}
	return d
}

// DepthHeader implements webhook.Depths, without a signature.
func (d *desk) DepthHeader(_ context.Context, of tenant.AppID, depth int) (string, error) {
	return fmt.Sprintf("%d.%d", depth, of), nil
}

func (d *desk) Send(_ context.Context, r delivery.Request) (delivery.Answer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent = append(d.sent, r)
	if d.err != nil {
		return delivery.Answer{}, d.err
	}
	return d.answer, nil
}

func (d *desk) Take(
	context.Context, tenant.Scope, trigger.ID, trigger.ActionID, int, time.Time,
) (time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken++
	return d.wait, nil
}

func (d *desk) Failed(
	_ context.Context, _ tenant.Scope, _ trigger.ID, a trigger.ActionID, at time.Time, missed bool,
) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.failing[a]
	if f.Since.IsZero() {
		f.Since = at
	}
	if missed {
		f.Misses, f.MissedAt = f.Misses+1, at
	} else {
		f.Misses, f.MissedAt = 0, time.Time{}
	}
	d.failing[a] = f
	d.writes = append(d.writes, fmt.Sprintf("failed %v", missed))
	return nil
}

func (d *desk) Probe(
	_ context.Context, _ tenant.Scope, _ trigger.ID, a trigger.ActionID, seen trigger.Failing, at time.Time,
) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes = append(d.writes, "probe")
	f := d.failing[a]
	if !f.MissedAt.Equal(seen.MissedAt) {
		return false, nil
	}
	f.MissedAt = at
	d.failing[a] = f
	return true, nil
}

func (d *desk) Slow(
	_ context.Context, _ tenant.Scope, _ trigger.ID, a trigger.ActionID, until time.Time,
) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes = append(d.writes, "slow")
	d.slow[a] = until
	return nil
}

func (d *desk) Recovered(_ context.Context, _ tenant.Scope, _ trigger.ID, a trigger.ActionID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes = append(d.writes, "recovered")
	delete(d.failing, a)
	return nil
}

// work returns a run of action a, with the current trigger.
func (d *desk) work(a trigger.ActionID, url string) action.Work {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := trigger.Event{
		ID: "e", Scope: shop, Type: trigger.TypeTable, Kind: trigger.OnUpdate, At: d.now, Depth: 2, Trace: "trace-1",
		Payload: map[string]any{"title": "Emma", "out": "1815-12-23T08:00:00+08:00", "_version": 2.0},
		Dates:   []string{"out"},
	}
	act := trigger.Action{ID: a, Type: trigger.Webhook, Settings: &trigger.WebhookSettings{URL: url}}
	return action.Work{
		Run: run.Run{ID: run.IDOf(shop, 3, "e", a), Scope: shop, Trigger: 3, Action: a, Event: e}, Attempt: 1,
		Trigger: trigger.Trigger{
			ID: 3, Actions: []trigger.Action{act}, Failing: maps.Clone(d.failing), Slow: maps.Clone(d.slow),
			Secrets: &trigger.Secrets{
				DataKey: []byte("d"), Keys: map[trigger.ActionID]trigger.Key{a: {Current: []byte(oldKey)}},
			},
		},
		Action: act,
	}
}

// do executes the work, in the slow queue if the doer moves it there.
func (d *desk) do(t *testing.T, w action.Work) (action.Result, *action.Failure) {
	t.Helper()
	result, err := d.Do(t.Context(), w)
	if err == nil && result.Unfinished && result.Slow && !w.Slow {
		w.Slow = true
		result, err = d.Do(t.Context(), w)
	}
	if err == nil {
		return result, nil
	}
	f, ok := err.(*action.Failure)
	if !ok {
		t.Fatalf("%v is no action.Failure", err)
	}
	return result, f
}

// opened returns the claims that an independent library reads from a body, if the key is correct.
func opened(body, key string) (map[string]any, error) {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(body, claims, func(*jwt.Token) (any, error) { return []byte(key), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithoutClaimsValidation())
	return claims, err
}

// verified reports whether an independent library accepts the webhook-signature of a request.
func verified(r delivery.Request, key string) error {
	w, err := standardwebhooks.NewWebhookRaw([]byte(key))
	if err != nil {
		return err
	}
	header := http.Header{}
	for name, text := range r.Headers {
		header.Set(name, text)
	}
	return w.VerifyIgnoringTimestamp([]byte(r.Body), header)
}

func TestIndependentLibrariesVerify(t *testing.T) {
	d := newDesk()
	w := d.work(4, "https://books.example/hook")
	result, failure := d.do(t, w)
	if failure != nil || result.StatusCode != 200 || result.Response != "ok" || len(d.sent) != 1 || len(d.writes) != 0 {
		t.Fatalf("%+v %v, sent %v, written %v", result, failure, d.sent, d.writes)
	}

	r := d.sent[0]
	claims, err := opened(r.Body, oldKey)
	want := map[string]any{"title": "Emma", "out": -4860604800.0, "_version": 2.0}
	if diff := cmp.Diff(want, claims); err != nil || diff != "" {
		t.Errorf("claims: %v (-want +got):\n%s", err, diff)
	}
	head, _, err := jwt.NewParser().ParseUnverified(r.Body, jwt.MapClaims{})
	if err != nil || !cmp.Equal(head.Header, map[string]any{"alg": "HS256", "typ": "JWT"}) {
		t.Errorf("header %v: %v", head.Header, err)
	}
	if err := verified(r, oldKey); err != nil {
		t.Error(err)
	}
	if _, err := opened(r.Body, newKey); err == nil || verified(r, newKey) == nil {
		t.Error("another key opens it")
	}
	changed := r
	changed.Body = strings.Replace(r.Body, ".", ".e", 1)
	if verified(changed, oldKey) == nil {
		t.Error("a changed body is verified")
	}

	for name, want := range map[string]string{
		"Content-Type": "application/jwt", "X-Service-Webhook-Action-Id": w.Run.ID, "webhook-id": w.Run.ID,
		"X-Service-Trigger-Event": "on_update", "X-Service-Trigger-Depth": "3.7", "X-Service-Trace-Id": "trace-1",
		"webhook-timestamp": fmt.Sprint(d.now.Unix()),
	} {
		if r.Headers[name] != want {
			t.Errorf("%s: %q, want %q", name, r.Headers[name], want)
		}
	}
}

// TestRotatedKeysOverlap checks that the new key only adds a signature until its time, and that the old key is invalid
// from then on (G24).
func TestRotatedKeysOverlap(t *testing.T) {
	d := newDesk()
	at := d.now.Add(48 * time.Hour)
	for _, c := range []struct {
		when             time.Duration
		body, no         string
		oldSigns, single bool
	}{
		{0, oldKey, newKey, true, false},
		{48*time.Hour - time.Second, oldKey, newKey, true, false},
		{48 * time.Hour, newKey, oldKey, false, true},
		{480 * time.Hour, newKey, oldKey, false, true},
	} {
		d.now = at.Add(-48 * time.Hour).Add(c.when)
		w := d.work(4, "https://books.example/hook")
		w.Trigger.Secrets.Keys[4] = trigger.Key{Current: []byte(oldKey), Next: []byte(newKey), NextAt: at.Unix()}
		if _, failure := d.do(t, w); failure != nil {
			t.Fatal(failure)
		}

		r := d.sent[len(d.sent)-1]
		if _, err := opened(r.Body, c.body); err != nil {
			t.Errorf("after %v: %v", c.when, err)
		}
		if _, err := opened(r.Body, c.no); err == nil {
			t.Errorf("after %v: the other key opens the body", c.when)
		}
		if err := verified(r, newKey); err != nil {
			t.Errorf("after %v: the new key does not sign along: %v", c.when, err)
		}
		if (verified(r, oldKey) == nil) != c.oldSigns || strings.Contains(r.Headers["webhook-signature"], " ") == c.single {
			t.Errorf("after %v: signatures %s", c.when, r.Headers["webhook-signature"])
		}
		d.now = at.Add(-48 * time.Hour)
	}
}

// TestSendsBatch checks the claims of each event and the largest depth.
func TestSendsBatch(t *testing.T) {
	d := newDesk()
	w := d.work(4, "https://books.example/hook")
	second := w.Run.Event
	second.Depth, second.Payload = 5, map[string]any{"title": "Persuasion", "out": nil}
	w.Events = []trigger.Event{w.Run.Event, second}
	if _, failure := d.do(t, w); failure != nil {
		t.Fatal(failure)
	}
	claims, err := opened(d.sent[0].Body, oldKey)
	text, _ := json.Marshal(claims)
	const want = `{"events":[{"_version":2,"out":-4860604800,"title":"Emma"},{"out":null,"title":"Persuasion"}]}`
	if err != nil || string(text) != want || d.sent[0].Headers["X-Service-Trigger-Depth"] != "6.7" {
		t.Errorf("%s %v, depth %s", text, err, d.sent[0].Headers["X-Service-Trigger-Depth"])
	}
}

// TestVerdictsOfStatuses checks each status, and each error without an answer.
func TestVerdictsOfStatuses(t *testing.T) {
	for status := 200; status <= 599; status++ {
		d := newDesk()
		d.answer = delivery.Answer{Status: status, Body: "body", RetryAfter: 90 * time.Second}
		result, f := d.do(t, d.work(4, "https://books.example/hook"))
		if result.StatusCode != status || result.Response != "body" {
			t.Fatalf("%d: the log gets %+v", status, result)
		}
		switch {
		case status < 300:
			if f != nil || len(d.writes) != 0 {
				t.Errorf("%d: %v, written %v", status, f, d.writes)
			}
		case status == 410:
			if f == nil || !f.Permanent || !f.Disable || f.Type != "gone" {
				t.Errorf("410: %+v", f)
			}
		default:
			if f == nil || f.Permanent || f.Type != "status" || f.After != 90*time.Second ||
				!strings.Contains(f.Message, fmt.Sprint("books.example answered ", status)) {
				t.Errorf("%d: %+v", status, f)
			}
		}
	}

	for _, c := range []struct {
		err       error
		kind      string
		permanent bool
	}{
		{errs.Invalid("host %q has a forbidden address (private address)", "a"), "target", true},
		{errs.Timeout("a did not answer within 5s"), "timeout", false},
		{errs.Unavailable(0, "a refused the connection"), "unreachable", false},
	} {
		d := newDesk()
		d.err = c.err
		_, f := d.do(t, d.work(4, "https://books.example/hook"))
		if f == nil || f.Type != c.kind || f.Permanent != c.permanent || f.Message != c.err.Error() || f.Disable {
			t.Errorf("%v: %+v", c.err, f)
		}
	}

	d := newDesk()
	d.err = context.Canceled // says nothing about the receiver
	if _, err := d.Do(t.Context(), d.work(4, "https://a.example")); err != context.Canceled || len(d.writes) > 0 {
		t.Errorf("%v, written %v", err, d.writes)
	}
}

func TestRetryAfterIsCapped(t *testing.T) {
	d := newDesk()
	d.answer = delivery.Answer{Status: 503, RetryAfter: 365 * 24 * time.Hour}
	if _, f := d.do(t, d.work(4, "https://books.example/")); f == nil || f.After != 24*time.Hour {
		t.Errorf("%+v", f)
	}
}

func TestMissingKeyFailsForGood(t *testing.T) {
	d := newDesk()
	w := d.work(4, "https://books.example/hook")
	w.Trigger.Secrets = nil
	if _, f := d.do(t, w); f == nil || !f.Permanent || f.Type != "no_key" || len(d.sent) > 0 {
		t.Errorf("%+v, sent %v", f, d.sent)
	}
}

// TestRateDelaysRequests checks that waiting for the rate is not an attempt.
func TestRateDelaysRequests(t *testing.T) {
	d := newDesk()
	w := d.work(4, "https://books.example/hook")
	if d.do(t, w); d.taken != 0 {
		t.Error("a webhook without a rate asked for a place")
	}
	w.Action.Settings = &trigger.WebhookSettings{URL: "https://books.example/hook", RatePerSecond: 5}
	d.wait = 1700 * time.Millisecond
	result, f := d.do(t, w)
	if f != nil || !result.Unfinished || result.After != d.wait || len(d.sent) != 1 {
		t.Errorf("%+v %v, sent %d", result, f, len(d.sent))
	}
	d.wait = 0
	if result, f = d.do(t, w); f != nil || result.Unfinished || len(d.sent) != 2 {
		t.Errorf("%+v %v, sent %d", result, f, len(d.sent))
	}
}
