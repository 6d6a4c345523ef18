package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Bring puts an event of now into the queue behind the bus, and returns when it has been worked on.
func (w *World) Bring(queue string, e events.EventBridgeEvent) {
	e.Version, e.Region, e.Time = "0", region, time.Now().UTC().Truncate(time.Second)
	text := must(json.Marshal(e))

	id, random := w.Put(queue, string(text)), w.Random("bring "+string(text))
	for must(w.broker.Holds(queue, id)) {
		select {
		case <-w.ctx.Done():
			return
		case <-time.After(random.Jitter(100 * time.Millisecond)):
		}
	}
}

// Tick calls f at every full minute. Some ticks are lost, and some come twice.
func (w *World) Tick(
	program string, start Program, f func(ctx context.Context, handlers any, minute time.Time) error,
) {
	w.mu.Lock()
	w.ticks++
	name := fmt.Sprint("tick ", program, w.ticks) // a program may have several schedules
	w.mu.Unlock()
	random := w.Random(name)
	w.running.Go(func() {
		for {
			next := time.Now().Truncate(time.Minute).Add(time.Minute)
			select {
			case <-w.ctx.Done():
				return
			case <-time.After(random.Jitter(time.Until(next))):
			}

			times := 1
			switch {
			case random.Permille(w.Rates.LostTick):
				times = 0
				w.Count("tick lost")
			case random.Permille(w.Rates.DoubledTick):
				times = 2
				w.Count("tick doubled")
			}

			for n := range times {
				own := w.Random(fmt.Sprint(name, next, n))
				w.running.Go(func() {
					time.Sleep(own.Jitter(0))
					_, _ = w.Do(program, start, func(ctx context.Context, handlers any) error { return f(ctx, handlers, next) })
				})
			}
		}
	})
}
