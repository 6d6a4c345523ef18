package triggers

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"minicloud/infra/lab/bench/measure"
	"minicloud/shared/trigger"
)

// quiet is the pause between two writes that are measured alone.
const quiet = 30 * time.Millisecond

// latency measures from a write to the message that asks for the action. The run is stored before its message is sent.
// The very first write comes before everything else on this cloud.
func (b *bench) latency(ctx context.Context) error {
	if err := b.makeTable(ctx, "watched"); err != nil {
		return err
	}
	m, err := b.makeTrigger(ctx, "table", onRow("watched"), true)
	if err != nil {
		return err
	}

	arrived := make(chan arrival, 16)
	receiving, stop := context.WithCancel(ctx)
	defer stop()
	go b.watch(receiving, arrived)
	began := time.Now()
	if _, err := b.write(ctx, "watched", 0, arrived); err != nil {
		return err
	}
	b.Row("write to action message, the very first", fmt.Sprintf("%.0f ms", measure.MS(time.Since(began))), "",
		"programs start, nothing is cached")

	if err := b.quietly(ctx, arrived); err != nil {
		return err
	}
	return b.send(ctx, "DELETE", fmt.Sprint(triggers, m.ID, "/"), nil, nil)
}

// quietly measures writes that come one after the other.
func (b *bench) quietly(ctx context.Context, arrived <-chan arrival) error {
	var whole, after measure.Series
	for n := range warm + counted {
		time.Sleep(quiet)
		began := time.Now()
		answered, err := b.write(ctx, "watched", n, arrived)
		if err != nil {
			return err
		}
		if n >= warm {
			whole = append(whole, time.Since(began))
			after = append(after, max(0, time.Since(answered)))
		}
	}

	b.Series("write to action message, from the request", whole, "≤ 60 ms")
	b.Row("  p99", fmt.Sprintf("%.2f ms", measure.MS(whole.P(0.99))), "≤ 250 ms", "")
	b.Series("  from the answer to the write", after, "")
	return nil
}

type arrival struct {
	message trigger.Message
	err     error
}

// watch tells of each message that asks for a run, until the context ends.
func (b *bench) watch(ctx context.Context, arrived chan<- arrival) {
	for ctx.Err() == nil {
		bodies, err := b.receive(ctx, "ActionQueue")
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			arrived <- arrival{err: err}
			return
		}
		for _, body := range bodies {
			var a arrival
			a.err = json.Unmarshal([]byte(body), &a.message)
			arrived <- a
		}
	}
}

// write makes row n of a table and waits for its message. It returns when the write was answered.
func (b *bench) write(
	ctx context.Context, table string, n int, arrived <-chan arrival,
) (answered time.Time, err error) {
	if err := b.send(ctx, "POST", fmt.Sprintf(rows, table), draft(n), nil); err != nil {
		return answered, err
	}
	answered = time.Now()

	select {
	case <-ctx.Done():
		return answered, ctx.Err()
	case a := <-arrived:
		if a.err == nil && a.message.Run == "" {
			a.err = fmt.Errorf("a message that asks for no run: %+v", a.message)
		}
		return answered, a.err
	case <-time.After(30 * time.Second):
		return answered, fmt.Errorf("no message came of row %d", n)
	}
}

// silence writes to a table without triggers and counts whom that wakes.
func (b *bench) silence(ctx context.Context) error {
	if err := b.makeTable(ctx, "silent"); err != nil {
		return err
	}
	if err := b.cloud.Drain(ctx); err != nil {
		return err
	}
	before := b.cloud.Stats().Invoke[recordtrigger]
	for n := range counted {
		if err := b.send(ctx, "POST", fmt.Sprintf(rows, "silent"), draft(n), nil); err != nil {
			return err
		}
	}

	if err := b.cloud.Drain(ctx); err != nil {
		return err
	}
	woken := b.cloud.Stats().Invoke[recordtrigger] - before
	b.Row(fmt.Sprintf("%d writes without triggers wake", counted), fmt.Sprint(woken), "0", "invocations of recordtrigger")
	if woken > 0 {
		return fmt.Errorf("%d invocations of %s for writes that nobody waits for", woken, recordtrigger)
	}
	return nil
}
