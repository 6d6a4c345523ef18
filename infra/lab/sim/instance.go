package sim

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/clock"
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

	clock clock.Clock
	ctx   context.Context // ends when the instance dies
	kill  context.CancelFunc
	dead  atomic.Bool
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
	i.clock = func() time.Time { return time.Now().UTC().Add(w.skew(name)) }
	i.Handlers = start(i)
	w.instances[name] = i
	return i
}

// Dead reports whether the process has ended.
func (i *Instance) Dead() bool { return i.dead.Load() }

// Clock is the clock of the machine that the program runs on.
func (i *Instance) Clock() clock.Clock { return i.clock }

// Skew sets the clock of a program's machine off by so much.
func (w *World) Skew(program string, by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.skews[program] = by
}

func (w *World) skew(program string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.skews[program]
}

// workKey is that of a context's value: what its calls are made for.
type workKey struct{}

// For says what the calls of a context are made for.
func For(ctx context.Context, what string) context.Context {
	return context.WithValue(ctx, workKey{}, what)
}

// Of is what For has said, "" for nothing.
func Of(ctx context.Context) string {
	what, _ := ctx.Value(workKey{}).(string)
	return what
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
	if limit := w.Limits[name]; limit > 0 {
		ends := time.AfterFunc(limit, func() {
			if !i.Dead() {
				w.Count("invocation out of time")
				w.Kill(i)
			}
		})
		defer ends.Stop()
	}
	err = f(i.ctx, i.Handlers)
	return err, !i.dead.Load()
}
