// Package consumer handles the schedule that runs every five minutes.
package consumer

import (
	"context"
	"log/slog"
	"time"

	"minicloud/shared/file"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Group runs file.Service.Sweep on the schedule.
type Group struct {
	Files *file.Service
	Log   *slog.Logger
}

// Tick finishes the uploads that are due. A repeated tick finds its work done. An error means that some could not be
// finished: the next tick tries them again.
func (g *Group) Tick(ctx context.Context) error {
	done, err := g.Files.Sweep(ctx)
	if done > 0 {
		g.Log.InfoContext(ctx, "tick", "uploads", done)
	}
	return err
}

// Engine fires events; *engine.Engine implements it.
type Engine interface {
	Fire(ctx context.Context, events []trigger.Event) (done int, err error)
}

// Failures implements file.Failures: the event's id follows from that of the upload, so that it fires once however often a
// sweep dies after it.
type Failures struct {
	Engine Engine
	Site   file.Site
}

// UploadFailed fires the event of an upload that failed (C32). The time of the event is when the upload was due: the key of
// a run has the time, so a repetition with another time would fire again.
func (f *Failures) UploadFailed(ctx context.Context, scope tenant.Scope, u file.Upload) error {
	at := time.Unix(u.Due, 0)
	e, err := trigger.FileEvent(scope, "upload#"+string(u.ID), at, map[string]any{
		"operation": string(trigger.FileUpload), "result": trigger.ResultFail, "file": f.Site.Payload(scope, u.Awaited()),
	})
	if err != nil {
		return err
	}
	e.Depth, e.Trace, e.Cause = u.Origin.Depth, u.Origin.Trace.ID, u.Origin.Trace.Cause
	_, err = f.Engine.Fire(ctx, []trigger.Event{e})
	return err
}
