package dynamo_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency"
	"minicloud/shared/tenant"
)

func TestIdempotencyKeys(t *testing.T) {
	store := &dynamo.IdempotencyKeys{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	service := &idempotency.Service{Store: store, Clock: func() time.Time { return now }, Patience: 1}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	begin := func(scope tenant.Scope, key, body string) (idempotency.Claim, *idempotency.Answer, error) {
		return service.Begin(t.Context(), scope, key, []byte("POST"), []byte("/x"), []byte(body))
	}

	claim, first, err := begin(scope, "k", "a")
	if err != nil || first != nil {
		t.Fatalf("first request: %v, %v", first, err)
	}
	if _, _, err := begin(scope, "k", "a"); !errs.Is(err, errs.KindConflict) {
		t.Errorf("while it is served: %v, want a conflict", err)
	}
	if _, _, err := begin(scope, "k", "b"); !errs.Is(err, errs.KindMismatch) {
		t.Errorf("another body: %v, want a mismatch", err)
	}
	// 2 MB that gzip cannot shrink needs chunks.
	large := make([]byte, 2<<20)
	rand.Read(large)
	answer := idempotency.Answer{Status: 201, Header: map[string]string{"Content-Type": "application/json"}, Body: large}
	if err := store.Answer(t.Context(), claim, answer); err != nil {
		t.Fatal(err)
	}
	_, again, err := begin(scope, "k", "a")
	if err != nil || again == nil || again.Status != 201 || !bytes.Equal(again.Body, large) || again.Header["Content-Type"] != "application/json" {
		t.Fatalf("repeated: %v, %v", again != nil, err)
	}
	if err := store.Release(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	if _, again, _ := begin(scope, "k", "a"); again == nil {
		t.Error("an answered key was released")
	}

	other := tenant.Scope{App: 8, Env: tenant.Production}
	if _, again, err := begin(other, "k", "b"); err != nil || again != nil {
		t.Errorf("another application's key is ours: %v, %v", again, err)
	}
	now = now.Add(25 * time.Hour)
	if _, again, err := begin(scope, "k", "b"); err != nil || again != nil {
		t.Errorf("after a day: %v, %v, want a new claim", again, err)
	}
}

func TestIdempotencyClaimOfADeadHolderIsTakenOver(t *testing.T) {
	store := &dynamo.IdempotencyKeys{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	service := &idempotency.Service{Store: store, Clock: func() time.Time { return now }}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	dead, _, err := service.Begin(t.Context(), scope, "k", []byte("a"))
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute)
	if _, _, err := service.Begin(t.Context(), scope, "k", []byte("a")); err != nil {
		t.Fatalf("after the lease: %v", err)
	}
	if err := store.Answer(t.Context(), dead, idempotency.Answer{Status: 200}); err == nil || !strings.Contains(err.Error(), "ConditionalCheckFailed") {
		t.Errorf("the dead holder answers in its successor's place: %v", err)
	}
}

// TestIdempotencyClaimMeetsItself: a claim whose answer is lost is still the
// first request's; another of the same moment is not.
func TestIdempotencyClaimMeetsItself(t *testing.T) {
	l := &line{}
	store := &dynamo.IdempotencyKeys{Client: l.over(dynamotest.Start(t, "IdempotencyTable")), Table: "IdempotencyTable"}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	service := &idempotency.Service{Store: store, Clock: func() time.Time { return now }, Patience: 1}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	l.cut.Store(true)
	claim, first, err := service.Begin(t.Context(), scope, "k", []byte("a"))
	if err != nil || first != nil || l.lost != 1 {
		t.Fatalf("the claim whose answer was lost, %d: %v, %v", l.lost, first, err)
	}
	if _, _, err := service.Begin(t.Context(), scope, "k", []byte("a")); !errs.Is(err, errs.KindConflict) {
		t.Errorf("a second claim in the same millisecond: %v", err)
	}
	another := claim
	another.Holder = "someone else"
	if err := store.Answer(t.Context(), another, idempotency.Answer{Status: 500}); err == nil || !strings.Contains(err.Error(), "ConditionalCheckFailed") {
		t.Errorf("someone else answers: %v", err)
	}
	if err := store.Release(t.Context(), another); err != nil {
		t.Fatal(err)
	}
	l.cut.Store(true)
	if err := store.Answer(t.Context(), claim, idempotency.Answer{Status: 201}); err != nil || l.lost != 2 {
		t.Errorf("answer, %d lost: %v", l.lost, err)
	}
	if _, again, err := service.Begin(t.Context(), scope, "k", []byte("a")); err != nil || again == nil || again.Status != 201 {
		t.Errorf("repeated: %+v, %v", again, err)
	}
}

func TestIdempotencyHundredAtOnce(t *testing.T) {
	store := &dynamo.IdempotencyKeys{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	service := &idempotency.Service{Store: store, Patience: 1}
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			_, _, err := service.Begin(t.Context(), tenant.Scope{App: 7, Env: tenant.Production}, "k", []byte("a"))
			if err == nil {
				won.Add(1)
			} else if !errs.Is(err, errs.KindConflict) {
				t.Errorf("loser: %v", err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d requests won the key, want 1", won.Load())
	}
}
