package api

import (
	"context"

	"minicloud/shared/httpapi"
)

type done struct {
	Status  string `json:"status" enum:"ok"`
	Message string `json:"message"`
}

// destroy serves POST /hserve/v2.0/session/destroy/.
func (g *Group) destroy(ctx context.Context, _ httpapi.None) (done, error) {
	caller := httpapi.From(ctx)
	if err := g.Logins.End(ctx, caller.Scope, *caller.User); err != nil {
		return done{}, err
	}
	return done{Status: "ok", Message: "the session has ended"}, nil
}
