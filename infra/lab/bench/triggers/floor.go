package triggers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/eventsource"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/template"
	"minicloud/shared/dynamo"
)

const (
	warm    = 20
	counted = 200
)

// floor prints what the steps of a row's way cost that are not ours.
func (b *bench) floor(ctx context.Context) error {
	seen, nudge, stop, err := b.follow(ctx)
	if err != nil {
		return err
	}
	defer stop()
	var medians []time.Duration
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"floor: GetItem", func() error { return b.get(ctx) }},
		{"floor: UpdateItem that counts", func() error { return b.count(ctx) }},
		{"floor: PutItem of a row's size", func() error { return b.put(ctx) }},
		{"floor: PutItem until its stream's poller has it", func() error {
			nudge()
			if err := b.put(ctx); err != nil {
				return err
			}
			return <-seen
		}},
		{"floor: Invoke of the program without a record", func() error { return b.invoke(ctx) }},
		{"floor: SendMessage until a receiver has it", func() error { return b.pass(ctx) }},
	} {
		for len(seen) > 0 {
			<-seen // of the step before
		}
		s, err := measure.Times(warm, counted, step.do)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		b.Series(step.name, s, "")
		medians = append(medians, s.Median())
	}

	get, update, put, stream, invoke, message := medians[0], medians[1], medians[2], medians[3], medians[4], medians[5]
	b.Row("floor of a row's way", fmt.Sprintf("%.2f ms", measure.MS(stream+invoke+put+message)), "",
		"PutItem with its stream, Invoke, PutItem of the run, message")
	b.Row("floor of endpoint 13", fmt.Sprintf("%.2f ms", measure.MS(invoke+get+update+put)), "",
		"Invoke, GetItem of the hook, UpdateItem that counts, PutItem of the call")
	return nil
}

// invoke has a program answer that has nothing to do.
func (b *bench) invoke(ctx context.Context) error {
	_, err := b.lambda.Invoke(ctx, &lambda.InvokeInput{
		FunctionName: aws.String(recordtrigger), Payload: []byte(`{"Records":[]}`),
	})
	return err
}

// get reads what put has written.
func (b *bench) get(ctx context.Context) error {
	_, err := dynamo.GetItem(ctx, b.database, b.table("TriggersTable"), "bench", "floor")
	return err
}

// count counts in an item of its own.
func (b *bench) count(ctx context.Context) error {
	_, err := dynamo.UpdateItem(ctx, b.database, dynamo.Update(
		b.table("TriggersTable"), "bench", "count", "ADD n :one", "", dynamo.Item{":one": dynamo.Number(1)},
	))
	return err
}

// put writes an item that fires nothing into a table whose stream fires triggers.
func (b *bench) put(ctx context.Context) error {
	it := dynamo.Key("bench", "floor")
	it["at"], it["text"] = dynamo.Number(time.Now().UnixNano()), dynamo.Text(fmt.Sprintf("%300d", 1))
	_, err := b.database.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(b.table("TriggersTable")), Item: it})
	return err
}

// pass sends a message and receives it.
func (b *bench) pass(ctx context.Context) error {
	_, err := b.queue.SendMessage(ctx, &sqs.SendMessageInput{
		QueueUrl: aws.String(b.queueURL("ActionQueue")), MessageBody: aws.String("{}"),
	})
	if err != nil {
		return err
	}
	_, err = b.receive(ctx, "ActionQueue")
	return err
}

// arrivals is a function that tells when it is called, and does nothing.
type arrivals chan error

func (a arrivals) Invoke(context.Context, lambdahost.Request) (lambdahost.Result, error) {
	select {
	case a <- nil:
	default:
	}
	return lambdahost.Result{Payload: []byte(`{"batchItemFailures":[]}`)}, nil
}

// follow polls the stream of the table that put writes to, as the local cloud does for a program: nudge tells it of a
// write. The channel gets something for each batch.
func (b *bench) follow(ctx context.Context) (seen chan error, nudge, stop func(), err error) {
	dir, err := os.MkdirTemp("", "bench-stream")
	if err != nil {
		return nil, nil, nil, err
	}
	checkpoints, err := eventsource.OpenCheckpoints(filepath.Join(dir, "streams.json"))
	if err != nil {
		return nil, nil, nil, err
	}

	seen = make(chan error, 1)
	p := &eventsource.StreamPoller{
		Database: b.cloud.Database, Region: ddb.Region, Invoker: arrivals(seen), Function: "floor",
		Mapping: template.StreamEvent{
			Name: "floor", Table: b.table("TriggersTable"),
			Batch: template.Batch{Size: 100, PartialAnswer: true},
		},
		Checkpoints: checkpoints, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	if err := p.Init(); err != nil {
		return nil, nil, nil, err
	}

	polling, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		err := p.Run(polling)
		if err != nil {
			seen <- errors.Join(errors.New("the stream is not read any more"), err)
		}
		ended <- err
	}()
	return seen, p.Nudge, func() { cancel(); <-ended; os.RemoveAll(dir) }, p.Drained(ctx)
}
