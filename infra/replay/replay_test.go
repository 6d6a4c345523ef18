package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
	"minicloud/infra/seed/demo"
	"minicloud/shared/clock"
	"minicloud/shared/secret/password"
)

// expectation is the member "expect" of an event file, which is not sent to the program: the status of an HTTP
// response, and a part of the replay's output.
type expectation struct {
	Status   int
	Contains string
}

func expected(t *testing.T, file string) expectation {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var event struct{ Expect expectation }
	if err := json.Unmarshal(text, &event); err != nil || event.Expect == (expectation{}) {
		t.Fatalf("has no expect: %v", err)
	}
	return event.Expect
}

// TestReplaysEveryEvent replays all of events/ with the real programs; every program behind a queue, a stream or a
// schedule must have an event. Each event has an application of its own, in one cloud; a schedule works on all
// applications, so its events have clouds of their own.
func TestReplaysEveryEvent(t *testing.T) {
	files, err := filepath.Glob("../../events/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no events: %v", err)
	}
	tmpl, err := readTemplate()
	if err != nil {
		t.Fatal(err)
	}
	shared := cloudtest.Start(t, func(cfg *cloud.Config) {
		cfg.StoppedClock, cfg.HeldQueues, cfg.NoWindow = true, true, true
	})

	replayed := map[string]bool{}
	for _, file := range files {
		folder := filepath.Base(filepath.Dir(file))
		name := filepath.Join(folder, filepath.Base(file))
		t.Run(name, func(t *testing.T) {
			want := expected(t, file)
			r, err := prepare(tmpl, file)
			if err != nil {
				t.Fatal(err)
			}
			replayed[r.receiver.Program] = true
			var out, terminal bytes.Buffer
			if folder == "eventbridge" {
				cfg, failed := config(t.TempDir())
				if failed != nil {
					t.Fatal(failed)
				}
				err = r.play(t.Context(), cfg, &out, &terminal)
			} else {
				err = r.playIn(t.Context(), shared, application(t, shared, name), &out, &terminal)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, &terminal)
			}

			first, rest, _ := strings.Cut(out.String(), "\n")
			if want.Status != 0 && first != strconv.Itoa(want.Status) || !strings.Contains(rest, want.Contains) {
				t.Errorf("want %+v, got\n%s", want, &out)
			}
		})
	}

	if err := cloudtest.Denied(); err != nil {
		t.Error(err)
	}
	for _, f := range tmpl.Functions {
		if len(f.Routes) == 0 && !replayed[f.Program] { // infra/check tests the programs with routes
			t.Errorf("functions/%s has no event in events/", f.Program)
		}
	}
}

// application creates an application with the contents of the demo application.
func application(t *testing.T, c *cloud.Cloud, name string) cloud.Credentials {
	t.Helper()
	cheap := password.New(1)
	cheap.Memory = 64 // KiB
	planted, err := demo.Seed{
		Client: ddb.NewClient(c.Database), Functions: true, Users: true, Clock: clock.System, Name: name, Passwords: cheap,
	}.Plant(t.Context(), demo.Credentials{})
	if err != nil {
		t.Fatal(err)
	}
	own := c.Credentials
	own.Credentials = planted
	return own
}

func TestRunRefuses(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no file":       {nil, "usage"},
		"missing file":  {[]string{"no-such-event.json"}, "no such file"},
		"not JSON":      {[]string{write("{")}, "unexpected end"},
		"unknown route": {[]string{write(`{"routeKey":"ANY /nowhere/{proxy+}"}`)}, `no route "ANY /nowhere/{proxy+}"`},
		"no event":      {[]string{write(`{"Records":[]}`)}, "neither"},
		"unknown queue": {
			[]string{write(`{"Records":[{"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:r:1:x-Nowhere"}]}`)},
			"reads the queue x-Nowhere",
		},
		"unknown clock": {
			[]string{write(`{"detail-type":"Scheduled Event","resources":["arn:aws:events:r:1:rule/x"]}`)}, "no schedule x",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out, terminal bytes.Buffer
			if err := execute(t.Context(), c.args, &out, &terminal); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}

func TestFindsReceiverOfEvent(t *testing.T) {
	tmpl := &template.Template{Functions: []*template.Function{
		{ID: "Large", Program: "sandbox", MemoryMB: 512},
		{ID: "Small", Program: "sandbox", MemoryMB: 256},
		{ID: "Worker", Queues: []template.QueueEvent{{Queue: "Jobs"}}},
		{ID: "Reader", Streams: []template.StreamEvent{{Table: "Rows"}}},
		{ID: "Reaper", Schedules: []template.ScheduleEvent{{Name: "ReaperTick"}}},
		{ID: "Tokens", Program: "oauth", Routes: []template.Route{{Method: "ANY", Path: "/api/{proxy+}"}}},
	}}
	for event, want := range map[string]string{
		`{"routeKey":"ANY /api/{proxy+}"}`:        "Tokens",
		`{"op":"run","code":"x","memory_mb":128}`: "Small",
		`{"op":"run","code":"x","memory_mb":256}`: "Large",
		`{"op":"check","code":"x"}`:               "Small",
		`{"Records":[{"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:r:1:mini-Jobs-4XY"}]}`:                    "Worker",
		`{"Records":[{"eventSource":"aws:dynamodb","eventSourceARN":"arn:aws:dynamodb:r:1:table/Rows/stream/2026"}]}`: "Reader",
		`{"detail-type":"Scheduled Event","resources":["arn:aws:events:r:1:rule/mini-ReaperTick-4XY"]}`:               "Reaper",
	} {
		f, err := receiverOf(tmpl, []byte(event))
		if err != nil || f.ID != want {
			t.Errorf("%s: want %s, got %v, %v", event, want, f, err)
		}
	}
}

func TestFillsPlaceholders(t *testing.T) {
	asked := 0
	value := func(name string) (string, error) {
		asked++
		if name == "secret" {
			return "s3", nil
		}
		return "", errors.New("unknown " + name)
	}
	got, err := fill([]byte(`{"a":"{{secret}}","b":"{{secret}} and {{ not_this }}"}`), value)
	if err != nil || string(got) != `{"a":"s3","b":"s3 and {{ not_this }}"}` || asked != 1 {
		t.Errorf("got %s, %v, asked %d times", got, err, asked)
	}
	body := base64.StdEncoding.EncodeToString([]byte("secret={{secret}}"))
	got, err = fill([]byte(`{"isBase64Encoded":true,"body":"`+body+`"}`), value)
	var event struct{ Body []byte }
	if err != nil || json.Unmarshal(got, &event) != nil || string(event.Body) != "secret=s3" {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := fill([]byte(`{"a":"{{other}}"}`), value); err == nil || !strings.Contains(err.Error(), "unknown other") {
		t.Errorf("want the error of the unknown placeholder, got %v", err)
	}
}

func TestShowsAnswer(t *testing.T) {
	for answer, want := range map[string]string{
		`{"statusCode":200,"headers":{"B":"2","A":"1"},"cookies":["c=3"],"body":"{\"x\":1}"}`: "200\nA: 1\nB: 2\nSet-Cookie: c=3\n\n{\n  \"x\": 1\n}\n",
		`{"statusCode":204,"headers":null,"body":""}`:                                         "204\n\n",
		`{"statusCode":200,"body":"plain"}`:                                                   "200\n\nplain\n",
		`{"outcome":"fulfilled"}`:                                                             "{\n  \"outcome\": \"fulfilled\"\n}\n",
	} {
		var out bytes.Buffer
		if err := show(&out, []byte(answer)); err != nil || out.String() != want {
			t.Errorf("%s: want %q, got %q, %v", answer, want, out.String(), err)
		}
	}
}
