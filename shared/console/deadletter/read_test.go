package deadletter_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/bulk"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/job"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

// TestDescribesMessagesOfAllQueues: the owner, the subject and the repair of each message.
func TestDescribesMessagesOfAllQueues(t *testing.T) {
	const staging = "00112233445566778899"
	shop := tenant.Scope{App: 7, Env: tenant.Production}
	const record = `{"eventSourceARN":"arn:aws:dynamodb:eu:1:table/Rows/stream/2026","dynamodb":{"Keys":{"pk":{"S":"7.production#5"},` +
		`"sk":{"S":"0a"}},"NewImage":{"phone":{"S":"13800000000"}}}}`
	for _, tt := range []struct {
		name, body string
		kind       deadletter.Kind
		want       deadletter.Letter
	}{
		{"a job", `{"scope":"7.production","function":3,"job":4}`, deadletter.Jobs, deadletter.Letter{
			Scope: shop, Tries: 8, Repair: "redrive", About: deadletter.About{Function: 3, Job: 4}}},
		{"a sweep", `{"sweep":true}`, deadletter.Jobs, deadletter.Letter{Tries: 8, Repair: "redrive"}},
		{"no JSON", `what`, deadletter.Jobs, deadletter.Letter{Tries: 8, Repair: "redrive"}},
		{"a run that died", `{"scope":"7.` + staging + `","trigger":8,"run":"r1"}`, deadletter.Actions, deadletter.Letter{
			Scope: tenant.Scope{App: 7, Env: staging}, Tries: 192, Repair: "redrive", About: deadletter.About{Trigger: 8, Run: "r1"}}},
		{"a run that was refused", `{"reason":"no such run","event":{"scope":"7.production","trigger":8,"run":"r1"}}`,
			deadletter.Actions, deadletter.Letter{
				Scope: shop, Tries: 1, Reason: "no such run", Repair: "redrive", About: deadletter.About{Trigger: 8, Run: "r1"}}},
		{"a reason without an event", `{"reason":"no","scope":"7.production","function":3,"job":4}`, deadletter.Jobs, deadletter.Letter{
			Scope: shop, Tries: 8, Repair: "redrive", About: deadletter.About{Function: 3, Job: 4}}},
		{"an event without a reason", `{"event":{},"scope":"7.production","function":3,"job":4}`, deadletter.Jobs, deadletter.Letter{
			Scope: shop, Tries: 8, Repair: "redrive", About: deadletter.About{Function: 3, Job: 4}}},
		{"a payment with two numbers", `{"detail-type":"payment","detail":{"miniapp":7,"id":"1","transaction_no":"N1","trade_no":"T1"}}`,
			deadletter.Events, deadletter.Letter{
				Scope: shop, Tries: 240, Repair: "redrive", About: deadletter.About{Event: "payment", Subject: "N1"}}},
		{"a bulk operation", `{"scope":"7.production","operation":9}`, deadletter.Bulk, deadletter.Letter{
			Scope: shop, Tries: 100, Repair: "redrive", About: deadletter.About{Operation: 9}}},
		{"an index", `{"scope":"7.production","table":5,"index":"age","build":true}`, deadletter.TableWork, deadletter.Letter{
			Scope: shop, Tries: 40, Repair: "redrive", About: deadletter.About{Table: 5, Index: "age"}}},
		{"a payment", `{"detail-type":"payment","detail":{"miniapp":7,"trade_no":"T1"}}`, deadletter.Events, deadletter.Letter{
			Scope: shop, Tries: 240, Repair: "redrive", About: deadletter.About{Event: "payment", Subject: "T1"}}},
		{"a payment that was refused", `{"reason":"no","event":{"detail-type":"payment","detail":{"miniapp":7,"env":"` + staging + `"}}}`,
			deadletter.Events, deadletter.Letter{Scope: tenant.Scope{App: 7, Env: staging}, Tries: 1, Reason: "no", Repair: "redrive",
				About: deadletter.About{Event: "payment"}}},
		{"two applications", `{"detail-type":"payment","detail":{"miniapp":7,"miniapp":8}}`, deadletter.Events, deadletter.Letter{
			Tries: 240, Repair: "redrive", About: deadletter.About{Event: "payment"}}},
		{"a file", `{"detail-type":"file","detail":{"miniapp":7,"file":{"id":"f1"}}}`, deadletter.Events, deadletter.Letter{
			Scope: shop, Tries: 240, Repair: "redrive", About: deadletter.About{Event: "file", Subject: "f1"}}},
		{"no event", `{"reason":"it is no event","event":"what"}`, deadletter.Events, deadletter.Letter{
			Tries: 1, Reason: "it is no event", Repair: "none"}},
		{"a record", `{"reason":"no row","event":` + record + `}`, deadletter.Events, deadletter.Letter{
			Scope: shop, Tries: 1, Reason: "no row", Repair: "none", About: deadletter.About{Event: "Rows", Subject: "0a", Records: 1}}},
		{"a part of a stream", `{"requestContext":{"condition":"RetryAttemptsExhausted","approximateInvokeCount":101},` +
			`"DDBStreamBatchInfo":{"streamArn":"arn:aws:dynamodb:eu:1:table/Jobs/stream/2026","batchSize":3}}`,
			deadletter.Records, deadletter.Letter{
				Tries: 101, Reason: "RetryAttemptsExhausted", Repair: "recount", About: deadletter.About{Event: "Jobs", Records: 3}}},
	} {
		got := deadletter.Read(tt.kind, deadletter.Message{ID: "m", Body: tt.body})
		shown := got.Body
		if strings.Contains(shown, "13800000000") {
			t.Errorf("%s: shows a row: %s", tt.name, shown)
		}
		tt.want.ID, tt.want.Kind = "m", tt.kind
		if got.Scope != tt.want.Scope || got.Tries != tt.want.Tries || got.Reason != tt.want.Reason ||
			got.Repair != tt.want.Repair || !cmp.Equal(got.About, tt.want.About) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestReadsMessagesOfPrograms: the ids have the names under which the programs encode them.
func TestReadsMessagesOfPrograms(t *testing.T) {
	for kind, c := range map[deadletter.Kind]struct {
		message any
		want    deadletter.About
	}{
		deadletter.Jobs:      {job.Message{Scope: "7.production", Function: 3, Job: 4}, deadletter.About{Function: 3, Job: 4}},
		deadletter.Actions:   {run.Message{Scope: "7.production", Trigger: 8, Run: "r1"}, deadletter.About{Trigger: 8, Run: "r1"}},
		deadletter.Bulk:      {bulk.Message{Scope: "7.production", Operation: 9}, deadletter.About{Operation: 9}},
		deadletter.TableWork: {table.Task{Scope: "7.production", Table: 5, Index: "age"}, deadletter.About{Table: 5, Index: "age"}},
	} {
		body, err := json.Marshal(c.message)
		if err != nil {
			t.Fatal(err)
		}
		got := deadletter.Read(kind, deadletter.Message{Body: string(body)})
		if got.About != c.want || got.Scope.App != 7 {
			t.Errorf("%s: %+v of %+v", kind, got.About, got.Scope)
		}
	}
}

// TestMasksSecrets at any depth, and clips long bodies.
func TestMasksSecrets(t *testing.T) {
	body := `{"detail-type":"payment","detail":{"miniapp":7,"list":[{"Api-Key":"s1"}],"merchant_secret":{"a":"s2"},"token":"s3",` +
		`"note":"<b>&"}}`
	got := deadletter.Read(deadletter.Events, deadletter.Message{Body: body}).Body
	for _, secret := range []string{"s1", "s2", "s3"} {
		if strings.Contains(got, `"`+secret) {
			t.Errorf("%s is shown: %s", secret, got)
		}
	}
	if !strings.Contains(got, `"note": "<b>&"`) {
		t.Errorf("shown: %s", got)
	}

	got = deadletter.Read(deadletter.Jobs, deadletter.Message{Body: strings.Repeat("é", deadletter.MaxBody)}).Body
	if len(got) > deadletter.MaxBody || !strings.HasSuffix(got, "é…") {
		t.Errorf("%d bytes, at the end %q", len(got), got[len(got)-8:])
	}
}
