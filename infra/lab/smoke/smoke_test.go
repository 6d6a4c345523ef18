package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/scenario"
)

// TestSmoke plays the smoke test against a local cloud, whose minutes pass at once: behind a proxy that fails in the
// middle, and as it is. The second begins only where the first has removed its payment key.
func TestSmoke(t *testing.T) {
	c := cloudtest.Start(t)
	own := application{c.Credentials.ClientID, c.Credentials.ClientSecret, string(c.Credentials.Environments["test"])}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick(ctx, t, c.URL)
	}()
	defer func() { cancel(); <-done }()

	for _, tt := range []struct{ name, base, fails string }{
		{"fails at the payment", failing(t, c, "/hserve/v1/pay/notify/"), "notify a payment of 0.01 as its vendor does"},
		{"passes", c.URL, ""},
	} {
		var out bytes.Buffer
		err := smoke(t.Context(), &out, tt.base, own)
		if (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Fatalf("%s: %v, want a failure of %q\n%s", tt.name, err, tt.fails, out.String())
		}
		if tt.fails != "" && !strings.Contains(out.String(), "FAILED") {
			t.Errorf("%s: printed %s", tt.name, out.String())
		}
	}
	tidied(t, c, own)
}

// nothingLeft asks for what the story makes, and expects none.
const nothingLeft = `
### no function is left
GET /oserve/v1.3/cloud-function/?name__contains=smoke
Authorization: Bearer {{token}}
X-Service-Env-ID: {{env}}

=> 200
{"meta": {"...": "..."}, "objects": []}

### no trigger is left
GET /oserve/v3/trigger/?name__contains=smoke
Authorization: Bearer {{token}}
X-Service-Env-ID: {{env}}

=> 200
{"meta": {"...": "..."}, "objects": []}

### no table is left
GET /oserve/v1.8/table/?name__contains=smoke
Authorization: Bearer {{token}}
X-Service-Env-ID: {{env}}

=> 200
{"meta": {"...": "..."}, "objects": []}
`

// tidied fails the test when the stories left something behind.
func tidied(t *testing.T, c *cloud.Cloud, own application) {
	t.Helper()
	steps, err := scenario.Parse(story)
	if err != nil {
		t.Fatal(err)
	}
	left, err := scenario.Parse(nothingLeft)
	if err != nil || len(left) != 3 {
		t.Fatal(len(left), err)
	}
	player := &scenario.Player{BaseURL: c.URL, Known: words(own)}
	if err := player.Play(t.Context(), append(steps[:2:2], left...)); err != nil {
		t.Error(err)
	}
}

// failing is a proxy to the cloud that answers paths with a prefix with 500.
func failing(t *testing.T, c *cloud.Cloud, prefix string) string {
	to, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, prefix) {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// tick makes the next minute come, again and again until the context ends: each story sets a timer for it.
func tick(ctx context.Context, t *testing.T, base string) {
	for ctx.Err() == nil {
		body := strings.NewReader(`{"time":"` + time.Now().Add(2*time.Minute).UTC().Format(time.RFC3339) + `"}`)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/_local/tick", body)
		if err != nil {
			t.Error(err)
			return
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second): // a pace: nothing waits for it
		}
	}
}
