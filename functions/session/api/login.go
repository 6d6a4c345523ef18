package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// enter answers a login by a method, if the application allows it.
func enter(
	ctx context.Context, method app.LoginMethod, do func(caller httpapi.Caller, from session.Sender) (login.Login, error),
) (Login, error) {
	caller := httpapi.From(ctx)
	if err := login.Allow(caller.Application.Settings, method); err != nil {
		return nil, err
	}
	made, err := do(caller, sender(ctx))
	if err != nil {
		return nil, err
	}
	return Answer(made), nil
}

func (g *Group) login(ctx context.Context, in login.Credentials) (Login, error) {
	return enter(ctx, in.Method, func(caller httpapi.Caller, from session.Sender) (login.Login, error) {
		in.From = from
		return g.Logins.LogIn(ctx, caller.Scope, in)
	})
}

// anonymous serves POST /hserve/v2.0/login/anonymous/.
func (g *Group) anonymous(ctx context.Context, _ httpapi.None) (Login, error) {
	return enter(ctx, app.LoginAnonymous, func(caller httpapi.Caller, from session.Sender) (login.Login, error) {
		return g.Logins.Anonymous(ctx, caller.Scope, from)
	})
}
