package job

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/oauth"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// Applications reads an application by id; app.Store is one.
type Applications interface {
	Application(ctx context.Context, id tenant.AppID) (app.Application, error)
}

// RunHosts is the Hosts that signs run tokens and depth headers with the application's own key.
// It caches applications for a minute, so that a run costs no read of its own.
type RunHosts struct {
	Applications Applications
	Clock        clock.Clock

	known cache.Map[tenant.AppID, knownApplication]
}

const rememberFor = time.Minute

type knownApplication struct {
	app.Application
	until time.Time
}

// Know caches an application that was read already, such as the caller of a request.
func (h *RunHosts) Know(a app.Application) {
	h.known.Put(a.ID, knownApplication{a, h.Clock.Now().Add(rememberFor)})
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
	return &sandbox.Host{BaseURL: baseURL, Token: token, Depth: oauth.DepthHeader(a, run.Depth, h.Clock.Now())}, nil
}

// DepthHeader implements delivery.Depths.
func (h *RunHosts) DepthHeader(ctx context.Context, of tenant.AppID, depth int) (string, error) {
	a, err := h.application(ctx, of)
	if err != nil {
		return "", fmt.Errorf("depth of what leaves application %d: %w", of, err)
	}
	return oauth.DepthHeader(a, depth, h.Clock.Now()), nil
}

func (h *RunHosts) application(ctx context.Context, app tenant.AppID) (app.Application, error) {
	if known, ok := h.known.Get(app); ok && h.Clock.Now().Before(known.until) {
		return known.Application, nil
	}
	a, err := h.Applications.Application(ctx, app)
	if err == nil {
		h.Know(a)
	}
	return a, err
}
