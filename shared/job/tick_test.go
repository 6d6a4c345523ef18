package job

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

var shop = tenant.Scope{App: 7, Env: tenant.Production}

// openJobs is a fake Store of open jobs. Its Drop takes a tenth of a second, and it cannot end the jobs in stuck.
type openJobs struct {
	Store
	mu      sync.Mutex
	active  []Active
	slots   []Running
	pending []PendingJob
	due     []Due
	stuck   []id.ID
	ended   []id.ID
}

func (s *openJobs) Active(context.Context) ([]Active, error)               { return s.active, nil }
func (s *openJobs) Slots(context.Context, tenant.AppID) ([]Running, error) { return s.slots, nil }
func (s *openJobs) Announce(context.Context, Active) error                 { return nil }
func (s *openJobs) Forget(_ context.Context, a Active) error {
	panic("a function with open jobs is forgotten")
}
func (s *openJobs) Pending(
	_ context.Context, _ tenant.Scope, _ id.ID, before time.Time,
) (ready []PendingJob, err error) {
	for _, w := range s.pending {
		if w.Ready.Before(before) {
			ready = append(ready, w)
		}
	}
	return ready, nil
}

func (s *openJobs) Expire(ctx context.Context, scope tenant.Scope, r Record) (id.ID, error) {
	return s.End(ctx, scope, r, InSlot)
}

func (s *openJobs) End(_ context.Context, _ tenant.Scope, r Record, _ Place) (id.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.stuck, r.ID) {
		return r.ID, errs.Conflict("busy")
	}
	s.ended = append(s.ended, r.ID)
	return r.ID, nil
}

func (s *openJobs) Due(_ context.Context, _ time.Time, limit int) ([]Due, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.due[:min(limit, len(s.due))]), nil
}

func (s *openJobs) Drop(_ context.Context, d Due) error {
	time.Sleep(100 * time.Millisecond)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = slices.DeleteFunc(s.due, func(other Due) bool { return other == d })
	return nil
}

// messages is a fake Queue whose Send takes a tenth of a second.
type messages struct {
	mu   sync.Mutex
	sent []Message
}

func (q *messages) Send(_ context.Context, _ time.Duration, all ...Message) error {
	time.Sleep(100 * time.Millisecond)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sent = append(q.sent, all...)
	return nil
}

// TestStuckJobDoesNotBlockOthers: the other jobs are still expired or sent again.
func TestStuckJobDoesNotBlockOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		dead := func(n id.ID) Running {
			return Running{
				Record: Record{ID: n, Function: n, Status: StatusExecuting, Slot: int(n), Lease: now.Add(-time.Second)},
				Scope:  shop,
			}
		}
		waits := func(n id.ID, age time.Duration) PendingJob {
			return PendingJob{
				Record: Record{ID: n, Function: 1, Status: StatusWaiting, Lease: PendingUntil(now.Add(-age))},
				Ready:  now.Add(-age),
			}
		}
		store := &openJobs{
			active: []Active{{Scope: shop, Function: 1, Until: now.Add(-time.Second)}},
			slots:  []Running{dead(1), dead(2)},
			pending: []PendingJob{
				waits(3, time.Hour), waits(4, time.Hour), waits(5, ResendAfter+time.Second),
				waits(7, ResendAfter+maxGap+time.Second), waits(6, -time.Hour),
			},
			stuck: []id.ID{1, 3},
		}
		queue := &messages{}
		s := &Service{Store: store, Queue: queue, Clock: clock.System}
		done, err := s.Sweep(t.Context())
		if err == nil || !strings.Contains(err.Error(), "expire job 1:") || !strings.Contains(err.Error(), "expire job 3:") {
			t.Errorf("error %v", err)
		}
		if slices.Sort(store.ended); !slices.Equal(store.ended, []id.ID{2, 4}) ||
			done != (Swept{Functions: 1, Expired: 1, GivenUp: 1, Resent: 1}) {
			t.Errorf("ended %v, %+v", store.ended, done)
		}
		if len(queue.sent) != 1 || queue.sent[0].Job != 5 {
			t.Errorf("sent %+v", queue.sent)
		}
	})
}

// TestTickPlansSweepsFirst: a tick with more due jobs than it can send in its time still sweeps open jobs, and leaves
// the rest to the next tick.
func TestTickPlansSweepsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, queue := &openJobs{
			active: []Active{{Scope: shop, Function: 1, Until: time.Now().Add(time.Hour)}},
		}, &messages{}
		for n := range id.ID(2500) {
			store.due = append(store.due, Due{Scope: shop, Function: 1, Job: n + 1, RunAt: time.Now()})
		}
		s := &Service{Store: store, Queue: queue, Clock: clock.System}
		for tick := range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 29*time.Second)
			before := len(queue.sent)
			if _, err := s.Tick(ctx); err != nil || ctx.Err() != nil {
				t.Errorf("tick %d: %v, %v", tick, err, ctx.Err())
			}
			cancel()
			for _, m := range queue.sent[before:][:len(planned)] {
				if !m.Sweep {
					t.Fatalf("tick %d sent %+v before its sweeps", tick, m)
				}
			}
		}
		if len(store.due) != 0 || len(queue.sent) != 2500+3*len(planned) {
			t.Errorf("%d still due, %d messages", len(store.due), len(queue.sent))
		}
	})
}

// TestIdleTickPlansNoSweeps: without active functions a tick makes only its two queries.
func TestIdleTickPlansNoSweeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := &messages{}
		s := &Service{Store: &openJobs{}, Queue: queue, Clock: clock.System}
		if done, err := s.Tick(t.Context()); err != nil || done != (Swept{}) || len(queue.sent) != 0 {
			t.Errorf("%+v, %v, sent %v", done, err, queue.sent)
		}
	})
}

func TestTickReturnsPlanningErrors(t *testing.T) {
	store := &openJobs{active: []Active{{Scope: shop, Function: 1, Until: clock.System().Add(time.Hour)}}}
	s := &Service{Store: store, Queue: down{}, Clock: clock.System}
	if _, err := s.Tick(t.Context()); err == nil || strings.Count(err.Error(), "plan the next sweep") != len(planned) {
		t.Error(err)
	}
}

// down is a Queue that fails every Send.
type down struct{}

func (down) Send(context.Context, time.Duration, ...Message) error { return errors.New("down") }
