package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/engine"
)

// whoFiresWhom serves GET /oserve/v3/trigger-map/: the triggers that may fire other triggers, and the loops among
// them.
func (g *Group) whoFiresWhom(ctx context.Context, _ httpapi.None) (engine.Map, error) {
	return g.Triggers.Map(ctx, httpapi.Scope(ctx))
}
