package oauth

import (
	"context"
	"fmt"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/tenant"
)

// RunSigner signs run tokens and depth headers with the application's own key. It caches applications for a minute, so
// that a run needs no extra read.
type RunSigner struct {
	Applications app.Reader
	Clock        clock.Clock

	known cache.Map[tenant.AppID, knownApplication]
}

const rememberFor = time.Minute

type knownApplication struct {
	app.Application
	until time.Time
}

// Know caches an application that was already read, such as the caller of a request.
func (s *RunSigner) Know(a app.Application) {
	s.known.Put(a.ID, knownApplication{a, s.Clock.Now().Add(rememberFor)})
}

// Access returns the run token and the depth header for the host calls of a run.
func (s *RunSigner) Access(ctx context.Context, run Run) (token, depth string, err error) {
	a, err := s.application(ctx, run.Scope.App)
	if err == nil {
		token, err = RunToken(a, run)
	}
	if err != nil {
		return "", "", fmt.Errorf("access of job %s: %w", run.JobID, err)
	}
	return token, DepthHeader(a, run.Depth, s.Clock.Now()), nil
}

// DepthHeader implements delivery.Depths.
func (s *RunSigner) DepthHeader(ctx context.Context, of tenant.AppID, depth int) (string, error) {
	a, err := s.application(ctx, of)
	if err != nil {
		return "", fmt.Errorf("depth header of application %d: %w", of, err)
	}
	return DepthHeader(a, depth, s.Clock.Now()), nil
}

func (s *RunSigner) application(ctx context.Context, id tenant.AppID) (app.Application, error) {
	fresh := func(a knownApplication) bool { return s.Clock.Now().Before(a.until) }
	a, err := s.known.Load(id, fresh, func() (knownApplication, error) {
		a, err := s.Applications.Application(ctx, id)
		return knownApplication{a, s.Clock.Now().Add(rememberFor)}, err
	})
	return a.Application, err
}
