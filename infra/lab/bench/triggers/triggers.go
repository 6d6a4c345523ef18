// Package triggers measures what happens between a change and the message that asks for an action, on a local cloud
// with the real programs: the way of a row beside its floor, that is what the same steps cost without any of our code,
// the rate of evaluation, and endpoint 13.
package triggers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
	"minicloud/shared/tenant"
)

const (
	tables   = "/oserve/v1.8/table/"
	rows     = "/oserve/v2.4/table/%s/record/"
	triggers = "/oserve/v3/trigger/"
)

// recordtrigger is the function that fires what streams tell.
const recordtrigger = "RecordtriggerFunction"

// bench is a cloud whose queues feed nobody: the bench receives the messages itself, as a worker would.
type bench struct {
	measure.Report
	cloud    *cloud.Cloud
	client   *api.Client
	database *dynamodb.Client
	queue    *sqs.Client
	lambda   *lambda.Client
}

// Run prints the figures.
func Run(ctx context.Context, r measure.Report) error {
	c, client, stop, err := api.Platform(ctx, func(cfg *cloud.Config) {
		cfg.HeldQueues, cfg.StoppedClock = true, true
	})
	if err != nil {
		return err
	}
	defer stop()

	me := credentials.NewStaticCredentialsProvider("local", "local", "")
	b := &bench{
		Report: r, cloud: c, client: client, database: ddb.NewClient(c.Database),
		queue:  sqs.New(sqs.Options{Region: ddb.Region, BaseEndpoint: aws.String(c.Services), Credentials: me}),
		lambda: lambda.New(lambda.Options{Region: ddb.Region, BaseEndpoint: aws.String(c.Services), Credentials: me}),
	}
	if err := b.send(ctx, "POST", "/oserve/v1.3/cloud-function/", object{
		"name": "noted", "function_code": "exports.main = async () => 1",
	}, nil); err != nil {
		return err
	}

	for _, part := range []func(context.Context) error{b.latency, b.floor, b.silence, b.hook, b.rate} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

type object = map[string]any

// send calls the API and reads its answer into out, which may be nil.
func (b *bench) send(ctx context.Context, method, path string, in any, out any) error {
	body := ""
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = string(text)
	}
	answer, err := b.client.Call(ctx, method, path, body)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// makeTable makes a table of two columns.
func (b *bench) makeTable(ctx context.Context, name string) error {
	return b.send(ctx, "POST", tables, object{"name": name, "schema": object{"fields": []object{
		{"name": "city", "type": "string"}, {"name": "height", "type": "integer"},
	}}}, nil)
}

// made is a trigger as the API answers it.
type made struct {
	ID      int64  `json:"id"`
	HookURL string `json:"hook_url"`
}

// hook is the path of a trigger's hook.
func (m made) hook() string { return m.HookURL[strings.Index(m.HookURL, "/oserve/"):] }

// makeTrigger makes a trigger that calls a function.
func (b *bench) makeTrigger(ctx context.Context, kind string, condition object, trace bool) (m made, err error) {
	err = b.send(ctx, "POST", triggers, object{
		"name": kind, "type": kind, "condition": condition, "trace": trace,
		"actions": []object{{"type": "cloud_function", "settings": object{"function": "noted"}}},
	}, &m)
	return m, err
}

// onRow is the condition of a trigger that waits for new rows of a table.
func onRow(table string, rules ...object) object {
	return object{"table": table, "event": "create", "match": "all", "rules": rules}
}

// draft is row n.
func draft(n int) object { return object{"city": fmt.Sprint("city ", n%10), "height": n % 100} }

func (b *bench) scope() tenant.Scope {
	return tenant.Scope{App: tenant.AppID(b.cloud.Credentials.Miniapp), Env: tenant.Production}
}

// table is the name of a table of the template.
func (b *bench) table(id string) string {
	for _, t := range b.cloud.Template.Tables {
		if t.ID == id {
			return t.Name
		}
	}
	return ""
}

// queueURL is the address of a queue of the template.
func (b *bench) queueURL(id string) string {
	for _, q := range b.cloud.Template.Queues {
		if q.ID == id {
			return b.cloud.Services + "/" + template.Account + "/" + q.Name
		}
	}
	return ""
}

// receive waits for messages of a queue and removes them.
func (b *bench) receive(ctx context.Context, queue string) (bodies []string, err error) {
	url := aws.String(b.queueURL(queue))
	got, err := b.queue.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 20,
	})
	if err != nil {
		return nil, err
	}

	for _, m := range got.Messages {
		bodies = append(bodies, *m.Body)
		if _, err := b.queue.DeleteMessage(ctx, &sqs.DeleteMessageInput{
			QueueUrl: url, ReceiptHandle: m.ReceiptHandle,
		}); err != nil {
			return nil, err
		}
	}
	return bodies, nil
}
