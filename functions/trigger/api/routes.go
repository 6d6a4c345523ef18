// Package api serves the management of triggers (G1-G11, section 3 of the page on triggers).
package api

import (
	"net/http"

	"minicloud/shared/clock"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger/manage"
)

// Group adapts manage.Service to HTTP.
type Group struct {
	Triggers *manage.Service
	Clock    clock.Clock
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const triggers = "/oserve/v3/trigger"
	const one = triggers + "/{trigger}"
	return httpapi.Alike(httpapi.Route{Access: httpapi.Bearer}, []httpapi.Route{
		{Method: http.MethodGet, Path: triggers, Call: httpapi.Call(g.list)},
		{Method: http.MethodPost, Path: triggers, Call: httpapi.Call(g.create), Status: http.StatusCreated},
		{Method: http.MethodGet, Path: one, Call: httpapi.Call(g.read)},
		{Method: http.MethodPut, Path: one, Call: httpapi.Call(g.replace)},
		{Method: http.MethodDelete, Path: one, Call: httpapi.Call(g.delete)},
		{Method: http.MethodGet, Path: one + "/log", Call: httpapi.Call(g.log)},
		{Method: http.MethodGet, Path: one + "/evaluation", Call: httpapi.Call(g.evaluations)},
		{Method: http.MethodGet, Path: one + "/hook", Call: httpapi.Call(g.calls)},
		{Method: http.MethodPost, Path: one + "/hook", Call: httpapi.Call(g.resetHook)},
		{Method: http.MethodPost, Path: one + "/action/{action}/key", Call: httpapi.Call(g.rotateKey)},
		{Method: http.MethodPost, Path: one + "/fire", Call: httpapi.Call(g.fire), DryRun: true},
		{Method: http.MethodPost, Path: one + "/back-test", Call: httpapi.Call(g.backTest), Reads: true},
		{Method: http.MethodPost, Path: one + "/replay", Call: httpapi.Call(g.replayRange), DryRun: true},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-log/{entry}", Call: httpapi.Call(g.entry)},
		{Method: http.MethodPost, Path: "/oserve/v3/trigger-log/{entry}/replay", Call: httpapi.Call(g.replay), DryRun: true},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-log", Call: httpapi.Call(g.wholeLog)},
		{Method: http.MethodGet, Path: "/oserve/v3/trace/{trace}", Call: httpapi.Call(g.trace)},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-choice", Call: httpapi.Call(g.choices)},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-map", Call: httpapi.Call(g.whoFiresWhom)},
		{Method: http.MethodPost, Path: "/oserve/v3/trigger-check", Call: httpapi.Call(g.check), Reads: true},
	})
}
