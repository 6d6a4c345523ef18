// Package consumer works on the messages of the bulk queue: each names an
// operation to go on with.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// Group is the queue's face of bulk.Service.
type Group struct {
	Bulk  *bulk.Service
	Clock clock.Clock
	Log   *slog.Logger
}

// patience is how long a message waits for its operation, which is written after
// it where a group is deleted: of two who delete the same one writes none.
const patience = 2 * time.Minute

// How long one call works, and how much before its deadline it stops: a step
// takes less than a second, the rest is room for a slow store.
const (
	defaultTurn = 60 * time.Second
	margin      = 20 * time.Second
)

// Work does what one message asks. A message nobody can read is dropped with a
// log line: it would fail again for ever.
func (g *Group) Work(ctx context.Context, body []byte) error {
	var m bulk.Message
	err := json.Unmarshal(body, &m)
	scope, wrong := tenant.Parse(m.Scope)
	if err != nil || wrong != nil || m.Operation <= 0 {
		g.Log.ErrorContext(ctx, "message dropped: it is not a bulk message")
		return nil
	}

	until := g.Clock.Now().Add(defaultTurn)
	if deadline, ok := ctx.Deadline(); ok {
		until = deadline.Add(-margin)
	}

	err = g.Bulk.Work(tenant.NewContext(ctx, scope), scope, m.Operation, until)
	// The message can arrive before its operation is written; a retry finds it within patience.
	if errs.Is(err, errs.KindNotFound) && g.Clock.Now().Sub(m.Operation.Time()) > patience {
		g.Log.InfoContext(ctx, "message dropped: its operation was not accepted", "operation", m.Operation)
		return nil
	}

	return err
}
