// Package consumer works on the messages of the table work queue: indexes to be
// built, what removed indexes and tables left behind, and triggers whose table has changed.
package consumer

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/engine"
)

// Group is the queue's face of manage.Service and trigger.Inspector.
type Group struct {
	Tables   *manage.Service
	Triggers *engine.Inspector
	Log      *slog.Logger
}

// Work does a part of one task. A message nobody can read is dropped with a
// log line: it would fail again for ever.
func (g *Group) Work(ctx context.Context, body []byte) error {
	var task table.Task
	if err := json.Unmarshal(body, &task); err != nil {
		g.Log.ErrorContext(ctx, "message dropped: it is no table task", "error", err.Error())
		return nil
	}
	// A task with a time of change is for the triggers of the table, not for its rows.
	if task.Changed == 0 {
		return g.Tables.Work(ctx, task)
	}

	scope, err := tenant.Parse(task.Scope)
	if err != nil {
		return fmt.Errorf("a changed table: %w", err)
	}
	return g.Triggers.TableChanged(ctx, scope, task.Table, time.UnixMilli(task.Changed).UTC())
}
