package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/user/login"
	"minicloud/shared/user/session"
)

// Login is the answer of every registration and login: the own record of the user with the token (C7).
type Login map[string]any

// Answer returns the answer of a login.
func Answer(in login.Login) Login {
	answer := Login(in.User)
	answer["token"], answer["expires_in"] = in.Token, in.ExpiresIn
	answer["id"], answer["user_id"] = in.ID, in.ID
	answer["_session"] = map[string]any{
		"login_method": in.Session.Method, "ip_address": in.Session.Address, "user_agent": in.Session.UserAgent,
		"session_key": in.Token,
	}
	return answer
}

// sender returns the device of a request.
func sender(ctx context.Context) session.Sender {
	caller := httpapi.From(ctx)
	return session.Sender{Address: caller.IP, UserAgent: caller.UserAgent}
}
