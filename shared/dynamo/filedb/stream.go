package filedb

import (
	"context"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rowevent"
	"minicloud/shared/file"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/trigger"
)

// Stream converts records of the rows' stream into events: those of files into the events of files, all others as Rows
// does.
type Stream struct {
	Rows *rowevent.Stream
	Site file.Site
	// Checks has uploaded images checked.
	Checks *imagecheck.Uploads
}

// Read converts a stream record, as rowevent.Stream does.
func (s *Stream) Read(ctx context.Context, record dynamo.Record) (trigger.Event, bool, error) {
	e, ok, err := rowevent.Read(record)
	if err != nil || !ok || e.Table != file.TableID {
		return s.Rows.Read(ctx, record)
	}
	return s.event(ctx, e, record)
}

// event returns the event of a file: a new row and new content are an upload.
func (s *Stream) event(ctx context.Context, e rowevent.Event, record dynamo.Record) (trigger.Event, bool, error) {
	operation, it := trigger.FileUpload, dynamo.Image(record.Change.NewImage)
	if len(it) == 0 {
		operation, it = trigger.FileDelete, dynamo.Image(record.Change.OldImage)
	}
	f := file.Of(rowdb.ToRow(file.Table(), it))
	payload := s.Site.Payload(e.Scope, f)
	made, err := trigger.FileEvent(e.Scope, e.ID, e.At, map[string]any{
		"operation": string(operation), "result": trigger.ResultSuccess, "file": payload,
	})
	made.Depth, made.Trace, made.Cause = e.Depth, e.Trace.ID, e.Trace.Cause
	if err == nil && operation == trigger.FileUpload {
		err = s.Checks.Uploaded(ctx, e.Scope, e.ID, e.At, f, payload)
	}
	return made, err == nil, err
}
