package job

import (
	"context"
	"testing"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/oauth"
	"minicloud/shared/tenant"
)

// applications counts how often it is asked.
type applications struct{ reads int }

func (a *applications) Application(_ context.Context, id tenant.AppID) (app.Application, error) {
	a.reads++
	return app.Application{ID: id, ClientID: "0123456789abcdef0123", SigningKey: make([]byte, 32)}, nil
}

func TestCachesApplicationsForAMinute(t *testing.T) {
	store, now := &applications{}, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	h := &RunHosts{Applications: store, Clock: func() time.Time { return now }}
	for _, c := range []struct {
		after time.Duration
		reads int
	}{{0, 1}, {rememberFor - time.Second, 1}, {time.Second, 2}, {time.Second, 2}} {
		now = now.Add(c.after)
		host, err := h.Host(
			t.Context(), "http://a.example", oauth.Run{Scope: shop, JobID: "1", Depth: 1, Root: 1, Deadline: now.Add(SyncTime)},
		)
		if err != nil || host.Token == "" || store.reads != c.reads {
			t.Errorf("%v later: %+v, %v, %d reads", c.after, host, err, store.reads)
		}
	}
}
