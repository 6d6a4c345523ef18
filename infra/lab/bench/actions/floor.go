package actions

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
	"minicloud/shared/dynamo"
)

const (
	floorClients = 16
	floorLasts   = 4 * time.Second
)

// floor prints how many deliveries a second this machine could do without our programs: the same calls to the local
// database and queue, and the same request, from this process. What brings messages to a program is not among them.
func (b *bench) floor(ctx context.Context, port int) error {
	f, err := b.newFloor(port)
	if err != nil {
		return err
	}
	defer f.http.CloseIdleConnections()

	used, engine := measure.Processor(""), measure.Processor(dynoxide)
	began := time.Now()
	rate, err := measure.Rate(floorClients, floorLasts, func() error { return f.delivery(ctx) })
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	n := rate * time.Since(began).Seconds()
	each := func(d time.Duration) float64 { return measure.MS(d) / n }
	b.Row("floor: the calls of a webhook, no program", fmt.Sprintf("%.0f/s", rate), "", fmt.Sprintf(
		"processor time each %.2f ms, %.2f of it the database's", each(measure.Processor("")-used),
		each(measure.Processor(dynoxide)-engine),
	))
	return nil
}

// dynoxide is the local cloud's database, as measure.Processor finds it.
const dynoxide = "dynoxide"

// floor is what a delivery calls.
type floor struct {
	database *dynamodb.Client
	queue    *sqs.Client
	http     *http.Client
	table    string
	queueURL string
	receiver string
	n        atomic.Int64
}

func (b *bench) newFloor(port int) (*floor, error) {
	me := credentials.NewStaticCredentialsProvider("local", "local", "")
	services := b.cloud.Services
	f := &floor{
		database: ddb.NewClient(b.cloud.Database),
		queue:    sqs.New(sqs.Options{Region: ddb.Region, BaseEndpoint: aws.String(services), Credentials: me}),
		http:     &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		receiver: fmt.Sprintf("http://127.0.0.1:%d/", port),
	}
	for _, t := range b.cloud.Template.Tables {
		if t.ID == "TriggerLogTable" {
			f.table = t.Name
		}
	}
	// A queue that feeds nobody.
	made, err := f.queue.CreateQueue(context.Background(), &sqs.CreateQueueInput{QueueName: aws.String("bench-floor")})
	if err != nil {
		return nil, err
	}
	f.queueURL = aws.ToString(made.QueueUrl)
	if !strings.Contains(f.queueURL, template.Account) {
		return nil, fmt.Errorf("the queue's address is %q", f.queueURL)
	}
	return f, nil
}

// delivery makes the calls of one: a run is stored and asked for, begun, its trigger read, its request sent, its end
// stored.
func (f *floor) delivery(ctx context.Context) error {
	pk, sk := "bench#floor", fmt.Sprint(f.n.Add(1))
	run := dynamo.Key(pk, sk)
	run["status"], run["event"] = dynamo.Text("pending"), dynamo.Text(strings.Repeat("e", 400))
	run["trace"] = dynamo.Text("bench#trace") // the index of the runs of a trace has it, too
	run["expires_at"] = dynamo.Number(time.Now().Add(time.Hour).Unix())
	if _, err := f.database.PutItem(ctx, &dynamodb.PutItemInput{TableName: &f.table, Item: run}); err != nil {
		return err
	}
	if err := f.ask(ctx); err != nil {
		return err
	}
	if err := f.set(ctx, pk, sk, "running"); err != nil {
		return err
	}
	if _, err := dynamo.GetItem(ctx, f.database, f.table, pk, sk); err != nil {
		return err
	}

	request, err := http.NewRequestWithContext(
		ctx, http.MethodPost, f.receiver, strings.NewReader(strings.Repeat("b", 400)),
	)
	if err != nil {
		return err
	}
	answer, err := f.http.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	return f.set(ctx, pk, sk, "succeeded")
}

// ask sends a message to a queue that feeds nobody.
func (f *floor) ask(ctx context.Context) error {
	_, err := f.queue.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: &f.queueURL, MessageBody: aws.String(strings.Repeat("m", 100)),
	})
	return err
}

func (f *floor) set(ctx context.Context, pk, sk, status string) error {
	part := dynamo.Update(
		f.table, pk, sk, "SET #status = :status", dynamo.Exists, dynamo.Item{":status": dynamo.Text(status)},
	)
	part.Update.ExpressionAttributeNames = map[string]string{"#status": "status"}
	_, err := dynamo.UpdateItem(ctx, f.database, part)
	return err
}
