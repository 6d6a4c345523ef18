// Package wire assembles program cloudfunction.
package wire

import (
	"net/http"

	"minicloud/functions/cloudfunction/api"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/job/runlog"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/sandboxes"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/runtime/prelude"
	"minicloud/shared/table/manage"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	store, jobs, runner, keys, hosts := b.Functions(), b.Jobs(), sandboxes.Open(b), secrets.Open(b), b.RunSigner()
	jobs.Counts = b.Counts()
	functions := &cloudfunction.Service{Store: store, Runner: runner, IDs: b.IDs, Clock: b.Clock}
	variables := &cloudfunction.Variables{Functions: functions, Store: store, Sealer: keys}
	group := &api.Group{
		Functions: functions, Variables: variables, Hosts: hosts, Clock: b.Clock, Prefetch: store.Prefetch,
		CallbackKeys: &callback.Keys{Store: jobs, Sealer: keys, Clock: b.Clock}, Callbacks: jobs,
		AnyPort: b.AllowPrivate(), Tables: &manage.Service{Schemas: b.Schemas()}, Declarations: prelude.Declarations(),
		Jobs: &job.Service{
			Functions: functions, Variables: variables, Store: jobs, Runner: runner, Queue: queues.Open(b).Jobs(), Hosts: hosts,
			Links: &runlog.Keys{Store: jobs, Sealer: keys}, IDs: b.IDs, Clock: b.Clock, Log: b.Log,
		},
	}
	face := b.API(group.Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(toPages(face.Handler()))
}

// toPages redirects /console/ and /docs/ to the pages without the slash. No route key ends in a slash, and a route
// with {proxy+} may not match an empty rest, so the gateway sends these paths to this program.
func toPages(endpoints http.Handler) http.Handler {
	pages := map[string]string{"/console/": "/console", "/docs/": "/docs"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, known := pages[r.URL.Path]
		if known && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			http.Redirect(w, r, page, http.StatusFound)
			return
		}
		endpoints.ServeHTTP(w, r)
	})
}
