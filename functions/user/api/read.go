package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

type readUser struct {
	byID
	Keys string `query:"keys" ref:"keys"`
}

// read serves endpoint 16.
func (g *Group) read(ctx context.Context, in readUser) (user.Profile, error) {
	profile, err := g.Users.Profile(ctx, httpapi.Scope(ctx), in.ID, in.Keys)
	if err != nil {
		return nil, err
	}
	return profile, g.withAccounts(ctx, in.Keys, profile)
}
