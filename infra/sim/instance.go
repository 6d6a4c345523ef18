package sim

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/dynamo"
)

// Instance is one process of a program: its clients, and what it keeps between requests. When it dies everything in it
// ends, and the next request gets a new one.
type Instance struct {
	Program string
	Name    string // of the program and its number

	DynamoDB *dynamodb.Client
	SQS      *sqs.Client
	Bus      *eventbridge.Client
	Handlers any // what the program made of these

	ctx  context.Context // ends when the instance dies
	kill context.CancelFunc
	dead atomic.Bool
}

// Program makes an instance's handlers, as main does.
type Program func(*Instance) any

// Instance returns the living process of a program, a new one when there is none.
func (w *World) Instance(name string, start Program) *Instance {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.instances[name]; i != nil && !i.dead.Load() {
		return i
	}

	i := &Instance{Program: name, Name: fmt.Sprintf("%s#%d", name, w.Deaths)}
	i.ctx, i.kill = context.WithCancel(context.Background())
	cfg := aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String("http://simulated"),
		Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
	}
	i.DynamoDB = dynamodb.New(
		dynamo.New(cfg).Options(), func(o *dynamodb.Options) { o.HTTPClient = &gate{w, i, "dynamodb"} },
	)
	i.SQS = sqs.NewFromConfig(cfg, func(o *sqs.Options) {
		o.HTTPClient = &gate{w, i, "sqs"}
		o.DisableMessageChecksumValidation = true
	})
	i.Bus = eventbridge.NewFromConfig(cfg, func(o *eventbridge.Options) { o.HTTPClient = &gate{w, i, "events"} })
	i.Handlers = start(i)
	w.instances[name] = i
	return i
}

// Kill ends an instance and all it does.
func (w *World) Kill(i *Instance) {
	if i.dead.Swap(true) {
		return
	}
	w.mu.Lock()
	w.Deaths++
	w.mu.Unlock()
	i.kill()
}

// Do has an instance of the program do something, as one invocation. ok is false when it died meanwhile: then nobody
// knows what was done.
func (w *World) Do(name string, start Program, f func(ctx context.Context, handlers any) error) (err error, ok bool) {
	i := w.Instance(name, start)
	err = f(i.ctx, i.Handlers)
	return err, !i.dead.Load()
}
