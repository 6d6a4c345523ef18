package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/engine"
)

// whoFiresWhom serves GET /oserve/v3/trigger-map/: which triggers may fire which others, and where that is a loop.
func (g *Group) whoFiresWhom(ctx context.Context, _ httpapi.None) (engine.Map, error) {
	return g.Triggers.Map(ctx, httpapi.Scope(ctx))
}
