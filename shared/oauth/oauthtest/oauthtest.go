// Package oauthtest has a fake oauth.Authenticator for tests of endpoints.
package oauthtest

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/oauth"
)

// Tokens maps the valid access tokens to their applications.
type Tokens map[string]app.Application

// Authenticate returns the application of a token. It returns errs.Unauthenticated for any other token.
func (t Tokens) Authenticate(_ context.Context, token string) (oauth.Identity, error) {
	if a, ok := t[token]; ok {
		return oauth.Identity{Application: a}, nil
	}
	return oauth.Identity{}, errs.Unauthenticated("the access token is unknown, expired or revoked")
}

// AuthenticateClient is Authenticate; it ignores the client id.
func (t Tokens) AuthenticateClient(ctx context.Context, token, _ string) (oauth.Identity, error) {
	return t.Authenticate(ctx, token)
}
