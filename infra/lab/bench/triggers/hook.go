package triggers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/stats"
)

// hookPace keeps below the five calls a second that an application has (G25).
const hookPace = 210 * time.Millisecond

// hook measures endpoint 13: a call that is stored, at the rate that is allowed, one client after the other and eight
// of them at once; and what a call over the rate takes.
func (b *bench) hook(ctx context.Context) error {
	m, err := b.makeTrigger(ctx, "incoming_webhook", object{}, true)
	if err != nil {
		return err
	}
	call := func() error { return b.send(ctx, "POST", m.hook(), object{"n": 1, "text": "a call of a hook"}, nil) }
	if err := b.paced(ctx, call); err != nil {
		return err
	}
	if err := b.overrun(ctx, call); err != nil {
		return err
	}
	return b.send(ctx, "DELETE", fmt.Sprint(triggers, m.ID, "/"), nil, nil)
}

// paced calls a hook at the rate that is allowed. Whoever comes five times a second finds nothing in the processor's
// caches, so the floor is measured at that pace, too.
func (b *bench) paced(ctx context.Context, call func() error) error {
	var stored, floor measure.Series
	var before stats.Snapshot
	for n := range (warm + counted) / 4 {
		if n == warm/4 {
			before = b.cloud.Stats()
		}
		for _, way := range []struct {
			series *measure.Series
			do     func() error
		}{{&stored, call}, {&floor, func() error { return b.steps(ctx) }}} {
			time.Sleep(hookPace / 2)
			began := time.Now()
			if err := way.do(); err != nil {
				return err
			}
			if n >= warm/4 {
				*way.series = append(*way.series, time.Since(began))
			}
		}
	}

	b.Series("endpoint 13, stored, 1 client", stored, "≤ 5 ms")
	b.Series("  floor at that pace", floor, "")
	b.Row("  DynamoDB calls each, with the floor's three", api.Calls(before, b.cloud.Stats(), len(stored)), "", "")
	return nil
}

// steps is what endpoint 13 asks of the local cloud.
func (b *bench) steps(ctx context.Context) error {
	for _, step := range []func(context.Context) error{b.invoke, b.get, b.count, b.put} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// overrun calls a hook from eight clients at once, many more than the rate allows.
func (b *bench) overrun(ctx context.Context, call func() error) error {
	var mu sync.Mutex
	var stored, refused measure.Series
	var failed error
	var clients sync.WaitGroup
	var over atomic.Bool
	time.AfterFunc(5*time.Second, func() { over.Store(true) })
	for range 8 {
		clients.Go(func() {
			for !over.Load() && ctx.Err() == nil {
				began := time.Now()
				err := call()
				took := time.Since(began)
				mu.Lock()
				switch {
				case err == nil:
					stored = append(stored, took)
				case strings.Contains(err.Error(), "status 429"):
					refused = append(refused, took)
				default:
					failed = err
					over.Store(true)
				}
				mu.Unlock()
			}
		})
	}
	clients.Wait()

	b.Series("endpoint 13, stored, 8 clients", stored, "")
	b.Series("endpoint 13, over the rate, 8 clients", refused, "")
	b.Row("  in 5 s", fmt.Sprintf("%d stored", len(stored)), "≤ 30", fmt.Sprintf("%d refused", len(refused)))
	return failed
}
