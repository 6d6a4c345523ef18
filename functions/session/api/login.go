package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
	"minicloud/shared/user/login"
)

func (g *Group) loginUsername(ctx context.Context, in usernamePassword) (Login, error) {
	return g.login(ctx, in.credentials())
}

func (g *Group) loginEmail(ctx context.Context, in emailPassword) (Login, error) {
	return g.login(ctx, in.credentials())
}

func (g *Group) loginPhone(ctx context.Context, in phonePassword) (Login, error) {
	return g.login(ctx, in.credentials())
}

func (g *Group) login(ctx context.Context, in login.Credentials) (Login, error) {
	caller := httpapi.From(ctx)
	if err := login.Allow(caller.Application.Settings, in.Method); err != nil {
		return nil, err
	}
	in.From = sender(ctx)
	made, err := g.Logins.LogIn(ctx, caller.Scope, in)
	if err != nil {
		return nil, err
	}
	return Answer(made), nil
}

// anonymous serves POST /hserve/v2.0/login/anonymous/.
func (g *Group) anonymous(ctx context.Context, _ httpapi.None) (Login, error) {
	caller := httpapi.From(ctx)
	if err := login.Allow(caller.Application.Settings, app.LoginAnonymous); err != nil {
		return nil, err
	}
	made, err := g.Logins.Anonymous(ctx, caller.Scope, sender(ctx))
	if err != nil {
		return nil, err
	}
	return Answer(made), nil
}
