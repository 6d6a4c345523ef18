package eventsource

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"
)

// tumblingWindow is the tumbling window of a stream's batches. Lambda sends the shard with each batch, passes the
// state that a batch returns to the next one, and makes a final call without records when the window ends.
//
// The zero value serves a mapping without windows.
type tumblingWindow struct {
	start, end time.Time
	state      json.RawMessage
	shard      string // id; "" is that of the stream's newest shard
}

// errNoState is Lambda's error for a response without state.
var errNoState = errors.New("the answer has no state, which a tumbling window needs")

// invoke invokes the function of p with a batch, after the final call of a window that has ended.
func (w *tumblingWindow) invoke(ctx context.Context, p *StreamPoller, batch []record) ([]byte, error) {
	if p.Mapping.Tumbling == 0 {
		return p.invoke(ctx, map[string]any{"Records": batch}, batch[0].at)
	}

	// The write time of a record determines its window.
	if at := batch[0].at; !at.Before(w.end) {
		if w.state != nil {
			if answer, err := w.call(ctx, p, nil, at, true); err != nil {
				return answer, err
			}
		}
		w.start = at.Truncate(p.Mapping.Tumbling)
		w.end, w.state = w.start.Add(p.Mapping.Tumbling), nil
	}

	return w.call(ctx, p, batch, batch[0].at, false)
}

// call invokes the function; first is the time of the first record that waits for it.
func (w *tumblingWindow) call(
	ctx context.Context, p *StreamPoller, batch []record, first time.Time, final bool,
) ([]byte, error) {
	// A nil slice would be null in JSON; the final call of an empty window has no records.
	if batch == nil {
		batch = []record{}
	}
	state := w.state
	if state == nil {
		state = json.RawMessage("{}")
	}

	answer, err := p.invoke(ctx, map[string]any{
		"Records": batch, "shardId": cmp.Or(w.shard, p.client.shard), "eventSourceARN": p.client.arn, "state": state,
		"window":                 map[string]any{"start": w.start.UTC(), "end": w.end.UTC()},
		"isFinalInvokeForWindow": final, "isWindowTerminatedEarly": false,
	}, first)
	if err != nil {
		return answer, err
	}

	var said struct {
		State json.RawMessage `json:"state"`
	}
	if err := json.Unmarshal(answer, &said); err != nil || len(said.State) == 0 || string(said.State) == "null" {
		return answer, errNoState
	}
	w.state = said.State

	return answer, nil
}

// invoke retries a throttled batch until its first record is too old.
func (p *StreamPoller) invoke(ctx context.Context, event any, first time.Time) ([]byte, error) {
	return invoke(ctx, p.Invoker, p.Function, "", event, first.Add(p.oldest()))
}
