package oauth

import (
	"context"
	"testing"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/tenant"
)

// applications is a fake Applications that counts reads.
type applications struct{ reads int }

func (a *applications) Application(_ context.Context, id tenant.AppID) (app.Application, error) {
	a.reads++
	return app.Application{ID: id, ClientID: "0123456789abcdef0123", SigningKey: make([]byte, 32)}, nil
}

func TestCachesApplicationsForAMinute(t *testing.T) {
	store, now := &applications{}, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	h := &RunSigner{Applications: store, Clock: func() time.Time { return now }}
	for _, c := range []struct {
		after time.Duration
		reads int
	}{{0, 1}, {rememberFor - time.Second, 1}, {time.Second, 2}, {time.Second, 2}} {
		now = now.Add(c.after)
		token, depth, err := h.Access(t.Context(), Run{
			Scope: tenant.Scope{App: 7, Env: tenant.Production}, JobID: "1", Depth: 1, Root: 1, Deadline: now.Add(time.Minute),
		})
		if err != nil || token == "" || depth == "" || store.reads != c.reads {
			t.Errorf("%v later: %q, %q, %v, %d reads", c.after, token, depth, err, store.reads)
		}
	}
}
