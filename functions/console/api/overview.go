package api

import (
	"cmp"
	"context"

	"minicloud/shared/console/overview"
	"minicloud/shared/tenant"
)

type readOverview struct {
	ofApplication
	Env   tenant.EnvID `query:"env"` // The environment. Defaults to production.
	Hours int          `query:"hours" minimum:"1" maximum:"168" default:"24"`
}

// overview serves GET /console/api/application/:application/overview/.
func (g *Group) overview(ctx context.Context, in readOverview) (o overview.Overview, err error) {
	scope, err := g.environment(ctx, in.Application, in.Env)
	if err != nil {
		return o, err
	}
	o, err = g.Overview.Read(ctx, scope, in.Hours)
	hideOthers(o.Letters, administrator(ctx))
	return o, err
}

type listNames struct {
	ofApplication
	Env      tenant.EnvID `query:"env"` // The environment. Defaults to production.
	Contains string       `query:"name__contains" ref:"nameContains"`
}

// names serves GET /console/api/application/:application/name/: the objects that the command palette finds.
func (g *Group) names(ctx context.Context, in listNames) (found overview.Names, err error) {
	scope, err := g.environment(ctx, in.Application, in.Env)
	if err != nil {
		return found, err
	}
	return g.Overview.Names(ctx, scope, in.Contains)
}

// environment returns the environment that the query names, by default production.
func (g *Group) environment(ctx context.Context, app tenant.AppID, env tenant.EnvID) (tenant.Scope, error) {
	a, err := g.Applications.Get(ctx, app)
	if err != nil {
		return tenant.Scope{}, err
	}
	to, err := environmentOf(a, "env", cmp.Or(env, tenant.Production))
	return to.Scope, err
}
