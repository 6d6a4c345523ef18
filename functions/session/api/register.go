package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
	"minicloud/shared/user/login"
)

type usernamePassword struct {
	Username string `json:"username" maxLength:"128"`
	Password string `json:"password" maxLength:"128"`
}

type emailPassword struct {
	Email    string `json:"email" maxLength:"254"`
	Password string `json:"password" maxLength:"128"`
}

type phonePassword struct {
	Phone    string `json:"phone"` // The phone number in E.164, or in national format for China.
	Password string `json:"password" maxLength:"128"`
}

func (in usernamePassword) credentials() login.Credentials {
	return login.Credentials{Method: app.LoginUsername, Name: in.Username, Password: in.Password}
}

func (in emailPassword) credentials() login.Credentials {
	return login.Credentials{Method: app.LoginEmail, Name: in.Email, Password: in.Password}
}

func (in phonePassword) credentials() login.Credentials {
	return login.Credentials{Method: app.LoginPhone, Name: in.Phone, Password: in.Password}
}

func (g *Group) registerUsername(ctx context.Context, in usernamePassword) (Login, error) {
	return g.register(ctx, in.credentials())
}

func (g *Group) registerEmail(ctx context.Context, in emailPassword) (Login, error) {
	return g.register(ctx, in.credentials())
}

func (g *Group) registerPhone(ctx context.Context, in phonePassword) (Login, error) {
	return g.register(ctx, in.credentials())
}

func (g *Group) register(ctx context.Context, in login.Credentials) (Login, error) {
	caller := httpapi.From(ctx)
	if err := login.Allow(caller.Application.Settings, in.Method); err != nil {
		return nil, err
	}
	in.From = sender(ctx)
	made, err := g.Logins.Register(ctx, caller.Scope, in, caller.User)
	if err != nil {
		return nil, err
	}
	return Answer(made), nil
}
