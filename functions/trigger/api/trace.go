package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

type readTrace struct {
	Trace string `path:"trace"` // The X-Request-Id of a response or the trace_id of a log entry.
}

// trace serves GET /oserve/v3/trace/:id/.
func (g *Group) trace(ctx context.Context, in readTrace) (*manage.Node, error) {
	return g.Triggers.Trace(ctx, httpapi.Scope(ctx), in.Trace)
}
