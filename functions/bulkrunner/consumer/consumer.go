// Package consumer handles the messages of the bulk queue. Each message names a bulk operation to continue.
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

// Group adapts bulk.Service to the bulk queue.
type Group struct {
	Bulk  *bulk.Service
	Clock clock.Clock
	Log   *slog.Logger
}

// patience is how long a message is retried while its operation is missing. Deleting a group sends the message before
// it writes the operation; of two concurrent deletions of one group, only one writes an operation.
const patience = 2 * time.Minute

// defaultTurn is how long one call works; margin is how long before its deadline it stops. A step takes less than a
// second; the rest of margin is for a slow store.
const (
	defaultTurn = 60 * time.Second
	margin      = 20 * time.Second
)

// Work continues the operation that a message names. A malformed message is logged and dropped: retrying it would
// fail every time.
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
