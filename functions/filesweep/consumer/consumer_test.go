package consumer_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/functions/filesweep/consumer"
	"minicloud/shared/file"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
)

// engine is a fake that records events.
type engine struct{ fired []trigger.Event }

func (e *engine) Fire(_ context.Context, events []trigger.Event) (int, error) {
	e.fired = append(e.fired, events...)
	return len(events), nil
}

// TestUploadFailed: the record is pending, and what only the content tells is null (contract, file events).
func TestUploadFailed(t *testing.T) {
	e := &engine{}
	f := &consumer.Failures{Engine: e, Site: "https://files.example.com"}
	scope, due := tenant.Scope{App: 7, Env: tenant.Production}, time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	u := file.Upload{
		Ref: file.Ref{ID: "0153ba852007143ebb89d6fe", Due: due.Unix()}, File: "0153ba852007143ebb89d6fe", Name: "a.png", CDNPath: "b.png", Category: "c", By: 5,
		Origin: table.Origin{Depth: 2, Trace: trace.Link{ID: "t", Cause: "f/1"}},
	}
	for range 2 {
		if err := f.UploadFailed(t.Context(), scope, u); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.fired) != 2 || e.fired[0].ID != e.fired[1].ID || !e.fired[0].At.Equal(due) || !e.fired[1].At.Equal(due) {
		t.Fatalf("the same upload is the same event at the same time: %+v", e.fired)
	}
	got := e.fired[0]
	began := u.ID.CreatedAt()
	want := map[string]any{
		"id": "0153ba852007143ebb89d6fe", "name": "a.png", "status": "pending", "categories": []any{"c"}, "size": nil, "media_type": nil,
		"mime_type": nil, "reference": "", "cdn_path": "b.png", "path": "https://files.example.com/7/production/b.png",
		"created_at": began, "updated_at": began, "created_by": int64(5),
	}
	if diff := cmp.Diff(want, got.Payload); diff != "" || got.Depth != 2 || got.Trace != "t" || got.Cause != "f/1" || got.Kind != trigger.OnFile {
		t.Errorf("%+v\n%s", got, diff)
	}
}
