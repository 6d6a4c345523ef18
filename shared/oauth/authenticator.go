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

// Identity is the application that an access token authenticates.
type Identity struct {
	Application app.Application
}

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

// Authenticate returns the identity of a token. It returns errs.Unauthenticated, always with the same message, for a
// token that is malformed, unknown, expired or revoked.
func (a *Authenticator) Authenticate(ctx context.Context, token string) (Identity, error) {
	h, ok := handleOf(token)
	if !ok {
		return Identity{}, errBadToken()
	}
	application, record, err := a.Store.ClientAndToken(ctx, h, KindAccess, app.DigestOf(token))
	switch {
	case errs.Is(err, errs.KindNotFound):
		return Identity{}, errBadToken()
	case err != nil:
		return Identity{}, err
	// A refresh or revocation raises the generation of the client, which revokes all older tokens in one write.
	case !record.live(a.Clock.Now()) || record.Generation != application.Generation:
		return Identity{}, errBadToken()
	}
	// Cache the application for Likely, which serves the next request.
	a.known.Put(h, application.ID)
	return Identity{Application: application}, nil
}

// AuthenticateClient returns the identity of a token that must belong to the client with this id, as endpoint 20
// requires (D14).
func (a *Authenticator) AuthenticateClient(ctx context.Context, token, clientID string) (Identity, error) {
	identity, err := a.Authenticate(ctx, token)
	if err != nil {
		return Identity{}, err
	}
	if subtle.ConstantTimeCompare([]byte(identity.Application.ClientID), []byte(clientID)) != 1 {
		return Identity{}, errs.Unauthenticated("the access token does not belong to the client of X-Service-Client-ID")
	}
	return identity, nil
}

func errBadToken() error {
	return errs.Unauthenticated("the access token is unknown, expired or revoked")
}
