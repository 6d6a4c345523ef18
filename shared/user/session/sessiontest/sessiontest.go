// Package sessiontest has fakes for tests of Client routes, and opens sessions in a real store.
package sessiontest

import (
	"context"
	"testing"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/session"
)

// Clients maps client ids to their applications: a fake httpapi.ClientFinder.
type Clients map[app.ClientID]app.Application

// ByClient returns the application of a client, or errs.NotFound.
func (c Clients) ByClient(_ context.Context, id app.ClientID) (app.Application, error) {
	a, ok := c[id]
	if !ok {
		return a, errs.NotFound("client not found")
	}
	return a, nil
}

// Users maps valid session tokens to their users: a fake httpapi.SessionTokens. A token is valid in every application
// and environment.
type Users map[string]session.Identity

// VerifySession returns the user of a token, or errs.Unauthenticated.
func (u Users) VerifySession(_ context.Context, _ tenant.Scope, token string) (session.Identity, error) {
	who, ok := u[token]
	if !ok {
		return who, errs.Unauthenticated("the session token is unknown, expired or revoked")
	}
	return who, nil
}

// EndUser returns a user by id, or errs.NotFound.
func (u Users) EndUser(_ context.Context, _ tenant.Scope, id int64) (session.Identity, error) {
	for _, who := range u {
		if who.User == id {
			return who, nil
		}
	}
	return session.Identity{}, errs.NotFound("user %d not found", id)
}

// Store stores sessions; *userdb.Sessions implements it.
type Store interface {
	User(ctx context.Context, scope tenant.Scope, t table.Table, id user.ID) (user.Account, table.Row, error)
	InsertSession(ctx context.Context, scope tenant.Scope, id user.ID, s session.Session) error
}

// LogIn opens a session of a user and returns the token.
func LogIn(t testing.TB, store Store, scope tenant.Scope, id user.ID, now time.Time) session.Token {
	t.Helper()
	profiles := table.Profiles()
	account, _, err := store.User(t.Context(), scope, profiles, id)
	if err != nil {
		t.Fatal(err)
	}
	opened, token := session.New(int64(id), account.Generation, app.LoginUsername, session.Sender{}, now, time.Hour)
	if err := store.InsertSession(t.Context(), scope, id, opened); err != nil {
		t.Fatal(err)
	}
	return token
}
