package idempotency_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency"
	"minicloud/shared/tenant"
)

// one is a store with a single key.
type one struct {
	held  *idempotency.Held
	looks int
}

func (s *one) Claim(_ context.Context, c idempotency.Claim, _ time.Time) (*idempotency.Held, error) {
	s.looks++
	if s.held == nil {
		s.held = &idempotency.Held{Request: c.Request, Until: c.Until}
		return nil, nil
	}
	held := *s.held
	return &held, nil
}

func (s *one) Answer(_ context.Context, _ idempotency.Claim, a idempotency.Answer) error {
	s.held.Answer = &a
	return nil
}

func (s *one) Release(context.Context, idempotency.Claim) error {
	s.held = nil
	return nil
}

// TestARepetitionWaits: whoever repeats a request that is still being served
// gets its answer, or its place when it came to nothing (D8).
func TestARepetitionWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		after  time.Duration // the first request is done
		fails  bool
		within time.Duration // the caller listens; 0 = for ever
		want   string
	}{
		"answered soon":            {after: 20 * time.Millisecond, want: "answer"},
		"answered after a run":     {after: 6 * time.Second, want: "answer"},
		"came to nothing":          {after: time.Second, fails: true, want: "claim"},
		"takes too long":           {after: 20 * time.Second, want: "conflict"},
		"the caller does not wait": {after: 5 * time.Second, within: time.Second, want: "conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &one{}
				service := &idempotency.Service{Store: store}
				begin := func(ctx context.Context) (idempotency.Claim, *idempotency.Answer, error) {
					return service.Begin(ctx, tenant.Scope{App: 7, Env: tenant.Production}, "k", []byte("a"))
				}
				claim, _, err := begin(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(tt.after, func() {
					if tt.fails {
						store.Release(t.Context(), claim)
					} else {
						store.Answer(t.Context(), claim, idempotency.Answer{Status: 201})
					}
				})
				ctx := t.Context()
				if tt.within > 0 {
					limited, cancel := context.WithTimeout(ctx, tt.within)
					defer cancel()
					ctx = limited
				}
				_, answer, err := begin(ctx)
				got := "claim"
				if answer != nil {
					got = "answer"
				} else if errs.Is(err, errs.KindConflict) {
					got = "conflict"
				}
				if got != tt.want {
					t.Errorf("got %s (%v), want %s", got, err, tt.want)
				}
				if store.looks > 20 {
					t.Errorf("looked %d times, each a write", store.looks)
				}
			})
		})
	}
}
