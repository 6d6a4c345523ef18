// Package consumer handles the messages of the job queue: it runs accepted jobs, and sweeps open jobs when a message
// requests it.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"

	"minicloud/shared/job"
)

// Group adapts job.Service to the job queue.
type Group struct {
	Jobs *job.Service
	Log  *slog.Logger
}

// Work handles one message. A malformed message is logged and dropped: retrying it would fail every time.
func (g *Group) Work(ctx context.Context, body []byte) error {
	var m job.Message
	if err := json.Unmarshal(body, &m); err != nil {
		g.Log.ErrorContext(ctx, "message dropped: it is not a job message", "error", err.Error())
		return nil
	}
	return g.Jobs.Work(ctx, m)
}
