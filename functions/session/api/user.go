package api

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/user"
)

// UserState is what an administrator sees and sets of a user's logins (C40).
type UserState struct {
	ID        user.ID          `json:"id"`
	Blocked   bool             `json:"blocked"`
	Temporary bool             `json:"temporary"` // Logged in anonymously, without a login of their own.
	ClosedAt  *httpapi.Seconds `json:"closed_at"` // When the account was closed; null if it is open.
}

func viewState(a user.Account) UserState {
	return UserState{
		ID: a.UserID, Blocked: a.Blocked, Temporary: a.Temporary, ClosedAt: httpapi.OrNull(httpapi.Seconds(a.ClosedAt)),
	}
}

type ofUser struct {
	User user.ID `path:"user"`
}

// readState serves GET /oserve/v3/user/:id/.
func (g *Group) readState(ctx context.Context, in ofUser) (UserState, error) {
	account, err := g.Logins.Users.Account(ctx, httpapi.Scope(ctx), in.User)
	return viewState(account), err
}

type stateChange struct {
	ofUser
	Blocked *bool `json:"blocked"`
	Closed  bool  `json:"closed"` // Closes the account. This cannot be undone.
}

// changeState serves PUT /oserve/v3/user/:id/.
func (g *Group) changeState(ctx context.Context, in stateChange) (UserState, error) {
	scope := httpapi.Scope(ctx)
	if in.Blocked == nil && !in.Closed {
		return UserState{}, errs.Invalid("blocked or closed is required; a closed account cannot be opened again")
	}
	if in.Closed {
		if err := g.Logins.Close(ctx, scope, in.User); err != nil {
			return UserState{}, err
		}
	}
	if in.Blocked == nil {
		return g.readState(ctx, in.ofUser)
	}
	account, err := g.Logins.Block(ctx, scope, in.User, *in.Blocked)
	return viewState(account), err
}

type sessionsOfUser struct {
	ofUser
	Page page.Request
}

// listOfUser serves GET /oserve/v3/user/:id/session/.
func (g *Group) listOfUser(ctx context.Context, in sessionsOfUser) (httpapi.Envelope[Session], error) {
	all, err := g.Logins.Sessions(ctx, httpapi.Scope(ctx), in.User, in.Page)
	return httpapi.ListOf(ctx, in.Page, all, viewSession), err
}

// endOfUser serves DELETE /oserve/v3/user/:id/session/.
func (g *Group) endOfUser(ctx context.Context, in ofUser) (httpapi.None, error) {
	if _, err := g.Logins.Users.Account(ctx, httpapi.Scope(ctx), in.User); err != nil {
		return httpapi.None{}, err
	}
	return httpapi.None{}, g.Logins.EndAll(ctx, httpapi.Scope(ctx), in.User)
}
