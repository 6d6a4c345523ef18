// Package consumer works on the messages of the job queue: it runs accepted
// jobs, and looks after the open ones when a message says so.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"

	"minicloud/shared/job"
)

// Group is the queue's face of job.Service.
type Group struct {
	Jobs *job.Service
	Log  *slog.Logger
}

// Work does what one message asks. A message nobody can read is dropped with a
// log line: it would fail again for ever.
func (g *Group) Work(ctx context.Context, body []byte) error {
	var m job.Message
	if err := json.Unmarshal(body, &m); err != nil {
		g.Log.ErrorContext(ctx, "message dropped: it is not a job message", "error", err.Error())
		return nil
	}
	return g.Jobs.Work(ctx, m)
}
