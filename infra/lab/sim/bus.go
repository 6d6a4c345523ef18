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
	ID         string // "" = the bus makes one
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

// Route makes the bus put its events into a queue.
func (w *World) Route(queue string) {
	w.puts = func(entries []Put) {
		for _, e := range entries {
			w.enqueue(w.Queue(queue), sendRequest{MessageBody: w.delivered(e)})
		}
	}
}

// delivered is an event as the bus delivers it.
func (w *World) delivered(e Put) string {
	if e.ID == "" {
		w.mu.Lock()
		w.busEvents++
		e.ID = fmt.Sprintf("event-%d", w.busEvents)
		w.mu.Unlock()
	}
	text, err := json.Marshal(events.CloudWatchEvent{
		ID: e.ID, Source: e.Source, DetailType: e.DetailType, Detail: json.RawMessage(e.Detail), Time: time.Now().UTC(),
	})
	if err != nil {
		panic(err) // its detail came as JSON
	}
	return string(text)
}

// Bring puts an event into the queue behind the bus, and returns when it has been worked on.
func (w *World) Bring(queue string, e Put) {
	q := w.Queue(queue)
	sent := w.enqueue(q, sendRequest{MessageBody: w.delivered(e)})
	random := w.Random("bring " + e.ID + e.Detail)
	for w.holds(q, fmt.Sprint(sent["MessageId"])) {
		select {
		case <-w.stopped:
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
			case <-w.stopped:
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
