package sim

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"minicloud/infra/local/bus"
	local "minicloud/infra/local/queue"
)

// Put is an event that was put on the bus.
type Put struct {
	ID         string
	Source     string
	DetailType string
	Detail     string
}

// Bring puts an event into the queue behind the bus, and returns when it has been worked on.
func (w *World) Bring(queue string, e Put) {
	text, err := json.Marshal(bus.Event{
		Version: "0", ID: e.ID, Source: e.Source, DetailType: e.DetailType, Detail: json.RawMessage(e.Detail),
		Time: time.Now().UTC().Format(time.RFC3339), Region: region,
	})
	if err != nil {
		panic(err) // its detail came as JSON
	}

	id, random := w.Put(queue, string(text)), w.Random("bring "+e.ID+e.Detail)
	for slices.ContainsFunc(w.Messages(queue), func(m local.Message) bool { return m.ID == id }) {
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
	random := w.Random("tick " + program)
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

			for range times {
				w.running.Go(func() {
					_, _ = w.Do(program, start, func(ctx context.Context, handlers any) error { return f(ctx, handlers, next) })
				})
			}
		}
	})
}
