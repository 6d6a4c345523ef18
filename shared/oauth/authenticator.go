package oauth

import (
	"context"
	"crypto/subtle"

	"minicloud/shared/app"
	"minicloud/shared/cache"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// TokenReader is the part of Store that authentication needs: all programs may read tokens, only oauth may write them.
type TokenReader interface {
	// ClientAndToken is documented on Store.
	ClientAndToken(ctx context.Context, h app.Handle, kind Kind, d app.Digest) (app.Application, Record, error)
}

// Authenticator verifies access tokens, with one read each.
type Authenticator struct {
	Store TokenReader
	Clock clock.Clock

	known cache.Map[app.Handle, tenant.AppID] // application by handle, of earlier callers; entries never change
}

// Likely returns the application of a token that is not verified yet, so that one batch read can verify the token and
// fetch an item of the application. ok is false if the application has not called this process before.
func (a *Authenticator) Likely(token string) (tenant.AppID, bool) {
	h, ok := handleOf(token)
	if !ok {
		return 0, false
	}
	return a.known.Get(h)
}

// Authenticate returns the application of a token. It returns errs.Unauthenticated, always with the same message, for a
// token that is malformed, unknown, expired or revoked.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (app.Application, error) {
	h, ok := handleOf(token)
	if !ok {
		return app.Application{}, errBadToken()
	}
	application, record, err := a.Store.ClientAndToken(ctx, h, KindAccess, app.DigestOf(token))
	switch {
	case errs.Is(err, errs.KindNotFound):
		return app.Application{}, errBadToken()
	case err != nil:
		return app.Application{}, err
	// A refresh or revocation raises the generation of the client, which revokes all older tokens in one write.
	case !record.live(a.Clock.Now()) || record.Generation != application.Generation:
		return app.Application{}, errBadToken()
	}
	// Cache the application for Likely, which serves the next request.
	a.known.Put(h, application.ID)
	return application, nil
}

// AuthenticateClient returns the application of a token that must belong to the client with this id, as endpoint 20
// requires (D14).
func (a *Authenticator) AuthenticateClient(ctx context.Context, token, clientID string) (app.Application, error) {
	application, err := a.Authenticate(ctx, token)
	if err != nil {
		return app.Application{}, err
	}
	if subtle.ConstantTimeCompare([]byte(application.ClientID), []byte(clientID)) != 1 {
		return app.Application{}, errs.Unauthenticated("the access token does not belong to the client of X-Service-Client-ID")
	}
	return application, nil
}

func errBadToken() error {
	return errs.Unauthenticated("the access token is unknown, expired or revoked")
}
