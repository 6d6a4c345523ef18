package events

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
)

// stage returns an application whose platform recorded deaths of the victim at the given seconds.
func stage(t *testing.T, victim load.Victim, seconds ...int) *events {
	t.Helper()
	c := &load.Cloud{}
	for _, s := range seconds {
		c.Deaths.Note(victim, second(s))
	}
	e := &events{Base: load.Base{Load: load.New(c, load.Options{})}, rows: rows{marksOf: map[string]string{"row": "m"}}}
	e.receiver = newReceiver(rand.New(rand.NewPCG(1, 1)), true)
	t.Cleanup(e.receiver.Close)
	return e
}

func second(n int) time.Time { return time.Unix(1_800_000_000+int64(n), 0) }

// TestWebhooks checks the judgement of received webhooks that contain a planted fault.
func TestWebhooks(t *testing.T) {
	come := func(action, marks string, at int, taken bool) arrival {
		return arrival{line: webhooks, action: action, marks: strings.Fields(marks), at: second(at), taken: taken}
	}
	for name, tt := range map[string]struct {
		all   []arrival
		want  map[string]int
		again int
	}{
		"once": {[]arrival{come("1", "m", 0, true)}, map[string]int{"m": 1}, 0},
		"until it was taken": {
			[]arrival{come("1", "m", 0, false), come("1", "m", 5, true)}, map[string]int{"m": 1}, 0,
		},
		"never taken": {[]arrival{come("1", "m", 0, false)}, map[string]int{}, 0},
		"again when nobody died": {
			[]arrival{come("1", "m", 0, true), come("1", "m", 5, true)}, map[string]int{"m": 2}, 0,
		},
		"again after a death": {
			[]arrival{come("1", "m", 8, true), come("1", "m", 70, true)}, map[string]int{"m": 1}, 1,
		},
		"under two ids": {
			[]arrival{come("1", "m", 0, true), come("2", "m", 5, false)}, map[string]int{"m": 2}, 0,
		},
		"two batches": {
			[]arrival{come("1", "m n", 0, true), come("2", "n", 1, true)}, map[string]int{"m": 1, "n": 2}, 0,
		},
		"a batch that is too large": {
			[]arrival{come("1", "a a a a", 0, true)}, map[string]int{"a": 1, "a batch of 4": 1}, 0,
		},
	} {
		e := stage(t, "actionrunner", 10)
		e.receiver.all = tt.all
		got, again := e.findWebhooks(webhooks)
		if !maps.Equal(got, tt.want) || again != tt.again {
			t.Errorf("%s: %v, %d again", name, got, again)
		}
	}
}

// TestCountsMarks checks that an effect counts once per occurrence of its mark, and that a mark which no action writes
// is an error.
func TestCountsMarks(t *testing.T) {
	all := found{mails: map[string]int{}, changes: map[string]int{}}
	for text, want := range map[string]int{
		`{"Subject":{"Data":"[mail/app1-1]"}},{"Subject":{"Data":"[mail/app1-2]"}}`: 2,
		`{"marks":["[row changed by it/app1-1]","[row changed by it/app1-1]"]}`:     2,
		`{"marks":[]}`: 0,
	} {
		if n, err := all.count([]byte(text)); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	if all[mails]["app1-1"] != 1 || all[mails]["app1-2"] != 1 || all[changes]["app1-1"] != 2 {
		t.Errorf("counted %v", all)
	}
	if _, err := all.count([]byte("[row of nobody/1]")); err == nil {
		t.Error("a row of nobody counts")
	}
}

// TestOpenCountsRefusedEvents checks that messages in the event queue count as open: an event whose worker died may
// become a dead letter after everything else has ended.
func TestOpenCountsRefusedEvents(t *testing.T) {
	queue := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		fmt.Fprint(w, `{"Attributes":{"ApproximateNumberOfMessages":"1","ApproximateNumberOfMessagesNotVisible":"2"}}`)
	}))
	defer queue.Close()

	e := stage(t, "platformevent")
	e.Cloud.Services = queue.URL
	e.clock = &clock{apps: []*events{e}}
	if open, _, err := e.Open(t.Context()); err != nil || open[badEvent] != 3 {
		t.Errorf("open %v, %v", open, err)
	}
}

// TestInterrupted checks that a mail may be interrupted if its worker died, and a row may not.
func TestInterrupted(t *testing.T) {
	for name, tt := range map[string]struct {
		line              string
		victim            load.Victim
		died              int
		lost, interrupted int
	}{
		"its worker died":       {mails, "actionrunner", 2, 0, 1},
		"the cloud died":        {templates, load.Local, 2, 0, 1},
		"the database died":     {texts, load.Database, 2, 0, 1},
		"another program died":  {mails, "table", 2, 2, 0},
		"somebody died later":   {mails, "actionrunner", 9, 2, 0},
		"somebody died earlier": {mails, "actionrunner", 0, 2, 0},
		"a row never is":        {creations, "actionrunner", 2, 2, 0},
	} {
		e := stage(t, tt.victim, tt.died)
		x := entry{Subject: "row", Status: "failed", Created: second(0).Unix()}
		x.Error = &entryError{Type: "interrupted"}
		for _, at := range []int{1, 5} {
			x.Attempts = append(x.Attempts, entryAttempt{At: second(at).UnixMilli(), Lasted: 100})
		}
		w := &watch{effect: tt.line, entries: []entry{x}}
		w.expect("m", client.Acknowledged)

		got := &load.Line{}
		e.judgeEffect(got, w, nil)
		if got.Lost != tt.lost || got.Interrupted != tt.interrupted {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestReceiver checks that signed webhooks count and are accepted in the end, and that unsigned ones are reported.
func TestReceiver(t *testing.T) {
	r := newReceiver(rand.New(rand.NewPCG(1, 2)), true)
	defer r.Close()
	r.trust(webhooks, "key")
	post := func(action, key, claims string) int {
		text := "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims))
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(text))
		token := text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.address(webhooks), strings.NewReader(token))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Service-Webhook-Action-Id", action)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}

	answers := map[int]int{}
	for n := range 60 {
		action := fmt.Sprint("action", n)
		for status := 0; status != 200; {
			status = post(action, "key", fmt.Sprintf(`{"note":"m%d","id":"r","_version":3}`, n))
			answers[status]++
		}
	}
	if answers[200] != 60 || answers[0] != 2 || answers[500] == 0 || answers[429] == 0 {
		t.Errorf("answers by status: %v", answers)
	}
	taken := 0
	for _, a := range r.arrivals(webhooks) {
		if a.taken {
			taken++
		}
		if a.row != "r" || a.version != 3 || len(a.marks) != 1 {
			t.Fatalf("%+v", a)
		}
	}
	if taken != 60 {
		t.Errorf("%d of 60 taken", taken)
	}

	if status := post("x", "another key", `{}`); status != 401 || len(r.invalid()) != 1 {
		t.Errorf("%d, wrong: %q", status, r.invalid())
	}
}
