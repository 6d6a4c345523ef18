// Package async runs asynchronous (Event) invocations. Each invocation waits in a durable queue, so kill -9 loses
// none.
//
//	Later ─► queue ─► invoke ─ok─► done
//	            ▲        ├─ throttled: visible again after a delay
//	            └─1,2 min┴─ failed: retried twice, or as often as EventInvokeConfig says
//
// An invocation is dropped and logged after its last retry, or once it is older than the function's
// MaximumEventAgeInSeconds.
package async

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// name is the queue of this package. AWS does not allow this name for a queue of a template.
const name = "(async)"

const (
	atOnce     = 100 // concurrent invocations
	retryAfter = time.Minute
)

// Queue returns the definition of the queue that the broker must have for this package.
func Queue() *template.Queue {
	return &template.Queue{
		Name: name, MaxBytes: 2*lambdahost.MaxAsyncPayload + 4096, Retention: 6 * time.Hour,
		Visibility: 16 * time.Minute, // longer than the timeout of any function
	}
}

// Runner stores invocations and runs them in the background.
type Runner struct {
	Broker  *queue.Broker
	Invoker lambdahost.Invoker
	// Policies by function name; a function without a policy gets Lambda's default.
	Policies map[string]template.Async
	Clock    clock.Clock
	Log      *slog.Logger
}

// work is a queued invocation.
type work struct {
	Function string `json:"function"`
	Tenant   string `json:"tenant,omitempty"`
	Payload  string `json:"payload"`
	Try      int    `json:"try,omitempty"` // number of earlier attempts that failed
	// Since is the time of the original request; a retry keeps it.
	Since time.Time `json:"since,omitzero"`
}

// Later stores an invocation durably. If it returns nil, the invocation will run.
func (r *Runner) Later(req lambdahost.Request) error {
	return r.put(work{Function: req.Function, Tenant: req.Tenant, Payload: string(req.Payload), Since: r.Clock.Now()}, 0)
}

func (r *Runner) put(w work, delay time.Duration) error {
	body, err := json.Marshal(w)
	if err != nil {
		return err
	}
	_, err = r.Broker.Send(name, queue.Outgoing{Body: string(body), Group: w.Function, Delay: delay})
	return err
}

// Run runs stored invocations until the context ends, then waits for the running ones.
func (r *Runner) Run(ctx context.Context) error {
	slots := make(chan struct{}, atOnce)
	var running sync.WaitGroup
	defer running.Wait()
	for {
		messages, err := r.Broker.Receive(ctx, name, 1, queue.MaxWait, -1)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}

		for _, m := range messages {
			// Take a slot before starting the goroutine: when all are taken, Receive pauses and messages stay visible
			// in the queue.
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				if err := r.run(ctx, m); err != nil && ctx.Err() == nil {
					r.Log.Error("an Event invocation failed", "error", err.Error())
				}
			})
		}
	}
}

func (r *Runner) run(ctx context.Context, m queue.Message) error {
	var w work
	if err := json.Unmarshal([]byte(m.Body), &w); err != nil {
		return errors.Join(err, r.Broker.Delete(name, m.Handle()))
	}
	if limit := r.Policies[w.Function].MaxAge; limit > 0 && r.Clock.Now().Sub(w.Since) > limit {
		r.giveUp(w, "older than "+limit.String())
		return r.Broker.Delete(name, m.Handle())
	}

	result, err := r.Invoker.Invoke(
		ctx, lambdahost.Request{Function: w.Function, Tenant: w.Tenant, Payload: []byte(w.Payload)},
	)
	if ctx.Err() != nil {
		return nil // the invocation runs again after the restart
	}
	if refusal, ok := errors.AsType[*lambdahost.Error](err); ok && refusal.Status == 429 {
		return r.Broker.ChangeVisibility(name, m.Handle(), min(time.Duration(m.Receives)*time.Second, time.Minute))
	}
	if err == nil && result.FunctionError == "" {
		return r.Broker.Delete(name, m.Handle())
	}
	failure := string(result.Payload)
	if err != nil {
		failure = err.Error()
	}
	// Enqueue the retry before deleting this message: a crash between the two then runs the invocation twice instead
	// of losing it.
	if err := r.failed(w, failure); err != nil {
		return err
	}
	return r.Broker.Delete(name, m.Handle())
}

// failed schedules a retry, or drops the invocation after its last one.
func (r *Runner) failed(w work, failure string) error {
	policy, ok := r.Policies[w.Function]
	if !ok {
		policy.Retries = 2
	}
	if w.Try < policy.Retries {
		w.Try++
		return r.put(w, time.Duration(w.Try)*retryAfter)
	}
	w.Try++
	r.giveUp(w, failure)
	return nil
}

// giveUp logs a dropped invocation. Lambda drops it too unless the function has a failure destination.
func (r *Runner) giveUp(w work, failure string) {
	r.Log.Error("given up on an invocation", "function", w.Function, "tries", w.Try, "error", failure)
}
