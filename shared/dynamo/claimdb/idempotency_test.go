package claimdb_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency"
	"minicloud/shared/tenant"
)

func TestIdempotencyKeys(t *testing.T) {
	store := &claimdb.Store{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	service := &idempotency.Service{Store: store, Clock: func() time.Time { return now }}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	begin := func(scope tenant.Scope, key, body string) (idempotency.Claim, *idempotency.Answer, error) {
		return service.Begin(t.Context(), scope, "", key, []byte("POST"), []byte("/x"), []byte(body))
	}

	claim, first, err := begin(scope, "k", "a")
	if err != nil || first != nil || claim.Again {
		t.Fatalf("first request: %v, %v", first, err)
	}
	now = now.Add(time.Second)
	second, first, err := begin(scope, "k", "a")
	if err != nil || first != nil || !second.Again || second.Seed != claim.Seed || !second.At.Equal(claim.At) {
		t.Errorf("a repetition while there is no answer: %+v, %v, want the seed of %+v", second, err, claim)
	}
	if _, _, err := begin(scope, "k", "b"); !errs.Is(err, errs.KindMismatch) {
		t.Errorf("another body: %v, want a mismatch", err)
	}
	// 2 MB that gzip cannot shrink needs chunks.
	large := make([]byte, 2<<20)
	rand.Read(large)
	answer := idempotency.Answer{Status: 201, Header: map[string]string{"Content-Type": "application/json"}, Body: large}
	if other, err := store.Answer(t.Context(), claim, answer); err != nil || other != nil {
		t.Fatal(other, err)
	}
	other, err := store.Answer(t.Context(), second, idempotency.Answer{Status: 200, Body: append(large, 1)})
	if err != nil || other == nil || other.Status != 201 || !bytes.Equal(other.Body, large) {
		t.Errorf("the slower of two tries: %v, %v, want the answer of the faster", other != nil, err)
	}
	_, again, err := begin(scope, "k", "a")
	if err != nil || again == nil || again.Status != 201 || !bytes.Equal(again.Body, large) ||
		again.Header["Content-Type"] != "application/json" {
		t.Fatalf("repeated: %v, %v", again != nil, err)
	}

	elsewhere := tenant.Scope{App: 8, Env: tenant.Production}
	if theirs, again, err := begin(elsewhere, "k", "b"); err != nil || again != nil || theirs.Again ||
		theirs.Seed == claim.Seed {
		t.Errorf("another application's key is ours: %v, %v", again, err)
	}
	now = now.Add(25 * time.Hour)
	if fresh, again, err := begin(scope, "k", "b"); err != nil || again != nil || fresh.Again ||
		fresh.Seed == claim.Seed {
		t.Errorf("after a day: %v, %v, want a new claim", again, err)
	}
	if _, err := store.Answer(t.Context(), second, answer); err == nil ||
		!strings.Contains(err.Error(), "the claim is gone") {
		t.Errorf("a try of yesterday answers the request of today: %v", err)
	}
}

// TestIdempotencyNote: all tries of a request get the first note stored under a name.
func TestIdempotencyNote(t *testing.T) {
	store := &claimdb.Store{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	service := &idempotency.Service{Store: store, Clock: func() time.Time { return now }}
	note := func(name, text string) string {
		t.Helper()
		claim, _, err := service.Begin(t.Context(), tenant.Scope{App: 7, Env: tenant.Production}, "", "k", []byte("a"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := service.Request(claim).Note(t.Context(), name, text)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := note("rows", "1 2 3"); got != "1 2 3" {
		t.Errorf("first: %q", got)
	}
	if got := note("rows", "4 5"); got != "1 2 3" {
		t.Errorf("repetition: %q", got)
	}
	if got := note("others", "4 5"); got != "4 5" {
		t.Errorf("another name: %q", got)
	}
	now = now.Add(25 * time.Hour)
	if got := note("rows", "6"); got != "6" {
		t.Errorf("after a day: %q", got)
	}
}

// TestRepeatedClaimSucceeds: a request gets its claim although DynamoDB's first answer was lost; a concurrent request
// does not.
func TestRepeatedClaimSucceeds(t *testing.T) {
	l := &dynamotest.Lossy{}
	store := &claimdb.Store{Client: l.Over(dynamotest.Start(t, "IdempotencyTable")), Table: "IdempotencyTable"}
	now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	service := &idempotency.Service{Store: store, Clock: func() time.Time { return now }}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	l.Cut.Store(true)
	claim, first, err := service.Begin(t.Context(), scope, "", "k", []byte("a"))
	if err != nil || first != nil || l.Lost != 1 || claim.Again {
		t.Fatalf("the claim whose answer was lost, %d: %+v, %v, %v", l.Lost, claim, first, err)
	}
	if second, _, err := service.Begin(t.Context(), scope, "", "k", []byte("a")); err != nil || !second.Again {
		t.Errorf("a second claim in the same millisecond: %+v, %v", second, err)
	}
	l.Cut.Store(true)
	if other, err := store.Answer(t.Context(), claim, idempotency.Answer{Status: 201}); err != nil || other != nil ||
		l.Lost != 2 {
		t.Errorf("answer, %d lost: %v, %v", l.Lost, other, err)
	}
	if _, again, err := service.Begin(t.Context(), scope, "", "k", []byte("a")); err != nil || again == nil ||
		again.Status != 201 {
		t.Errorf("repeated: %+v, %v", again, err)
	}
}

func TestConcurrentClaimsHaveOneWinner(t *testing.T) {
	store := &claimdb.Store{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	service := &idempotency.Service{Store: store}
	var won atomic.Int32
	var seeds sync.Map
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			claim, _, err := service.Begin(t.Context(), tenant.Scope{App: 7, Env: tenant.Production}, "", "k", []byte("a"))
			if err != nil {
				t.Error(err)
			}
			seeds.Store(claim.Seed, true)
			if !claim.Again {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	n := 0
	seeds.Range(func(any, any) bool { n++; return true })
	if won.Load() != 1 || n != 1 {
		t.Errorf("%d requests were the first, with %d seeds; want 1 and 1", won.Load(), n)
	}
}
