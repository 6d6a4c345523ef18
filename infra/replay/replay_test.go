package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"minicloud/infra/local/template"
)

// answers is what each event is answered with: the first line of the output
// and a part of the rest.
var answers = map[string][2]string{
	"apigateway/01-run-function-older.json":                {"200", `"code": 0`},
	"apigateway/02-debug-function.json":                    {"200", `"log": "`},
	"apigateway/03-list-jobs.json":                         {"200", `"objects": [`},
	"apigateway/04-run-function.json":                      {"200", "hello, Ada"},
	"apigateway/05-create-function.json":                   {"201", `"name": "double"`},
	"apigateway/06-list-functions.json":                    {"200", `"total_count": 2`},
	"apigateway/07-read-function.json":                     {"200", `"name": "hello"`},
	"apigateway/08-modify-function.json":                   {"202", `"plan_circle": "P_PERSONAL"`},
	"apigateway/09-delete-function.json":                   {"204", ""},
	"apigateway/10-authorize.json":                         {"302", "Location: "},
	"apigateway/10-authorize-multipart.json":               {"302", "Location: "},
	"apigateway/11-exchange-code.json":                     {"200", `"token_type": "Bearer"`},
	"apigateway/12-refresh-tokens.json":                    {"200", `"refresh_token": "`},
	"apigateway/13-incoming-webhook.json":                  {"200", `"status": "ok"`},
	"apigateway/14-list-users.json":                        {"200", `"user_id": `},
	"apigateway/14-query-users.json":                       {"200", `"user_id": `},
	"apigateway/15-current-user.json":                      {"200", `"email": "admin@example.com"`},
	"apigateway/16-read-user.json":                         {"200", `"user_id": `},
	"apigateway/17-update-user.json":                       {"200", `"updated_at": `},
	"apigateway/18-bulk-update-users.json":                 {"200", `"succeed": `},
	"apigateway/19-change-account.json":                    {"200", `"email_verified": false`},
	"apigateway/19-reset-email.json":                       {"200", `"email": null`},
	"apigateway/create-trigger-webhook.json":               {"201", `"key": "`},
	"apigateway/put-mail-setting.json":                     {"200", `"sender": "Tea shop <shop@example.com>"`},
	"apigateway/put-sms-setting.json":                      {"200", `"enabled": true`},
	"apigateway/put-message-setting.json":                  {"200", `"app_secret"`},
	"apigateway/add-form-id.json":                          {"201", `"left": 1`},
	"apigateway/add-subscription.json":                     {"201", `"left": 1`},
	"apigateway/send-sms-code.json":                        {"400", "no SMS can be sent: enable it"},
	"apigateway/verify-sms-code.json":                      {"400", "code is wrong or has expired"},
	"apigateway/sign-in.json":                              {"200", `"csrf_token": "`},
	"apigateway/sign-in-wrong-password.json":               {"401", "the email or the password is wrong"},
	"apigateway/read-session.json":                         {"200", `"role": "owner"`},
	"apigateway/create-console-token.json":                 {"200", `"token": "`},
	"sandbox/run.json":                                     {"{", `"hello, Ada"`},
	"apigateway/create-application-from-another-site.json": {"403", "this request comes from another site"},
	"sqs/job-run.json":                                     {"{", "invoke SandboxFreeFunction: 1"},
	"sqs/action-run.json":                                  {"{", `trigger "somebody calls": cloud_function succeeded {"job_id":`},
	"sqs/job-sweep.json":                                   {"{", "dynamodb Query: "},
	"sqs/bulk-operation.json":                              {"{", "dynamodb TransactWriteItems: "},
	"sqs/table-removed.json":                               {"{", "dynamodb BatchWriteItem: "},
	"eventbridge/every-minute-timers.json":                 {"null", `trigger "every minute": on_timer of 15 fired action 1`},
	"sqs/event-file-uploaded.json": {
		"{", `trigger "a file is uploaded": on_file of 5bffb3e4c1a0b95f0d6e4411 fired action 1`,
	},
	"sqs/event-file-deleted.json": {
		"{", `trigger "a file is uploaded": operation = upload does not hold: it is delete`,
	},
	"sqs/event-file-unknown-application.json": {"{", "sqs SendMessage: 1"},
	"sqs/event-chat-message-text.json": {
		"{", `trigger "somebody says hello": on_chat_message of 23456789012345678 fired action 1`,
	},
	"sqs/event-chat-message-other.json": {"{", `Content = hello does not hold: it is good bye`},
	"stream/hook-called.json": {
		"{", `trigger "somebody calls": on_incoming_webhook of 382989314773377 fired action 1`,
	},
	"stream/order-paid.json": {"{", `trigger "an order is paid": on_payment of T1 fired action 1`},
	"stream/row-deleted-heard.json": {
		"{", `trigger "a book goes": on_delete of 0153c04a2d4042022c6dc14f fired action 1`,
	},
	"stream/row-updated-heard.json": {
		"{", `trigger "a book is sold out": stock = 0 does not hold: it is 3`,
	},
	"stream/row-created.json":                       {"{", "dynamodb TransactWriteItems: 1"},
	"stream/row-deleted.json":                       {"{", "dynamodb TransactWriteItems: 1"},
	"apigateway/20-list-orders-without-refund.json": {"200", `"total_count": `},
	"apigateway/20-list-orders.json":                {"200", `"total_count": `},
	"stream/row-updated.json":                       {"{", "dynamodb GetItem: 1"}, // only the checkpoint: the number stays
	"apigateway/pay-notify-chat-v2.json":            {"200", "<return_code><![CDATA[SUCCESS]]>"},
	"apigateway/pay-notify-chat-v2-refund.json":     {"200", "<return_code><![CDATA[SUCCESS]]>"},
	"apigateway/pay-notify-chat-v3.json":            {"200", `"code": "SUCCESS"`},
	"apigateway/pay-notify-alt.json":                {"200", "success"},
	"apigateway/pay-notify-tpay.json":               {"200", "<return_code><![CDATA[SUCCESS]]>"},
	"eventbridge/every-minute-payments.json":        {"null", "dynamodb Query: 1"},
	// The stream may have brought the order's own record to the trigger engine by then, which writes as well.
	"sqs/event-payment-chat.json":                {"{", "dynamodb TransactWriteItems: "},
	"sqs/event-payment-pending.json":             {"{", "dynamodb TransactWriteItems: "},
	"sqs/event-payment-refund.json":              {"{", "dynamodb TransactWriteItems: "},
	"sqs/event-payment-foreign.json":             {"{", "sqs SendMessage: 1"},
	"sqs/event-payment-unknown-application.json": {"{", "sqs SendMessage: 1"},
	"eventbridge/every-minute.json":              {"null", "dynamodb Query: 2"},
}

// TestEveryEvent replays all of events/ against the real programs; every program
// behind a queue, a stream or a schedule has one.
func TestEveryEvent(t *testing.T) {
	files, err := filepath.Glob("../../events/*/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no events: %v", err)
	}
	first, err := prepare(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := build(t.Context(), first.root, first.template, io.Discard); err != nil {
		t.Fatal(err)
	}
	replayed := map[string]bool{}
	for _, file := range files {
		folder := filepath.Base(filepath.Dir(file))
		name := filepath.Join(folder, filepath.Base(file))
		t.Run(name, func(t *testing.T) {
			want, ok := answers[name]
			if !ok {
				t.Fatal("is not in the table of expected answers")
			}
			var out, terminal bytes.Buffer
			r, err := prepare(file)
			if err != nil {
				t.Fatal(err)
			}
			replayed[r.receiver.Program] = true
			if err := r.play(t.Context(), &out, &terminal); err != nil {
				t.Fatalf("%v\n%s", err, &terminal)
			}
			first, rest, _ := strings.Cut(out.String(), "\n")
			if first != want[0] || !strings.Contains(rest, want[1]) {
				t.Errorf("want %s … %s, got\n%s", want[0], want[1], &out)
			}
		})
	}
	for _, f := range first.template.Functions {
		if len(f.Routes) == 0 && !replayed[f.Program] { // infra/check looks after the others
			t.Errorf("functions/%s has no event in events/", f.Program)
		}
	}
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
			if err := run(t.Context(), c.args, &out, &terminal); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}

func TestReceiver(t *testing.T) {
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

func TestFill(t *testing.T) {
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

func TestShow(t *testing.T) {
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
