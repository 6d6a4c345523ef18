package idempotency_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency"
	"minicloud/shared/tenant"
)

// one is a fake store with a single key.
type one struct {
	mu   sync.Mutex
	held *idempotency.Held
}

func (s *one) Claim(_ context.Context, c idempotency.Claim, _ time.Time) (*idempotency.Held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = &idempotency.Held{Request: c.Request, Seed: c.Seed, At: c.At}
		return nil, nil
	}
	held := *s.held
	return &held, nil
}

func (s *one) Answer(_ context.Context, _ idempotency.Claim, a idempotency.Answer) (*idempotency.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held.Answer = &a
	return nil, nil
}

func (s *one) Note(_ context.Context, _ idempotency.Claim, _, text string) (string, error) {
	return text, nil
}

// TestRepetitionContinuesAtOnce checks that a repetition of an unanswered request runs at once with the seed of the
// claim, even if the first try is still running (D8).
func TestRepetitionContinuesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &idempotency.Service{Store: &one{}, Clock: time.Now}
		begin := func(body string) (idempotency.Claim, *idempotency.Answer, error) {
			return service.Begin(t.Context(), tenant.Scope{App: 7, Env: tenant.Production}, "", "k", []byte(body))
		}
		first, _, err := begin("a")
		if err != nil || first.Again {
			t.Fatal(first, err)
		}
		begun := time.Now()
		second, answer, err := begin("a")
		if err != nil || answer != nil || !second.Again || second.Seed != first.Seed || second.Try == first.Try {
			t.Errorf("repetition: %+v, %v, %v; the first was %+v", second, answer, err, first)
		}
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("it waited %v", waited)
		}
		if _, _, err := begin("b"); !errs.Is(err, errs.KindMismatch) {
			t.Errorf("another body: %v", err)
		}
	})
}

// TestAwaitsAnswerOfConcurrentTry checks that Await returns an answer that arrives in time.
func TestAwaitsAnswerOfConcurrentTry(t *testing.T) {
	for name, tt := range map[string]struct {
		after, within time.Duration
		want          bool
	}{
		"soon":                     {after: 100 * time.Millisecond, want: true},
		"late":                     {after: time.Second},
		"the caller does not wait": {after: 100 * time.Millisecond, within: 20 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &one{}
				service := &idempotency.Service{Store: store, Clock: time.Now}
				claim, _, err := service.Begin(t.Context(), tenant.Scope{App: 7, Env: tenant.Production}, "", "k")
				if err != nil {
					t.Fatal(err)
				}
				time.AfterFunc(tt.after, func() { store.Answer(t.Context(), claim, idempotency.Answer{Status: 201}) })
				ctx := t.Context()
				if tt.within > 0 {
					limited, cancel := context.WithTimeout(ctx, tt.within)
					defer cancel()
					ctx = limited
				}
				if got := service.Await(ctx, claim); (got != nil) != tt.want {
					t.Errorf("got %v", got)
				}
				synctest.Wait()
				time.Sleep(2 * time.Second)
			})
		})
	}
}
