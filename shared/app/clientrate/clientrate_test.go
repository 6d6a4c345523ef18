package clientrate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/app"
	"minicloud/shared/app/clientrate"
	"minicloud/shared/dynamo/claimdb"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// sums is a store in memory that counts its calls.
type sums struct {
	of    map[string]int
	calls int
	err   error
}

func (s *sums) Reserve(_ context.Context, key string, minute time.Time, calls int) (int, error) {
	s.calls++
	if s.err != nil {
		return 0, s.err
	}
	if s.of == nil {
		s.of = map[string]int{}
	}
	key += minute.String()
	s.of[key] += calls
	return s.of[key], nil
}

// call is a call of a user of an application with the given limits.
func call(rate *app.ClientRate, user int64, address string) clientrate.Call {
	return clientrate.Call{
		Application: app.Application{ID: 7, Settings: app.Settings{ClientRate: rate}},
		Scope:       tenant.Scope{App: 7, Env: tenant.Production}, User: user, Address: address,
	}
}

// passes makes n calls and returns how many passed.
func passes(t testing.TB, l *clientrate.Limiter, c clientrate.Call, n int) (passed int) {
	t.Helper()
	for range n {
		switch err := l.Allow(context.Background(), c); {
		case err == nil:
			passed++
		case !errs.Is(err, errs.KindTooMany):
			t.Fatal(err)
		}
	}
	return passed
}

// TestLimitHolds spreads the calls of a user over processes at random: none is refused before the limit, and at most
// twice the limit passes.
func TestLimitHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(13, 300)).Draw(t, "limit")
		processes := make([]*clientrate.Limiter, rapid.IntRange(1, 50).Draw(t, "processes"))
		store := &sums{}
		for i := range processes {
			processes[i] = &clientrate.Limiter{Store: store, Clock: func() time.Time { return noon }}
		}

		c := call(&app.ClientRate{User: limit}, 1, "")
		passed := 0
		for passed <= 2*limit {
			refused := 0
			order := rapid.Permutation(indexes(len(processes))).Draw(t, "order")
			for _, i := range order[:rapid.IntRange(1, len(order)).Draw(t, "some")] {
				for range rapid.IntRange(1, 1+limit/3).Draw(t, "calls") {
					if err := processes[i].Allow(context.Background(), c); err == nil {
						passed++
						continue
					}
					refused++
					if passed < limit {
						t.Fatalf("a call was refused after %d of %d had passed", passed, limit)
					}
				}
			}
			if refused > 0 && everyProcessRefuses(processes, c, &passed) {
				break
			}
		}
		if passed > 2*limit {
			t.Fatalf("%d passed, the limit is %d", passed, limit)
		}
	})
}

// everyProcessRefuses sends calls to every process until it refuses one.
func everyProcessRefuses(processes []*clientrate.Limiter, c clientrate.Call, passed *int) bool {
	for _, process := range processes {
		for process.Allow(context.Background(), c) == nil {
			*passed++
		}
	}
	return true
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// TestWritesAreRare counts the writes of one process that uses up a limit.
func TestWritesAreRare(t *testing.T) {
	for _, limit := range []int{1, 2, 10, 60, 99, 100, 600, 12345, app.MaxClientRate} {
		store := &sums{}
		l := &clientrate.Limiter{Store: store, Clock: func() time.Time { return noon }}
		c := call(&app.ClientRate{User: limit}, 1, "")
		free := limit / 100
		if passes(t, l, c, free); store.calls != 0 {
			t.Errorf("limit %d: %d writes for the first %d calls", limit, store.calls, free)
		}
		passes(t, l, c, 2*limit)
		if store.calls > 16 {
			t.Errorf("limit %d: %d writes", limit, store.calls)
		}
	}
}

// TestDefaultRate: 600 calls of each user, any number from an address, and no limit for callers without a session.
func TestDefaultRate(t *testing.T) {
	l := &clientrate.Limiter{Store: &sums{}, Clock: func() time.Time { return noon }}
	for user := range int64(3) {
		want := 906 // 6 free calls and the budget
		if user == 0 {
			want = 2000
		}
		if got := passes(t, l, call(nil, user, "203.0.113.9"), 2000); got != want {
			t.Errorf("user %d: %d calls passed, want %d", user, got, want)
		}
	}
	if got := passes(t, l, call(&app.ClientRate{}, 1, ""), 1000); got != 1000 {
		t.Errorf("switched off: %d of 1000 passed", got)
	}
}

// TestKeysAreSeparate: each limit counts its own key, and a call that one limit refuses does not count for another.
func TestKeysAreSeparate(t *testing.T) {
	now := noon.Add(20 * time.Second)
	l := &clientrate.Limiter{Store: &sums{}, Clock: func() time.Time { return now }}
	rate := &app.ClientRate{User: 2, Address: 4, Application: 6}
	ada, ben := call(rate, 1, "::1"), call(rate, 2, "::1")
	if a, b := passes(t, l, ada, 100), passes(t, l, ben, 100); a != 3 || b != 3 {
		t.Errorf("users: %d and %d calls passed, want 3 and 3", a, b)
	}
	if got := passes(t, l, call(rate, 3, "::1"), 100); got != 0 {
		t.Errorf("%d calls of a third user passed over the address's limit", got)
	}
	err := l.Allow(t.Context(), call(rate, 3, "::1"))
	if !strings.Contains(errs.Message(err), "4 calls per minute of this address") || errs.RetryAfter(err) != 40 {
		t.Errorf("%v, retry after %d", err, errs.RetryAfter(err))
	}
	if got := passes(t, l, call(rate, 0, "::2"), 100); got != 3 {
		t.Errorf("application: %d calls passed, want the 3 left of 9", got)
	}

	// Another environment has users of its own.
	other := ada
	other.Scope.Env, other.Application.Settings.ClientRate = "0123456789abcdef0123", &app.ClientRate{User: 2}
	if got := passes(t, l, other, 100); got != 3 {
		t.Errorf("user of another environment: %d calls passed, want 3", got)
	}

	now = noon.Add(time.Minute)
	if got := passes(t, l, ada, 100); got != 3 {
		t.Errorf("next minute: %d calls passed, want 3", got)
	}
}

// TestProcessesShareDynamoDBCounter: two processes share a counter of the real store.
func TestProcessesShareDynamoDBCounter(t *testing.T) {
	store := &claimdb.Rates{Client: dynamotest.Start(t, "IdempotencyTable"), Table: "IdempotencyTable"}
	c, passed := call(&app.ClientRate{Address: 10}, 1, "2001:db8::1"), 0
	for range 4 {
		passed += passes(t, &clientrate.Limiter{Store: store, Clock: func() time.Time { return noon }}, c, 100)
	}
	if passed != 15 {
		t.Errorf("%d calls passed in 4 processes, want 15", passed)
	}
	later := &clientrate.Limiter{Store: store, Clock: func() time.Time { return noon.Add(time.Minute) }}
	if got := passes(t, later, c, 100); got != 15 {
		t.Errorf("next minute: %d calls passed, want 15", got)
	}
}

// TestBusyStoreLetsCallsPass: a limit must not end the service.
func TestBusyStoreLetsCallsPass(t *testing.T) {
	store := &sums{err: errors.New("throttled")}
	l := &clientrate.Limiter{Store: store, Clock: func() time.Time { return noon }}
	if got := passes(t, l, call(&app.ClientRate{User: 5}, 1, ""), 1000); got != 1000 || store.calls > 30 {
		t.Errorf("%d of 1000 passed, %d tries", got, store.calls)
	}
}
