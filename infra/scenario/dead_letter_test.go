package scenario_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/scenario"
	"minicloud/shared/httpapi"
)

// sendTo sends a message to the queue whose name ends with queue.
func sendTo(t *testing.T, c stage, queue, body string) {
	t.Helper()
	client := sqs.New(sqs.Options{
		BaseEndpoint: &c.Services, Region: "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	queues, err := client.ListQueues(t.Context(), &sqs.ListQueuesInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range queues.QueueUrls {
		if strings.HasSuffix(url, queue) {
			if _, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &url, MessageBody: &body}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no queue %s in %v", queue, queues.QueueUrls)
}

// sentBefore returns a body that selects the dead letters sent until now. It waits until the last letter's
// millisecond has passed, because times are milliseconds. A later bound would select a redriven letter again as soon
// as it returns.
func sentBefore() string {
	time.Sleep(2 * time.Millisecond)
	return fmt.Sprintf(`{"before":%d}`, time.Now().UnixMilli())
}

// deadLetters, through the real programs: two copies of a payment are listed and redriven, as after a crash between
// sending and deleting. There is one order, and its trigger fires once. Redriven messages of completed work have no
// effect. A permanently refused message returns with its number of redrives.
func deadLetters(t *testing.T, c stage) {
	owner := c.owner(t)
	page := signIn(t, c, c.Credentials.ConsoleEmail, c.Credentials.ConsolePassword)
	letters := fmt.Sprintf("/console/api/application/%d/dead-letter/", c.Credentials.Miniapp)
	redrive := func(kind string) {
		t.Helper()
		if a := page.ask(t, "POST", letters+kind+"/redrive/", sentBefore()); a.status != http.StatusOK || find(t, a, "done") != "2" {
			t.Errorf("redrive %s: %d %s", kind, a.status, a.body)
		}
		if err := c.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	table := find(t, owner.ask(t, "POST", "/oserve/v1.8/table/",
		`{"name":"receipts","schema":{"fields":[{"name":"of","type":"string"}]}}`), "id")
	rows := func() int {
		return strings.Count(owner.ask(t, "POST", "/oserve/v2.4/table/"+table+"/record/query/", `{"limit":9}`).body, `"of":`)
	}
	trigger := find(t, owner.ask(t, "POST", "/oserve/v3/trigger/", `{"name":"paid","type":"chat_pay","condition":{},"actions":[
		{"type":"table_operation","settings":{"table":"receipts","operation":"create","assign":[{"field":"of","value":"{{event.data.trade_no}}"}]}}]}`),
		"id")
	payment := fmt.Sprintf(`{"id":"e1","detail-type":"payment","source":"minicloud","time":"2026-11-22T12:00:00Z","detail":{"miniapp":%d,`+
		`"gateway_type":"chatpay","status":"success","trade_no":"dead-1","transaction_no":"dead-1","total_cost":10}}`, c.Credentials.Miniapp)
	sendTo(t, c, "EventDeadLetterQueue", payment)
	sendTo(t, c, "EventDeadLetterQueue", payment)
	overview := fmt.Sprintf("/console/api/application/%d/overview/", c.Credentials.Miniapp)
	if a := page.ask(t, "GET", overview, ""); !strings.Contains(a.body, `{"kind":"event","letters":2,"others":0,"more":false}`) {
		t.Errorf("overview: %s", a.body)
	}
	if a := page.ask(t, "GET", letters, ""); !strings.Contains(a.body, `"subject":"dead-1"`) || !strings.Contains(a.body, `"repair":"redrive"`) {
		t.Errorf("listed: %s", a.body)
	}
	redrive("event")
	await(t, owner.as(httpapi.ServiceR1), "/hserve/v2.2/idp/pay/order/dead-1/")
	if err := c.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := rows(); got != 1 {
		t.Errorf("the trigger wrote %d rows", got)
	}

	log := owner.ask(t, "GET", "/oserve/v3/trigger/"+trigger+"/log/", "")
	id := strings.SplitN(between(log.body, `"id":"`, `"`), "-", 3) // trigger, time and run
	for range 2 {
		sendTo(t, c, "ActionDeadLetterQueue", fmt.Sprintf(
			`{"scope":"%d.production","trigger":%s,"at":%s,"run":%q}`, c.Credentials.Miniapp, id[0], id[1], id[2]))
	}
	redrive("action")
	if got := rows(); got != 1 {
		t.Errorf("the action's run was done again: %d rows", got)
	}
	if a := page.ask(t, "GET", letters+"?kind=action", ""); !strings.Contains(a.body, `"objects":[]`) {
		t.Errorf("a run that is done was refused: %s", a.body)
	}

	theJobIsRunOnce(t, c, owner, rows, redrive)
	poisonComesBack(t, c, owner, page, letters)
}

// theJobIsRunOnce: although two messages about it are redriven.
func theJobIsRunOnce(t *testing.T, c stage, owner caller, rows func() int, redrive func(string)) {
	t.Helper()
	code := `exports.main = async () => { const r = new BaaS.TableObject("receipts").create(); await r.set({ of: "job" }).save(); }`
	function := find(t, owner.ask(t, "POST", "/oserve/v1.3/cloud-function/", fmt.Sprintf(`{"name":"once","function_code":%q}`, code)), "id")
	job := find(t, owner.ask(t, "POST", "/oserve/v1.3/cloud-function/once/job/", `{"data":{},"sync":false}`), "job_id")
	if err := c.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := rows(); got != 2 {
		t.Errorf("the job wrote its row: %d rows", got)
	}
	for range 2 {
		sendTo(t, c, "JobDeadLetterQueue", fmt.Sprintf(
			`{"scope":"%d.production","function":%s,"job":%s}`, c.Credentials.Miniapp, function, job))
	}
	redrive("job")
	if got := rows(); got != 2 {
		t.Errorf("the job ran again: %d rows", got)
	}
}

// poisonComesBack: a message that always fails returns with its number of redrives.
func poisonComesBack(t *testing.T, c stage, owner, page caller, letters string) {
	t.Helper()
	event := fmt.Sprintf(`{"detail-type":"payment","detail":{"miniapp":%d,"env":"00112233445566778899","gateway_type":"chatpay",`+
		`"trade_no":"lost","total_cost":1}}`, c.Credentials.Miniapp)
	if a := owner.ask(t, "POST", "/_local/events", event); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for redrives := range 3 {
		want := fmt.Sprintf(`"redrives":%d,"reason":"env is not an environment of application`, redrives)
		var found reply
		for until := time.Now().Add(scenario.Patience); !strings.Contains(found.body, want); {
			if found = page.ask(t, "GET", letters+"?kind=event", ""); time.Now().After(until) {
				t.Fatalf("no %s in %s", want, found.body)
			}
		}
		ids := fmt.Sprintf(`{"ids":[%q]}`, between(found.body, `"objects":[{"id":"`, `"`))
		if redrives == 2 {
			if a := page.ask(t, "POST", letters+"event/delete/", ids); find(t, a, "done") != "1" {
				t.Errorf("delete: %s", a.body)
			}
		} else if a := page.ask(t, "POST", letters+"event/redrive/", ids); find(t, a, "done") != "1" {
			t.Errorf("redrive: %s", a.body)
		}
	}
	if a := page.ask(t, "GET", letters, ""); !strings.Contains(a.body, `"objects":[]`) {
		t.Errorf("left: %s", a.body)
	}
}

// between returns the text between the first before and the next after.
func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}
