// Package api serves the cloud function endpoints 1–9, and versions, variables, single jobs, logs, the mini programs'
// twin of endpoint 1, a check of code that stores nothing, and the TypeScript declarations of the globals of
// functions.
//
// Paths name functions, and number jobs and versions. The check has a path outside that of the functions, because
// every word can be the name of a function.
package api

import (
	"context"
	"net/http"
	"slices"

	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/httpapi"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/oauth"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// Group adapts cloudfunction.Service and job.Service to HTTP.
type Group struct {
	Functions *cloudfunction.Service
	Jobs      *job.Service
	Variables *cloudfunction.Variables
	Tables    *manage.Service // for the names of tables, when debugging table triggers
	// Hosts learns the application of each request, so that its runs need not read it; nil turns this off.
	Hosts *oauth.RunSigner
	// Prefetch makes ctx read a function by name in the same call as the token; nil turns this off.
	Prefetch func(ctx context.Context, scope tenant.Scope, name string) context.Context
	Clock    clock.Clock
	// CallbackKeys creates the keys that sign callbacks; Callbacks reads the state of callbacks.
	CallbackKeys *callback.Keys
	Callbacks    callback.Store
	AnyPort      bool // allows callbacks to any port; only in tests of the local cloud
	// Declarations has the TypeScript declarations of the globals of functions.
	Declarations string
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const functions = "/oserve/v1.3/cloud-function"
	const one = functions + "/{name}"
	routes := slices.Concat(httpapi.Alike(httpapi.Route{Access: httpapi.Bearer, Twin: true}, []httpapi.Route{
		{Method: http.MethodPost, Path: one + "/debug", Call: httpapi.Call(g.debug), Prefetch: g.prefetch, Acts: true},
		{Method: http.MethodGet, Path: one + "/job", Call: httpapi.Call(g.listJobs), Prefetch: g.prefetch},
		{Method: http.MethodPost, Path: one + "/job", Call: httpapi.Call(g.run), Prefetch: g.prefetch, Acts: true},
		{Method: http.MethodPost, Path: functions, Call: httpapi.Call(g.create), Status: http.StatusCreated},
		{Method: http.MethodGet, Path: functions, Call: httpapi.Call(g.list), Keys: true},
		{Method: http.MethodGet, Path: one, Call: httpapi.Call(g.read), Prefetch: g.prefetch},
		{Method: http.MethodPatch, Path: one, Call: httpapi.Call(g.modify), Status: http.StatusAccepted},
		{Method: http.MethodDelete, Path: one, Call: httpapi.Call(g.delete)},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.Bearer}, []httpapi.Route{
		{Method: http.MethodPost, Path: "/oserve/v1/cloud-function/job", Call: httpapi.Call(g.runV1), Acts: true},
		{Method: http.MethodGet, Path: one + "/version", Call: httpapi.Call(g.listVersions)},
		{Method: http.MethodGet, Path: one + "/version/{version}", Call: httpapi.Call(g.readVersion)},
		{Method: http.MethodPost, Path: one + "/version/{version}/restore", Call: httpapi.Call(g.restoreVersion),
			Status: http.StatusAccepted},
		{Method: http.MethodGet, Path: one + "/job/{job}", Call: httpapi.Call(g.readJob), Prefetch: g.prefetch},
		{Method: http.MethodDelete, Path: one + "/job/{job}", Call: httpapi.Call(g.cancelJob)},
		{Method: http.MethodGet, Path: one + "/job/{job}/log", Handle: g.readLog, Prefetch: g.prefetch},
		{Method: http.MethodGet, Path: one + "/variable", Call: httpapi.Call(g.listVariables)},
		{Method: http.MethodPut, Path: one + "/variable", Call: httpapi.Call(g.putVariable)},
		{Method: http.MethodGet, Path: one + "/variable/{key}", Call: httpapi.Call(g.readVariable)},
		{Method: http.MethodPut, Path: one + "/variable/{key}", Call: httpapi.Call(g.putVariableByKey)},
		{Method: http.MethodDelete, Path: one + "/variable/{key}", Call: httpapi.Call(g.deleteVariable)},
		{Method: http.MethodPost, Path: "/oserve/v1.3/callback-key", Call: httpapi.Call(g.makeCallbackKey)},
		{Method: http.MethodPost, Path: "/oserve/v1.3/cloud-function-check", Call: httpapi.Call(g.check), Reads: true},
	}))
	return append(routes, []httpapi.Route{
		{Method: http.MethodPost, Path: "/hserve/v1/cloud-function/job", Access: httpapi.Client, AccessTokens: true,
			Call: httpapi.Call(g.runSDK), Acts: true},
		{Method: http.MethodGet, Path: "/hserve/v2.2/server/time", Access: httpapi.Client, Call: httpapi.Call(g.serverTime)},
		{Method: http.MethodGet, Path: "/oserve/v2.2/server/time", Access: httpapi.Public, Call: httpapi.Call(g.serverTime),
			Twin: true},
		{Method: http.MethodGet, Path: "/oserve/v1.3/cloud-function-log/{job}", Access: httpapi.Public, Handle: g.openLog},
		{Method: http.MethodGet, Path: "/oserve/v1/baas.d.ts", Access: httpapi.Public, Handle: g.declarations},
	}...)
}

// prefetch makes the authentication read the function in the path together with the token.
func (g *Group) prefetch(r *http.Request, scope tenant.Scope) context.Context {
	if g.Prefetch == nil {
		return r.Context()
	}
	return g.Prefetch(r.Context(), scope, r.PathValue("name"))
}
