package api

import (
	"net/http"

	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// endUserView is a user as functions see who calls them (function-runtime, request).
type endUserView struct {
	ID       int64  `json:"id"`
	Nickname string `json:"nickname"`
	Avatar   string `json:"avatar_url"`
	OpenID   string `json:"openid"`
	UnionID  string `json:"unionid"`
}

// actAsUser serves POST /console/api/application/:application/environment/:env/user/:user/token/.
func (g *Group) actAsUser(w http.ResponseWriter, r *http.Request) error {
	a, err := g.Applications.Get(r.Context(), httpapi.ScopeOf(r).App)
	if err != nil {
		return err
	}
	scope := tenant.Scope{App: a.ID, Env: tenant.EnvID(r.PathValue("env"))}
	if _, known := a.Environment(scope.Env); !known {
		return errs.NotFound("environment not found")
	}
	as, err := g.endUser(r, scope)
	if err != nil {
		return err
	}

	who := administrator(r.Context())
	who.As, who.Session = &as, httpapi.CallerOf(r).Session.Digest
	token, expires, err := console.Token(a, who, g.Clock.Now())
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, struct {
		Token     string      `json:"token"`
		ExpiresAt int64       `json:"expires_at"`
		User      endUserView `json:"user"`
	}{token, expires.Unix(), endUserView{as.ID, as.Nickname, as.Avatar, as.OpenID, as.UnionID}})
	return nil
}

// endUser reads the user whom the path names, errs.NotFound where the environment has none of that id.
func (g *Group) endUser(r *http.Request, scope tenant.Scope) (console.EndUser, error) {
	number, err := user.ParseID(r.PathValue("user"))
	if err != nil {
		return console.EndUser{}, err
	}
	profiles, err := g.Tables.Table(r.Context(), scope, table.UserProfiles)
	if err != nil {
		return console.EndUser{}, err
	}
	row, err := profiles.ParseRowID(r.PathValue("user"))
	if err != nil {
		return console.EndUser{}, err
	}
	found, err := g.Tables.Read(r.Context(), scope, profiles, row)
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
