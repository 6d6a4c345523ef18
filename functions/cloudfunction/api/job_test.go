package api_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestPagesOfNonASCIINames: the link to the next page is a valid URL for every function name.
func TestPagesOfNonASCIINames(t *testing.T) {
	p := newPlatform(t)
	p.play(t, step{method: "POST", path: functions, body: `{"name":"支付.v2","function_code":"1"}`, status: 201})
	const one = functions + "%E6%94%AF%E4%BB%98.v2/"
	for range 2 {
		p.play(t, step{method: "POST", path: one + "job/", body: `{"data":{}}`, status: 200})
	}
	first := decode[struct{ Meta struct{ Next string } }](
		t, p.play(t, step{method: "GET", path: one + "job/?limit=1", status: 200}),
	)
	if !strings.HasPrefix(first.Meta.Next, one+"job/?") {
		t.Fatalf("next %q", first.Meta.Next)
	}
	p.play(t, step{method: "GET", path: first.Meta.Next, status: 200, want: `~"next":null,"previous":"` + one + `job/?`})
}

// TestTimesHaveMicroseconds: times and durations are written with a fraction even at a full second, so that clients
// with separate integer and float types always see a float (D18).
func TestTimesHaveMicroseconds(t *testing.T) {
	p := withFunction(t)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
	for _, part := range []string{
		`"created_at":1795262400.0,`, `"started_at":1795262400.0,`, `"finished_at":1795262400.0,`, `"execution_time":1.5,`,
	} {
		p.play(t, step{method: "GET", path: functions + "pay/job/", status: 200, want: "~" + part})
	}
	p.pass(500 * time.Millisecond)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
	p.play(
		t, step{method: "GET", path: functions + "pay/job/?limit=1", status: 200, want: `~"finished_at":1795262400.5,`},
	)
}

func TestSignedLog(t *testing.T) {
	p := withFunction(t)
	p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
	link, err := url.Parse(p.jobsOf(t, "")[0]["user_log_url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	open := step{method: "GET", path: link.RequestURI(), header: "Authorization: ", status: 200, want: "a line\n"}
	answer := p.send(t, open)
	if kind := answer.Header.Get("Content-Type"); kind != "text/plain; charset=utf-8" || text(t, answer) != "a line\n" ||
		answer.StatusCode != 200 {
		t.Errorf("%d %s", answer.StatusCode, kind)
	}
	for name, value := range map[string]string{
		"scope": "8.production", "function": "1", "expires": "1895262400", "signature": strings.Repeat("0", 64),
	} {
		query := link.Query()
		query.Set(name, value)
		changed := *link
		changed.RawQuery = query.Encode()
		p.play(
			t,
			step{
				what: "changed " + name, method: "GET", path: changed.RequestURI(), status: 403,
				want: failure("this log URL is not valid, open it exactly as user_log_url has it"),
			},
		)
	}
	p.play(t, step{method: "GET", path: "/oserve/v1.3/cloud-function-log/1/?" + link.RawQuery, status: 403})
	p.play(t, step{method: "GET", path: "/oserve/v1.3/cloud-function-log/1/", status: 403})
	p.pass(24 * time.Hour)
	p.play(t, step{method: "GET", path: link.RequestURI(), status: 403, want: failure("this log URL has expired")})
}

// TestOffsetBehindTheEndOfJobs: the page is empty at any depth (D6).
func TestOffsetBehindTheEndOfJobs(t *testing.T) {
	p := withFunction(t)
	for _, offset := range []string{"10000", "10001"} {
		p.play(t, step{
			method: "GET", path: functions + "pay/job/?offset=" + offset, status: 200, want: `~"total_count":0`,
		})
	}
}

// TestLinksOfPagesAreAccepted: a page reached by a cursor has no link to a previous page, which would need an offset.
func TestLinksOfPagesAreAccepted(t *testing.T) {
	p := withFunction(t)
	for range 2 {
		p.play(t, step{method: "POST", path: functions + "pay/job/", body: `{"data":{}}`, status: 200})
	}
	type answer struct {
		Meta struct{ Next, Previous *string }
	}
	first := decode[answer](t, p.play(t, step{method: "GET", path: functions + "pay/job/?limit=1", status: 200}))
	next, err := url.Parse(*first.Meta.Next)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(next.Query().Get("cursor"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(sealed), ":")
	for offset, linked := range map[int]bool{10_001: true, 10_002: false} {
		cursor := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%s", offset, after))
		page := decode[answer](
			t, p.play(t, step{method: "GET", path: functions + "pay/job/?limit=1&cursor=" + cursor, status: 200}),
		)
		if (page.Meta.Previous != nil) != linked {
			t.Errorf("at %d previous is %v", offset, page.Meta.Previous)
		}
	}
}
