package job

import (
	"context"
	"fmt"
	"sync"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/oauth"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Applications reads an application by id; app.Store is one.
type Applications interface {
	Application(ctx context.Context, id tenant.AppID) (app.Application, error)
}

// RunHosts is the Hosts that signs run tokens with the application's own key.
// It remembers applications for a minute, so that a run costs no read of its own.
type RunHosts struct {
	Applications Applications
	Clock        clock.Clock

	mu    sync.Mutex
	known map[tenant.AppID]remembered
}

type remembered struct {
	application app.Application
	until       time.Time
}

const rememberFor = time.Minute

// Know remembers an application that was read anyway, as the caller of a request.
func (h *RunHosts) Know(a app.Application) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil || len(h.known) > maxRemembered {
		h.known = make(map[tenant.AppID]remembered)
	}
	h.known[a.ID] = remembered{a, h.Clock.Now().Add(rememberFor)}
}

// Host implements Hosts.
func (h *RunHosts) Host(ctx context.Context, baseURL string, run oauth.Run) (*sandbox.Host, error) {
	a, err := h.application(ctx, run.Scope.App)
	if err != nil {
		return nil, fmt.Errorf("host of job %s: %w", run.JobID, err)
	}
	token, err := oauth.RunToken(a, run)
	if err != nil {
		return nil, fmt.Errorf("host of job %s: %w", run.JobID, err)
	}
	return &sandbox.Host{BaseURL: baseURL, Token: token}, nil
}

func (h *RunHosts) application(ctx context.Context, app tenant.AppID) (app.Application, error) {
	h.mu.Lock()
	known, ok := h.known[app]
	h.mu.Unlock()
	if ok && h.Clock.Now().Before(known.until) {
		return known.application, nil
	}
	a, err := h.Applications.Application(ctx, app)
	if err == nil {
		h.Know(a)
	}
	return a, err
}
