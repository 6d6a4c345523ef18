// Package consumer works on the messages of the table work queue: indexes to be
// built, and what removed indexes and tables left behind.
package consumer

import (
	"context"
	"encoding/json"
	"log/slog"

	"minicloud/shared/table"
)

// Group is the queue's face of table.Service.
type Group struct {
	Tables *table.Service
	Log    *slog.Logger
}

// Work does a part of one task. A message nobody can read is dropped with a
// log line: it would fail again for ever.
func (g *Group) Work(ctx context.Context, body []byte) error {
	var task table.Task
	if err := json.Unmarshal(body, &task); err != nil {
		g.Log.ErrorContext(ctx, "message dropped: it is no table task", "error", err.Error())
		return nil
	}
	return g.Tables.Work(ctx, task)
}
