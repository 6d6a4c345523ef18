package app

import (
	"context"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
)

// clientFresh is how long Clients caches an application. Changed settings must be in force within 10 s (C36).
const clientFresh = 5 * time.Second

// Clients finds the applications of callers that name their client without a secret. It caches each for some seconds,
// so that such a request makes no read of its own.
type Clients struct {
	Store HandleReader
	Clock clock.Clock

	known cache.Map[Handle, recent]
}

type recent struct {
	Application
	until time.Time
}

// ByClient returns the application of a client. It returns errs.NotFound if there is none.
func (c *Clients) ByClient(ctx context.Context, client ClientID) (Application, error) {
	if !client.Valid() {
		return Application{}, errs.NotFound("client not found")
	}
	now := c.Clock.Now()
	fresh := func(r recent) bool { return now.Before(r.until) }
	a, err := c.known.Load(client.Handle(), fresh, func() (recent, error) {
		a, err := c.Store.ByHandle(ctx, client.Handle())
		return recent{a, now.Add(clientFresh)}, err
	})
	if err == nil && a.ClientID != client {
		err = errs.NotFound("client not found")
	}
	if err != nil {
		return Application{}, err
	}
	return a.Application, nil
}
