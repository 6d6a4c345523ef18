package samples

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"minicloud/shared/runtime/engine"
	"minicloud/shared/runtime/process"
	"minicloud/shared/runtime/sandboxtest"
	"minicloud/shared/sandbox"
)

// platform is a fake Host that responds to the calls of a function with prepared answers.
type platform struct {
	t       *testing.T
	answers map[string]string // JSON responses by "GET /path", "invoke name" or "request GET https://…"
	asked   []string
	log     strings.Builder
	replies chan engine.Reply
}

func (p *platform) Log(level, text string)       { fmt.Fprintf(&p.log, "%s %s\n", level, text) }
func (p *platform) Settled(engine.Settlement)    {}
func (p *platform) Replies() <-chan engine.Reply { return p.replies }

// Call sends the prepared answer; a call without one fails the test.
func (p *platform) Call(id int32, op, payload string) {
	var call struct{ Method, Path, URL, Name string }
	if err := json.Unmarshal([]byte(payload), &call); err != nil {
		p.t.Error(err)
	}

	key, form := call.Method+" "+call.Path, `{"status":200,"body":%s}`
	switch op {
	case "invoke":
		key, form = "invoke "+call.Name, "%s"
	case "request":
		key, form = "request "+call.Method+" "+call.URL, `{"status_code":200,"headers":{},"body":%s}`
	}
	p.asked = append(p.asked, key)
	answer, ok := p.answers[key]
	if !ok {
		p.t.Errorf("nobody answers %s", key)
		answer = "null"
	}
	if status, text, refused := strings.Cut(answer, "!"); refused && len(status) == 3 {
		p.replies <- engine.Reply{ID: id, Text: fmt.Sprintf(`{"status":%s,"message":%q}`, status, text)}
		return
	}
	if op == "request" {
		answer = fmt.Sprintf("%q", answer)
	}

	p.replies <- engine.Reply{ID: id, OK: true, Text: fmt.Sprintf(form, answer)}
}

// run runs a function in a new engine.
func (p *platform) run(code string, event json.RawMessage, variables map[string]string) engine.Report {
	p.t.Helper()
	p.replies = make(chan engine.Reply, 100)
	e, err := process.NewEngine(128 << 20)
	if err != nil {
		p.t.Fatal(err)
	}
	defer e.Close()

	req := sandboxtest.Request(code)
	return e.Run(engine.Job{
		Function: req.Function, Digest: req.Digest, Source: func() ([]byte, error) { return []byte(code), nil },
		Event: event, Timeout: 30 * time.Second, Memory: 128 << 20, Variables: variables,
	}, p)
}

// event returns the event of a call with the data.
func event(data any) json.RawMessage {
	text, err := json.Marshal(map[string]any{
		"data": data, "eventType": "open_api", "jobId": "7", "miniappId": 1, "timezone": "Asia/Shanghai", "request": map[string]any{},
	})
	if err != nil {
		panic(err) // data of tests always encodes
	}
	return text
}

// outcome returns the result of a run or its error as text.
func outcome(r engine.Report) string {
	if r.Outcome != sandbox.OutcomeFulfilled {
		return fmt.Sprintf("%s: %s", r.Error.Type, r.Error.Message)
	}
	return string(r.Data)
}

// TestSamplesRun runs every sample with fake responses. Each sample has at least one case, and each case has a sample.
func TestSamplesRun(t *testing.T) {
	all, run := samples(t), map[string]bool{"payment-notification": true, "phone-number": true} // these have their own tests
	for _, c := range cases {
		run[c.sample] = true
		s, ok := all[c.sample]
		if !ok {
			t.Errorf("no document has the sample %s", c.sample)
			continue
		}
		t.Run(c.sample, func(t *testing.T) {
			p := &platform{t: t, answers: c.answers}
			got := outcome(p.run(s.code, event(json.RawMessage(c.data)), nil))
			if got != c.want {
				t.Errorf("%s, want %s\n%s", got, c.want, p.log.String())
			}
			if c.log != "" && !strings.Contains(p.log.String(), c.log) {
				t.Errorf("the log has no %s: %s", c.log, p.log.String())
			}
			for _, key := range slices.Sorted(maps.Keys(c.answers)) {
				if !slices.Contains(p.asked, key) {
					t.Errorf("it did not ask %s", key)
				}
			}
		})
	}

	for name, s := range all {
		if !run[name] {
			t.Errorf("%s:%d: the sample %s is not run; cases_test.go needs a line", s.document, s.line, name)
		}
	}
}
