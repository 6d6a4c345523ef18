// Package consumer handles the messages of the table work queue: it builds indexes, deletes the data of removed
// indexes and tables, and inspects triggers whose table has changed.
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

// Group adapts manage.Service and engine.Inspector to the queue.
type Group struct {
	Tables   *manage.Service
	Triggers *engine.Inspector
	Log      *slog.Logger
}

// Work executes a part of one task. A malformed message is logged and dropped: retrying it would fail every time.
func (g *Group) Work(ctx context.Context, body []byte) error {
	var task table.Task
	if err := json.Unmarshal(body, &task); err != nil {
		g.Log.ErrorContext(ctx, "message dropped: it is no table task", "error", err.Error())
		return nil
	}
	// A task with a time of change concerns the triggers of the table, not its rows.
	if task.Changed == 0 {
		return g.Tables.Work(ctx, task)
	}

	scope, err := tenant.Parse(task.Scope)
	if err != nil {
		return fmt.Errorf("a changed table: %w", err)
	}
	return g.Triggers.TableChanged(ctx, scope, task.Table, time.UnixMilli(task.Changed).UTC())
}
