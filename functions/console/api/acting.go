package api

import (
	"context"

	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// endUserView is a user in the form that functions see as their caller (function-runtime, request).
type endUserView struct {
	ID       user.ID `json:"id"`
	Nickname string  `json:"nickname"`
	Avatar   string  `json:"avatar_url"`
	OpenID   string  `json:"openid"`
	UnionID  string  `json:"unionid"`
}

type actAsUser struct {
	ofEnvironment
	User user.ID `path:"user"`
}

type actingToken struct {
	tokenView
	User endUserView `json:"user"`
}

// actAsUser serves POST /console/api/application/:application/environment/:env/user/:user/token/.
func (g *Group) actAsUser(ctx context.Context, in actAsUser) (view actingToken, err error) {
	a, err := g.Applications.Get(ctx, in.Application)
	if err != nil {
		return view, err
	}
	if _, known := a.Environment(in.Env); !known {
		return view, errs.NotFound("environment not found")
	}
	as, err := g.endUser(ctx, tenant.Scope{App: a.ID, Env: in.Env}, in.User)
	if err != nil {
		return view, err
	}

	// The token keeps the administrator: the audit log records who acted as the user.
	who := administrator(ctx)
	who.As = &as
	token, err := g.tokenOf(ctx, a, who)
	return actingToken{token, endUserView{in.User, as.Nickname, as.Avatar, as.OpenID, as.UnionID}}, err
}

// endUser reads a user, or returns errs.NotFound.
func (g *Group) endUser(ctx context.Context, scope tenant.Scope, number user.ID) (console.EndUser, error) {
	profiles, err := g.Tables.Table(ctx, scope, table.UserProfiles)
	if err != nil {
		return console.EndUser{}, err
	}
	found, err := g.Tables.Read(ctx, scope, profiles, table.RowID(id.ID(number).Key()))
	// The store's error names a row, but the caller asked for a user.
	if errs.Is(err, errs.KindNotFound) {
		err = errs.NotFound("user %d not found", number)
	}
	if err != nil {
		return console.EndUser{}, err
	}

	record := profiles.Record(found)
	text := func(name string) string { value, _ := record[name].(string); return value }
	return console.EndUser{
		ID: int64(number), Env: scope.Env, Nickname: text("nickname"), Avatar: text("avatar"), OpenID: text("openid"),
		UnionID: text("unionid"),
	}.Short(), nil
}
