package console

import (
	"context"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// TokenLifetime is the lifetime of a console token.
const TokenLifetime = 10 * time.Minute

const purposeToken = "console token"

// claims are the claims of a console token.
type claims struct {
	Application tenant.AppID `json:"app"`
	Account     AccountID    `json:"account"`
	Email       string       `json:"email"`
	Name        string       `json:"name"`
	Role        Role         `json:"role"`
	Revision    int64        `json:"rev"`
	Session     app.Digest   `json:"sid"`
	Generation  int          `json:"gen"` // of the client: revoking the client's tokens ends this one
	Expires     int64        `json:"exp"` // Unix seconds
	As          *EndUser     `json:"as,omitempty"`
}

// Token returns the console token of an administrator, with which the page calls the open API, for one application. It
// is valid until expires.
func Token(a app.Application, who Administrator, now time.Time) (token string, expires time.Time, err error) {
	expires = now.Add(TokenLifetime).Truncate(time.Second)
	token, err = a.Token(purposeToken, claims{
		Application: a.ID, Account: who.ID, Email: who.Email, Name: who.Name, Role: who.Role, Revision: who.Revision,
		Session: who.Session, Generation: a.Generation, Expires: expires.Unix(), As: who.As,
	})
	return token, expires, err
}

// Verifier verifies console tokens, with one read each.
type Verifier struct {
	Store app.HandleReader
	Clock clock.Clock
}

// VerifyToken returns the administrator and the application of a console token.
//
// Errors: errs.Unauthenticated, always with the same message, for a token that is malformed, changed, expired or
// revoked.
func (v *Verifier) VerifyToken(ctx context.Context, token string) (Administrator, app.Application, error) {
	var c claims
	a, err := app.ReadToken(ctx, v.Store, v.Clock.Now(), purposeToken, token, &c, errBadToken())
	if err != nil {
		return Administrator{}, app.Application{}, err
	}
	// Revoking the tokens of the application raises its generation, which also ends this token.
	if v.Clock.Now().Unix() >= c.Expires || c.Application != a.ID || c.Generation != a.Generation || !c.Role.Valid() {
		return Administrator{}, app.Application{}, errBadToken()
	}

	return Administrator{
		ID: c.Account, Email: c.Email, Name: c.Name, Role: c.Role, Applications: []tenant.AppID{a.ID}, Revision: c.Revision,
		Session: c.Session, As: c.As,
	}, a, nil
}

func errBadToken() error {
	return errs.Unauthenticated("the console token is invalid, expired or revoked")
}
