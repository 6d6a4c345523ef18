package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Put is an event that was put on the bus.
type Put struct {
	Source     string
	DetailType string
	Detail     string
}

// put is PutEvents.
func (w *World) put(c *call) answer {
	var in struct{ Entries []Put }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return answer{err: err}
	}
	if c.operation != "PutEvents" || w.puts == nil {
		return answer{status: http.StatusBadRequest, body: []byte(`{"__type":"UnsupportedOperation"}`)}
	}

	w.puts(in.Entries)
	ids := make([]any, len(in.Entries))
	for i := range ids {
		ids[i] = map[string]any{"EventId": fmt.Sprint(i)}
	}
	body, err := json.Marshal(map[string]any{"FailedEntryCount": 0, "Entries": ids})
	return answer{status: http.StatusOK, body: body, err: err}
}

// EventHandler is a function behind a rule of the bus.
type EventHandler = func(context.Context, events.CloudWatchEvent) error

// Route has a program get the events of the bus, each until it succeeds once, and some of them twice.
func (w *World) Route(program string, start Program, handler func(handlers any) EventHandler) {
	w.puts = func(entries []Put) {
		for _, e := range entries {
			w.running.Go(func() { w.Event(program, start, handler, e) })
		}
	}
}

// Event delivers one event of the bus.
func (w *World) Event(program string, start Program, handler func(any) EventHandler, e Put) {
	event := events.CloudWatchEvent{
		ID: fmt.Sprintf("event-%x", w.Intn(1<<30)), Source: e.Source, DetailType: e.DetailType,
		Detail: json.RawMessage(e.Detail), Time: time.Now().UTC(),
	}
	for {
		err, alive := w.Do(program, start, func(ctx context.Context, handlers any) error {
			return handler(handlers)(ctx, event)
		})
		if err == nil && alive && !w.Chance(w.Rates.Doubled) {
			return
		}

		select {
		case <-w.stopped:
			return
		case <-time.After(w.Apart(time.Minute)):
		}
	}
}

// Tick has something done at every full minute, when a tick is not lost; some come twice.
func (w *World) Tick(
	program string, start Program, f func(ctx context.Context, handlers any, minute time.Time) error,
) {
	w.running.Go(func() {
		for {
			next := time.Now().Truncate(time.Minute).Add(time.Minute)
			select {
			case <-w.stopped:
				return
			case <-time.After(w.Apart(time.Until(next))):
			}

			times := 1
			switch {
			case w.Chance(w.Rates.LostTick):
				times = 0
			case w.Chance(w.Rates.DoubledTick):
				times = 2
			}

			for range times {
				w.running.Go(func() {
					_, _ = w.Do(program, start, func(ctx context.Context, handlers any) error { return f(ctx, handlers, next) })
				})
			}
		}
	})
}
