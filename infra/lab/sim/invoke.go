package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/gateway"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/stats"
	"minicloud/infra/local/template"
	"minicloud/shared/program/lambdahttp"
)

// region is where everything is.
const region = "us-east-1"

// invoker is Lambda behind the event sources of the local cloud: it runs a batch in a process of a program. AWS's
// unkindness towards batches stands here and in the kinds of batches: a source does nothing by itself that it does not
// do in the local cloud.
type invoker struct {
	world    *World
	programs []string // one of them runs the batch
	start    Program
	batch    func(ctx context.Context, handlers any, payload []byte, random Random) (answer any, err error)
}

// Invoke implements eventsource.Invoker.
func (v invoker) Invoke(_ context.Context, req lambdahost.Request) (lambdahost.Result, error) {
	// The random source follows from the batch and the time, because batches begin in any order.
	random := v.world.Random(fmt.Sprint(req.Function, time.Now().UnixNano(), string(req.Payload)))
	// Programs draw ids from one source: two of them must not be awake at the same instant.
	time.Sleep(random.Jitter(0))
	if v.world.exhausted(req.Function) {
		return lambdahost.Result{}, &lambdahost.Error{Status: http.StatusTooManyRequests, Type: "TooManyRequestsException"}
	}

	var answer any
	err, alive := v.world.Do(v.programs[random.IntN(len(v.programs))], v.start,
		func(ctx context.Context, handlers any) (err error) {
			answer, err = v.batch(ctx, handlers, req.Payload, random)
			return err
		})
	if err != nil || !alive {
		return lambdahost.Result{FunctionError: "Unhandled"}, nil
	}
	payload, err := json.Marshal(answer)
	return lambdahost.Result{Payload: payload}, err
}

// Serve has programs serve the routes of the template, each on so many machines. Programs are known by their names.
func (w *World) Serve(t *template.Template, programs map[string]Program, machines int) {
	of := map[string]invoker{}
	for _, f := range t.Functions {
		of[f.Name] = invoker{w, w.Machines(f, machines), programs[f.Program], func(
			ctx context.Context, handlers any, payload []byte, _ Random,
		) (any, error) {
			answer, err := handlers.(lambdahttp.Handler).Invoke(ctx, payload)
			return json.RawMessage(answer), err
		}}
	}
	w.gateway = gateway.New(t.Functions, served(of), stats.New())
}

// Machines are those that run a function of the template, by their names. They end an invocation that takes too long.
func (w *World) Machines(f *template.Function, n int) (names []string) {
	for i := range n {
		name := f.Program
		if i > 0 {
			name += fmt.Sprint(i + 1)
		}
		names = append(names, name)
		w.Limits[name], w.environments[name] = f.Timeout, f.Environment
	}
	return names
}

// served invokes functions for the gateway.
type served map[string]invoker

// Invoke implements gateway.Invoker. A function goes on when its caller waits no longer.
func (s served) Invoke(ctx context.Context, req lambdahost.Request) (result lambdahost.Result, err error) {
	of := s[req.Function]
	ended := make(chan struct{})
	of.world.running.Go(func() {
		defer close(ended)
		result, err = of.Invoke(ctx, req)
	})
	select {
	case <-ended:
		return result, err
	case <-ctx.Done():
		return lambdahost.Result{}, ctx.Err()
	}
}

// RoundTrip sends a request to the gateway. Some answers are lost on their way back.
func (w *World) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	// The gateway draws ids: two requests must not be awake at the same instant, as when both lost their program, or when two
	// users send the same.
	header := r.Header
	random := w.Random(fmt.Sprint(time.Now().UnixNano(), r.Method, r.URL, header.Get("Authorization"), header.Get("Idempotency-Key"),
		string(body)))
	time.Sleep(random.Jitter(0))

	arrived := r.Clone(r.Context())
	arrived.Body, arrived.RequestURI, arrived.RemoteAddr = io.NopCloser(bytes.NewReader(body)), r.URL.RequestURI(), "203.0.113.9:1"
	recorder := httptest.NewRecorder()
	w.gateway.ServeHTTP(recorder, arrived)
	if random.Permille(w.Rates.LostAnswer) {
		return nil, errLost
	}
	answer := recorder.Result()
	answer.Request = r
	return answer, nil
}

// Exhaust takes all concurrency from a program for a while: batches for it are throttled, and their messages count as
// received once they are visible again.
func (w *World) Exhaust(program string, d time.Duration) {
	w.Count("no concurrency")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exhaustion[program] = time.Now().Add(d)
}

func (w *World) exhausted(program string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Before(w.exhaustion[program])
}

// SQSHandler is a function behind a queue.
type SQSHandler = func(context.Context, events.SQSEvent) (events.SQSEventResponse, error)

// batchOfQueue runs batches of messages.
type batchOfQueue struct {
	world   *World
	queue   string
	handler func(handlers any) SQSHandler
}

// invoke gives some messages to another receiver at the same time, and does not let some be deleted.
func (b batchOfQueue) invoke(ctx context.Context, handlers any, payload []byte, random Random) (any, error) {
	var event events.SQSEvent
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, err
	}
	for _, m := range event.Records {
		got := received{queue: b.queue, body: m.Body}
		if text := m.MessageAttributes["Chain"].StringValue; text != nil {
			got.chain = *text
		}
		b.world.noteReceived(m.MessageId, got)
		if random.Permille(b.world.Rates.Twice) {
			b.world.noteDelivery("delivered to two at once", b.queue, m.Body)
			// A handle of an earlier receive would be refused, and the message is visible already.
			_ = b.world.broker.ChangeVisibility(b.queue, m.ReceiptHandle, 0)
		}
	}

	answer, err := b.handler(handlers)(ctx, event)
	if err != nil {
		return nil, err
	}
	failed := map[string]bool{}
	for _, f := range answer.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, m := range event.Records {
		if !failed[m.MessageId] && random.Permille(b.world.Rates.Doubled) {
			b.world.noteDelivery("delivered again", b.queue, m.Body)
			answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
		}
	}
	return answer, nil
}

// batchOfStream runs batches of records.
type batchOfStream struct {
	world   *World
	handler func(handlers any) StreamHandler
}

// invoke loses some answers, after which the whole batch comes again.
func (b batchOfStream) invoke(ctx context.Context, handlers any, payload []byte, random Random) (any, error) {
	var event events.DynamoDBTimeWindowEvent
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, err
	}
	answer, err := b.handler(handlers)(ctx, event)
	if err == nil && random.Permille(b.world.Rates.Doubled) {
		b.world.Count("delivered again")
		err = errLost
	}
	return answer, err
}
