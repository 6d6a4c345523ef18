package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
)

// whoFiresWhom serves GET /oserve/v3/trigger-map/: which triggers may fire which others, and where that is a loop.
func (g *Group) whoFiresWhom(ctx context.Context, _ httpapi.None) (trigger.Map, error) {
	return g.Triggers.Map(ctx, httpapi.Scope(ctx))
}
