// Package api serves the requests of the console's own page: sessions, accounts, applications and their environments,
// comparison and promotion between environments, and the audit log. It also serves the API description to everybody.
// For everything else, the page calls the open API with a console token.
package api

import (
	"context"
	"net/http"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console"
	"minicloud/shared/console/contents"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/console/overview"
	"minicloud/shared/console/promotion"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/openapi"
	"minicloud/shared/table/manage"
)

// Group adapts console.Service, app.Service and the services of the page to HTTP.
type Group struct {
	Accounts     *console.Service
	Applications *app.Service
	Audit        console.AuditStore
	Contents     *contents.Checker
	Tables       *manage.Service // reads the users that administrators act as
	Promotions   *promotion.Service
	Overview     *overview.Service
	Letters      *deadletter.Service
	Functions    *cloudfunction.Service
	Clock        clock.Clock
	// InboxURL is the URL of the inbox of a local cloud, which shows sent mails and messages; "" in a deployment.
	InboxURL string
	// HookURL is the base URL for webhooks to that inbox; "" if the local cloud's programs may not call private
	// addresses.
	HookURL string
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const session, account = "/console/api/session", "/console/api/account"
	const application = "/console/api/application"
	const one, environment = application + "/{application}", application + "/{application}/environment"
	const person = account + "/{account}"
	const letters = one + "/dead-letter"
	return append([]httpapi.Route{
		{Method: http.MethodPost, Path: session, Access: httpapi.Public, Call: httpapi.Call(g.signIn)},
		{Method: http.MethodGet, Path: "/openapi.json", Access: httpapi.Public, Handle: openapi.ServeDocument},
		{Method: http.MethodGet, Path: "/docs", Access: httpapi.Public, Handle: openapi.ServeViewer},
		{Method: http.MethodGet, Path: "/docs/{file}", Access: httpapi.Public, Handle: openapi.ServeFile},
	}, httpapi.Alike(httpapi.Route{Access: httpapi.Session}, []httpapi.Route{
		{Method: http.MethodGet, Path: session, Call: httpapi.Call(g.session)},
		{Method: http.MethodDelete, Path: session, Call: httpapi.Call(g.signOut), Role: console.Viewer},
		{Method: http.MethodPost, Path: "/console/api/token", Call: httpapi.Call(g.token), Reads: true, Fresh: true},

		{Method: http.MethodGet, Path: account, Call: httpapi.Call(g.listAccounts), Role: console.Owner},
		{Method: http.MethodPost, Path: account, Call: httpapi.Call(g.createAccount), Status: http.StatusCreated,
			Role: console.Owner},
		{Method: http.MethodGet, Path: person, Call: httpapi.Call(g.readAccount)},
		{Method: http.MethodPatch, Path: person, Call: httpapi.Call(g.changeAccount), Role: console.Owner},
		{Method: http.MethodDelete, Path: person, Call: httpapi.Call(g.deleteAccount), Role: console.Owner},
		{Method: http.MethodPut, Path: person + "/password", Call: httpapi.Call(g.putPassword), Role: console.Viewer},
		{Method: http.MethodGet, Path: person + "/session", Call: httpapi.Call(g.listSessions)},
		{Method: http.MethodDelete, Path: person + "/session", Call: httpapi.Call(g.endSessions), Role: console.Viewer},

		{Method: http.MethodGet, Path: application, Call: httpapi.Call(g.listApplications)},
		{Method: http.MethodPost, Path: application, Call: httpapi.Call(g.createApplication), Status: http.StatusCreated,
			Role: console.Owner},
		{Method: http.MethodGet, Path: one, Call: httpapi.Call(g.readApplication)},
		{Method: http.MethodPatch, Path: one, Call: httpapi.Call(g.renameApplication), Role: console.Owner},
		{Method: http.MethodPost, Path: one + "/secret", Call: httpapi.Call(g.resetSecret), Role: console.Owner},
		{Method: http.MethodPost, Path: one + "/signing-key", Call: httpapi.Call(g.rotateKey), Role: console.Owner},
		{Method: http.MethodPost, Path: one + "/revoke-tokens", Call: httpapi.Call(g.revokeTokens), Role: console.Owner},
		{Method: http.MethodPost, Path: environment, Call: httpapi.Call(g.addEnvironment), Status: http.StatusCreated,
			Role: console.Owner, Names: nameOfEnvironment},
		{Method: http.MethodPatch, Path: environment + "/{env}", Call: httpapi.Call(g.renameEnvironment),
			Role: console.Owner, Names: nameOfEnvironment},
		{Method: http.MethodDelete, Path: environment + "/{env}", Call: httpapi.Call(g.removeEnvironment),
			Role: console.Owner, Names: nameOfEnvironment},

		{Method: http.MethodGet, Path: one + "/compare", Call: httpapi.Call(g.compare)},
		{Method: http.MethodPost, Path: one + "/promote", Call: httpapi.Call(g.promote), Names: promoted},
		{Method: http.MethodGet, Path: one + "/promotion", Call: httpapi.Call(g.listPromotions)},
		{Method: http.MethodPost, Path: one + "/promotion/{promotion}/revert", Call: httpapi.Call(g.revert), Names: reverted},

		{Method: http.MethodGet, Path: one + "/overview", Call: httpapi.Call(g.overview)},
		{Method: http.MethodPut, Path: environment + "/{env}/function/{name}/audit", Call: httpapi.Call(g.putAudit),
			Role: console.Owner},
		{Method: http.MethodPost, Path: environment + "/{env}/user/{user}/token", Call: httpapi.Call(g.actAsUser),
			Fresh: true},
		{Method: http.MethodGet, Path: one + "/name", Call: httpapi.Call(g.names)},
		{Method: http.MethodGet, Path: letters, Call: httpapi.Call(g.listLetters)},
		{Method: http.MethodPost, Path: letters + "/{kind}/redrive", Call: httpapi.Call(g.redriveLetters),
			Role: console.Developer},
		{Method: http.MethodPost, Path: letters + "/{kind}/delete", Call: httpapi.Call(g.deleteLetters),
			Role: console.Developer},
		{Method: http.MethodGet, Path: one + "/audit", Call: httpapi.Call(g.listAudit), Role: console.Owner},
		{Method: http.MethodGet, Path: "/console/api/audit", Call: httpapi.Call(g.listAccountAudit), Role: console.Owner},
	})...)
}

// administrator returns the signed-in administrator.
func administrator(ctx context.Context) console.Administrator {
	return *httpapi.From(ctx).Administrator
}
