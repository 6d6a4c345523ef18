package app

import (
	"context"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
)

// clientFresh is how long Clients caches an application. Changed settings must be in force within 10 s (C36).
const clientFresh = 5 * time.Second

// Clients finds the applications of callers that name their client without a secret. It caches each for some seconds,
// so that such a request makes no read of its own.
type Clients struct {
	Store HandleReader
	Clock clock.Clock

	known cache.Map[ClientID, recent]
}

type recent struct {
	Application
	until time.Time
}

// ByClient returns the application of a client. It returns errs.NotFound if there is none.
func (c *Clients) ByClient(ctx context.Context, client ClientID) (Application, error) {
	now := c.Clock.Now()
	fresh := func(r recent) bool { return now.Before(r.until) }
	a, err := c.known.Load(client, fresh, func() (recent, error) {
		a, err := ByClient(ctx, c.Store, client)
		return recent{a, now.Add(clientFresh)}, err
	})
	return a.Application, err
}
