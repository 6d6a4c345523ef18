package hook_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/hook"
)

// hooks is a fake hook.Store that counts its calls.
type hooks struct {
	hook.Store

	mu                              sync.Mutex
	gone, off, down                 bool
	second                          int64
	inSecond                        int
	admitted, kept, noted, lookedUp int
	taken                           int // number of calls of Keep that fail because another instance used the id
	ids                             map[string]bool
}

func (s *hooks) Hook(_ context.Context, name string) (hook.Hook, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookedUp++
	if s.gone {
		return hook.Hook{}, errs.NotFound("there is no incoming webhook %q", name)
	}
	return hook.Hook{ID: name, Scope: tenant.Scope{App: 7, Env: tenant.Production}, Trigger: 1, Enabled: !s.off}, nil
}

func (s *hooks) Admit(_ context.Context, scope tenant.Scope, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.admitted++
	if at.Unix() != s.second {
		s.second, s.inSecond = at.Unix(), 0
	}
	if s.inSecond++; s.inSecond > hook.PerSecond || scope.App != 7 {
		return errs.TooMany(1, "too many")
	}
	return nil
}

func (s *hooks) Keep(_ context.Context, _ hook.Hook, call trigger.HookCall, _ int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	again := s.ids[call.ID]
	s.ids[call.ID] = true
	if s.taken--; s.taken >= 0 || again {
		return errs.Conflict("another call has the id %s", call.ID)
	}
	if s.down {
		return errs.Unavailable(1, "the store is down")
	}
	s.kept++
	return nil
}

func (s *hooks) Refuse(context.Context, hook.Hook, hook.ReceivedCall) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noted++
	return nil
}

// outside is the depth of a call from outside the platform.
func outside(context.Context) (int, error) { return 0, nil }

// receiving returns a function that calls a hook of a receiver with the clock *now. It returns the kind of the error,
// "" if the call was stored.
func receiving(t *testing.T, s *hooks, now *time.Time) (call func(body error) errs.Kind) {
	r := &hook.Receiver{Hooks: s, Clock: func() time.Time { return *now }, IDs: new(id.Source)}
	return func(body error) errs.Kind {
		t.Helper()
		err := r.Receive(t.Context(), hook.Incoming{
			Hook: "a", Method: "POST", Read: func() (any, error) { return map[string]any{}, body }, Depth: outside,
		})
		if err == nil {
			return ""
		}
		return errs.KindOf(err)
	}
}

// TestRefusesRemovedHook checks that calls of a removed or disabled hook are refused and not counted.
func TestRefusesRemovedHook(t *testing.T) {
	for name, change := range map[string]func(*hooks){
		"gone": func(s *hooks) { s.gone = true }, "disabled": func(s *hooks) { s.off = true },
	} {
		t.Run(name, func(t *testing.T) {
			s, now := &hooks{}, time.Unix(1_800_000_000, 0)
			call := receiving(t, s, &now)
			for range 2 {
				if kind := call(nil); kind != "" {
					t.Fatalf("a call is refused: %s", kind)
				}
			}

			change(s)
			for range 3 {
				if kind := call(nil); kind != errs.KindNotFound {
					t.Errorf("after that: %q", kind)
				}
			}
			if s.kept != 2 || s.noted != 0 || s.admitted != 2 || s.lookedUp != 5 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestFullSecondRefusesWithoutWrites checks that calls above the limit cause no writes until the second is over.
func TestFullSecondRefusesWithoutWrites(t *testing.T) {
	s, now := &hooks{}, time.Unix(1_800_000_000, 0)
	call := receiving(t, s, &now)
	for second := range 3 {
		for n := range 50 {
			kind := call(nil)
			if full := n >= hook.PerSecond; full != (kind == errs.KindTooMany) || !full && kind != "" {
				t.Fatalf("call %d of second %d: %q", n, second, kind)
			}
		}
		now = now.Add(time.Second)
	}
	if s.kept != 15 || s.admitted != 18 || s.noted != 3 {
		t.Errorf("%d stored, %d counted, %d refusals noted", s.kept, s.admitted, s.noted)
	}
}

// TestInvalidCallIsNotCounted checks that an invalid call does not count against the rate limit.
func TestInvalidCallIsNotCounted(t *testing.T) {
	large := &hook.Receiver{Hooks: &hooks{}, Clock: time.Now, IDs: new(id.Source)}
	for size, read := range map[int]any{hook.MaxBody + 1: 1, 5: json.Number("1e999"), hook.MaxBody: 1} {
		err := large.Receive(t.Context(), hook.Incoming{
			Hook: "a", Method: "POST", Size: size, Read: func() (any, error) { return read, nil }, Depth: outside,
		})
		if (err == nil) != (size == hook.MaxBody) || err != nil && !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%d bytes of %v: %v", size, read, err)
		}
	}

	s, now := &hooks{}, time.Unix(1_800_000_000, 0)
	call := receiving(t, s, &now)
	if kind := call(nil); kind != "" {
		t.Fatal(kind)
	}
	for range 3 {
		if kind := call(errs.Invalid("no JSON")); kind != errs.KindInvalid {
			t.Errorf("%q", kind)
		}
	}

	if s.admitted != 1 || s.kept != 1 || s.noted != 1 {
		t.Errorf("%+v", s)
	}
}

// TestDrawsAnotherID checks that a call gets another id if its id is used, so it never overwrites a call.
func TestDrawsAnotherID(t *testing.T) {
	s, now := &hooks{down: true}, time.Unix(1_800_000_000, 0)
	if kind := receiving(t, s, &now)(nil); kind != errs.KindUnavailable || s.kept != 0 {
		t.Errorf("it is not kept: %q", kind)
	}
	s = &hooks{taken: 2}
	if kind := receiving(t, s, &now)(nil); kind != "" || s.kept != 1 || len(s.ids) != 3 || s.admitted != 1 {
		t.Errorf("%s, %+v", kind, s)
	}
}
