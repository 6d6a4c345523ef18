// Package oauthtest has a fake oauth.Authenticator for tests of endpoints.
package oauthtest

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/errs"
)

// Tokens maps the valid access tokens to their applications.
type Tokens map[string]app.Application

// Authenticate returns the application of a token. It returns errs.Unauthenticated for any other token.
func (t Tokens) Authenticate(_ context.Context, token string) (app.Application, error) {
	if a, ok := t[token]; ok {
		return a, nil
	}
	return app.Application{}, errs.Unauthenticated("the access token is unknown, expired or revoked")
}

// AuthenticateClient is Authenticate of a token that belongs to the client.
func (t Tokens) AuthenticateClient(ctx context.Context, token, clientID string) (app.Application, error) {
	a, err := t.Authenticate(ctx, token)
	if err == nil && string(a.ClientID) != clientID {
		err = errs.Unauthenticated("the access token does not belong to the client of X-Service-Client-ID")
	}
	return a, err
}
