package api

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/user"
	"minicloud/shared/user/session"
)

// Session is a session of a user; its token is never shown.
type Session struct {
	ID          string          `json:"id"`
	LoginMethod app.LoginMethod `json:"login_method" schema:"LoginMethod"`
	IPAddress   string          `json:"ip_address"`
	UserAgent   string          `json:"user_agent"`
	CreatedAt   httpapi.Seconds `json:"created_at"`
	ExpiresAt   httpapi.Seconds `json:"expires_at"`
}

func viewSession(s session.Session) Session {
	return Session{
		ID: s.ID(), LoginMethod: s.Method, IPAddress: s.Address, UserAgent: s.UserAgent,
		CreatedAt: httpapi.Seconds(s.CreatedAt.Unix()), ExpiresAt: httpapi.Seconds(s.ExpiresAt.Unix()),
	}
}

type sessionPage struct {
	Page page.Request
}

// own returns the id of the caller.
func own(ctx context.Context) user.ID { return user.ID(httpapi.From(ctx).User.User) }

// listOwn serves GET /hserve/v3/session/.
func (g *Group) listOwn(ctx context.Context, in sessionPage) (httpapi.Envelope[Session], error) {
	all, err := g.Logins.OwnSessions(ctx, httpapi.Scope(ctx), *httpapi.From(ctx).User, in.Page)
	return httpapi.ListOf(ctx, in.Page, all, viewSession), err
}

// endOwn serves DELETE /hserve/v3/session/.
func (g *Group) endOwn(ctx context.Context, _ httpapi.None) (httpapi.None, error) {
	return httpapi.None{}, g.Logins.EndAll(ctx, httpapi.Scope(ctx), own(ctx))
}

type sessionID struct {
	ID string `path:"id"`
}

// readOne serves GET /hserve/v3/session/:id/.
func (g *Group) readOne(ctx context.Context, in sessionID) (Session, error) {
	one, err := g.Logins.One(ctx, httpapi.Scope(ctx), *httpapi.From(ctx).User, in.ID)
	return viewSession(one), err
}

// endOne serves DELETE /hserve/v3/session/:id/.
func (g *Group) endOne(ctx context.Context, in sessionID) (httpapi.None, error) {
	return httpapi.None{}, g.Logins.EndOne(ctx, httpapi.Scope(ctx), *httpapi.From(ctx).User, in.ID)
}
