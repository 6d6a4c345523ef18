package action_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/run"
)

// readers counts the reads of triggers. Reads wait until hold is closed; the first ones fail.
type readers struct {
	action.Triggers
	mu    sync.Mutex
	n     int
	hold  chan struct{}
	fails int
}

func (r *readers) Trigger(ctx context.Context, scope tenant.Scope, t trigger.ID) (trigger.Trigger, error) {
	r.mu.Lock()
	r.n++
	fails := r.n <= r.fails
	r.mu.Unlock()
	if r.hold != nil {
		<-r.hold
	}
	if fails {
		return trigger.Trigger{}, errors.New("no database")
	}
	return r.Triggers.Trigger(ctx, scope, t)
}

func (k *kit) counted() *readers {
	r := &readers{Triggers: k.triggers}
	k.executor.Triggers = r
	return r
}

// TestBatchReadsTriggerOnce checks that a batch shares a read for a short time. Another batch reads again, so that a
// disabled trigger is noticed.
func TestBatchReadsTriggerOnce(t *testing.T) {
	k := newKit(t)
	r := k.counted()
	messages := []run.Message{
		k.fire("a", 4), k.fire("a", 5), k.fire("b", 4), k.fire("b", 5), k.fire("c", 4), k.fire("d", 4), k.fire("e", 4),
	}

	batch := action.Batch(t.Context())
	var all sync.WaitGroup
	for _, m := range messages[:4] {
		all.Go(func() {
			if err := k.executor.Handle(batch, m); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()

	if r.n != 1 || len(k.doer.works) != 4 {
		t.Errorf("%d reads for %d works", r.n, len(k.doer.works))
	}

	k.now = k.now.Add(99 * time.Millisecond)
	disabled := k.trigger
	disabled.Enabled, disabled.Revision = false, 2
	if err := k.triggers.Replace(t.Context(), here, k.trigger, disabled, time.Time{}); err != nil {
		t.Fatal(err)
	}

	for i, tt := range []struct {
		what    string
		ctx     context.Context
		after   time.Duration
		reads   int
		skipped bool
	}{
		{"a moment after", batch, 0, 1, false},
		{"another batch", action.Batch(t.Context()), 0, 2, true},
		{"later", batch, time.Millisecond, 3, true},
	} {
		k.now = k.now.Add(tt.after)
		m := messages[4+i]
		if err := k.executor.Handle(tt.ctx, m); err != nil {
			t.Fatal(err)
		}
		if got := k.run(m); r.n != tt.reads || (got.Status == run.Skipped) != tt.skipped {
			t.Errorf("%s: %d reads, %s", tt.what, r.n, got.Status)
		}
	}
}

// TestFailedReadFailsOneRun checks that one failed read fails one run of a batch. The other runs read for themselves.
func TestFailedReadFailsOneRun(t *testing.T) {
	k := newKit(t)
	r := k.counted()
	r.fails, r.hold = 1, make(chan struct{})
	messages := []run.Message{k.fire("a", 4), k.fire("b", 4), k.fire("c", 4)}

	batch := action.Batch(t.Context())
	var all sync.WaitGroup
	for _, m := range messages {
		all.Go(func() {
			if err := k.executor.Handle(batch, m); err != nil {
				t.Error(err)
			}
		})
	}

	close(r.hold)
	all.Wait()

	waiting := 0
	for _, m := range messages {
		if k.run(m).Status == run.WaitingRetry {
			waiting++
		}
	}

	if waiting != 1 || len(k.doer.works) != 2 {
		t.Errorf("%d wait, %d worked on", waiting, len(k.doer.works))
	}
}

// schemas counts the reads of tables.
type schemas struct {
	table.TableStore
	n int
}

func (s *schemas) Table(ctx context.Context, scope tenant.Scope, t table.ID) (table.Table, error) {
	s.n++
	return s.TableStore.Table(ctx, scope, t)
}

// TestBatchReadsTableOnce checks that runs of a batch share a read of their table. Another batch, or the same batch
// after a moment, reads again.
func TestBatchReadsTableOnce(t *testing.T) {
	p := newPlatform(t)
	p.crowd(1)
	s := &schemas{TableStore: p.tables.Schemas}
	p.tables.Schemas = s
	work := p.work("r", increment(everything), order)
	batch := action.Batch(t.Context())

	for _, tt := range []struct {
		what  string
		ctx   context.Context
		after time.Duration
		reads int
	}{
		{"alone", t.Context(), 0, 1},
		{"alone again", t.Context(), 0, 2},
		{"the first of a batch", batch, 0, 3},
		{"the second of a batch", batch, 0, 3},
		{"another batch", action.Batch(t.Context()), 0, 4},
		{"later", batch, time.Second, 5},
	} {
		p.mu.Lock()
		p.now = p.now.Add(tt.after)
		p.mu.Unlock()
		work.Run.ID += "x" // another run
		if _, err := p.doer.Do(tt.ctx, work); err != nil || s.n != tt.reads {
			t.Errorf("%s: %d reads, want %d: %v", tt.what, s.n, tt.reads, err)
		}
	}
}
