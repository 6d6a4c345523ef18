// Package oauthtest stands in for oauth.Authenticator in tests of endpoints.
package oauthtest

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
)

// Tokens are the valid access tokens, each with its application.
type Tokens map[string]app.Application

// Authenticate returns the application of a token, errs.Unauthenticated for any other token.
func (t Tokens) Authenticate(_ context.Context, token string) (oauth.Identity, error) {
	if a, ok := t[token]; ok {
		return oauth.Identity{Application: a}, nil
	}
	return oauth.Identity{}, errs.Unauthenticated("the access token is unknown, expired or revoked")
}

// AuthenticateClient does too, whichever client sends the token.
func (t Tokens) AuthenticateClient(ctx context.Context, token, _ string) (oauth.Identity, error) {
	return t.Authenticate(ctx, token)
}
