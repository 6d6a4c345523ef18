// Program cloudfunction serves the cloud function endpoints 1–9, and 404 for
// every path no other program serves.
package main

import (
	"net/http"

	"minicloud/functions/cloudfunction/api"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/sandbox/prelude"
	"minicloud/shared/table"
)

func main() {
	p := program.New()
	b, ids := backend.Open(p), new(id.Source)
	apps := &appdb.Applications{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")}
	store := &functiondb.Functions{Client: b.DynamoDB, Table: p.String("FUNCTIONS_TABLE")}
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	jobs := &jobdb.Store{Client: b.DynamoDB, Table: p.String("JOBS_TABLE"), Counts: counts}
	schemas := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	runner := b.Sandbox(p.String("SANDBOX_FREE_FUNCTION"), p.String("SANDBOX_PERSONAL_FUNCTION"))
	work := &queue.Jobs{Queue: b.Queue(p.String("JOB_QUEUE_URL"))}
	secrets := b.Secrets(p.String("SECRETS_KEY"))
	anyPort := p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" // the local cloud's tests only
	face := b.API(p, backend.Tables{
		Applications: apps.Table, Keys: p.String("IDEMPOTENCY_TABLE"), Console: p.String("CONSOLE_TABLE"),
		Audit: p.String("AUDIT_TABLE"),
	}, p.Default("ALLOWED_ORIGINS", "*"))
	p.Ready()

	functions := &cloudfunction.Service{
		Store: store, Checker: cloudfunction.SandboxChecker{Runner: runner}, IDs: ids, Clock: clock.System,
	}
	variables := &cloudfunction.Variables{Functions: functions, Store: store, Sealer: secrets}
	hosts := &job.RunHosts{Applications: apps, Clock: clock.System}
	group := &api.Group{
		Functions: functions, Variables: variables, Hosts: hosts, Clock: clock.System, Prefetch: store.Prefetch,
		CallbackKeys: &job.CallbackKeys{Store: jobs, Sealer: secrets, Clock: clock.System}, Callbacks: jobs, AnyPort: anyPort,
		Tables: &table.Service{Schemas: schemas}, Declarations: prelude.Declarations(),
		Jobs: &job.Service{
			Functions: functions, Variables: variables, Store: jobs, Runner: runner, Queue: work, Hosts: hosts,
			IDs: ids, Clock: clock.System, Log: p.Log,
		},
	}
	face.Routes = group.Routes()
	lambdahttp.Start(toPages(face.Handler()))
}

// toPages redirects /console/ and /docs/ to the pages without the slash: no route key ends in a slash, and a route's
// {proxy+} may not match when nothing is left for it. What no route matches comes here.
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
