package console

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
)

// TokenLifetime is how long a console token is good for.
const TokenLifetime = 10 * time.Minute

const purposeToken = "console token"

// claims is the middle part of a console token.
type claims struct {
	Application tenant.AppID `json:"app"`
	Account     AccountID    `json:"account"`
	Email       string       `json:"email"`
	Name        string       `json:"name"`
	Role        Role         `json:"role"`
	Revision    int64        `json:"rev"`
	Session     app.Digest   `json:"sid"`
	Generation  int          `json:"gen"` // of the client: revoking its tokens ends this one
	Expires     int64        `json:"exp"` // Unix seconds
	As          *EndUser     `json:"as,omitempty"`
}

// Token returns the token with which the page speaks to the open API for an administrator, in one application:
// "<handle>.<claims>.<signature>". Nothing of it is stored. It is good until expires.
func Token(a app.Application, who Administrator, now time.Time) (token string, expires time.Time, err error) {
	expires = now.Add(TokenLifetime).Truncate(time.Second)
	text, err := json.Marshal(claims{
		Application: a.ID, Account: who.ID, Email: who.Email, Name: who.Name, Role: who.Role, Revision: who.Revision,
		Session: who.Session, Generation: a.Generation, Expires: expires.Unix(), As: who.As,
	})
	if err != nil {
		return "", time.Time{}, err
	}
	body := base64.RawURLEncoding.EncodeToString(text)
	return string(a.ClientID.Handle()) + "." + body + "." + a.Sign(purposeToken, body), expires, nil
}

// ClientReader is the part of app.Store that verifying a token needs.
type ClientReader interface {
	// ByHandle returns the application behind a handle, errs.NotFound when there is none.
	ByHandle(ctx context.Context, h app.Handle) (app.Application, error)
}

// Verifier tells who a console token speaks for, in one read.
type Verifier struct {
	Store ClientReader
	Clock clock.Clock
}

// VerifyToken returns the administrator of a console token and the application it is for.
//
// Errors: errs.Unauthenticated, always with the same sentence, when it is malformed, changed, expired or revoked.
func (v *Verifier) VerifyToken(ctx context.Context, token string) (Administrator, app.Application, error) {
	head, rest, _ := strings.Cut(token, ".")
	body, signature, _ := strings.Cut(rest, ".")
	if len(head) != app.HandleLen || !app.ClientID(head+head).Valid() {
		return Administrator{}, app.Application{}, errBadToken()
	}
	a, err := v.Store.ByHandle(ctx, app.Handle(head))
	if errs.Is(err, errs.KindNotFound) || err == nil && !a.Signed(signature, purposeToken, body) {
		return Administrator{}, app.Application{}, errBadToken()
	}
	if err != nil {
		return Administrator{}, app.Application{}, err
	}

	var c claims
	text, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(text, &c) != nil {
		return Administrator{}, app.Application{}, errBadToken()
	}
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
