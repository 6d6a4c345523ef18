package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
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

// byPassword returns the endpoint that does with the credentials of its body, of one kind of login name.
func byPassword[In interface{ credentials() login.Credentials }](
	do func(context.Context, login.Credentials) (Login, error),
) httpapi.Endpoint {
	return httpapi.Call(func(ctx context.Context, in In) (Login, error) { return do(ctx, in.credentials()) })
}

func (g *Group) register(ctx context.Context, in login.Credentials) (Login, error) {
	return enter(ctx, in.Method, func(caller httpapi.Caller, from session.Sender) (login.Login, error) {
		in.From = from
		return g.Logins.Register(ctx, caller.Scope, in, caller.User)
	})
}
