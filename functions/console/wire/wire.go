// Package wire assembles program console.
package wire

import (
	"net/http"
	"strings"

	"minicloud/functions/console/api"
	"minicloud/functions/console/web"
	"minicloud/shared/app"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console"
	"minicloud/shared/console/contents"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/console/overview"
	"minicloud/shared/console/promotion"
	"minicloud/shared/order"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/secret/password"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/manage"
)

// parallelHashes limits concurrent password hashes, because of this program's 512 MB of memory.
const parallelHashes = 4

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	q, counts, store, audit := queues.Open(b), b.Counts(), b.Functions(), b.Audit()
	code := &cloudfunction.Service{Store: store, IDs: b.IDs, Clock: b.Clock}
	triggers, runs, groups, settings, letters := b.OwnTriggers(), b.Runs(), b.Groups(), b.MessageSettings(), letters(b, q)
	tables, orders, jobs := b.Tables(), b.Orders(), b.Jobs()
	tables.Counts, tables.Worker, orders.Counts, jobs.Counts = counts, q.TableWork(), counts, counts
	names := &manage.Names{Tables: tables, Functions: code, Groups: groups, Settings: settings}
	managed := &manage.Service{
		Store: triggers, Tables: tables, Runs: runs, Queue: q.Actions(),
		Checker: &draft.Checker{Names: names, AnyPort: b.AllowPrivate()},
		Sealer:  secrets.Open(b), Clock: b.Clock, IDs: b.IDs,
	}

	accounts := accounts(b)
	group := &api.Group{
		Accounts: accounts, Applications: &app.Service{Store: b.Applications(), IDs: b.IDs, Clock: b.Clock}, Audit: audit,
		Letters: letters, Functions: code, Clock: b.Clock, Tables: tables,
		InboxURL: b.Default("INBOX_URL", ""), HookURL: b.Default("INBOX_HOOK_URL", ""),
		Contents: &contents.Checker{
			Functions: code, Triggers: triggers, Tables: tables, Orders: &order.Service{Store: orders, Clock: b.Clock},
		},
		Promotions: &promotion.Service{
			Functions: code, Variables: &cloudfunction.Variables{Functions: code, Store: store}, Tables: tables,
			Triggers: managed, Groups: groups, Store: b.Promotions(), Clock: b.Clock, IDs: b.IDs,
		},
		Overview: &overview.Service{
			Functions: code, Jobs: jobs, Triggers: managed, Runs: runs, Seen: runs, Settings: settings, Letters: letters,
			Clock: b.Clock, Log: b.Log,
		},
	}
	face := b.API(group.Routes())
	face.Sessions = accounts
	return lambdahttp.Adapt(withPage(face.Handler(), &api.Page{Files: web.Files(), Images: b.String("FILES_URL")}))
}

// accounts returns the service that signs administrators in.
func accounts(b *backend.Backend) *console.Service {
	store := b.Console()
	return &console.Service{
		Accounts: store, Sessions: store, Attempts: b.ConsoleAttempts(), Passwords: password.New(parallelHashes),
		Clock: b.Clock, IDs: b.IDs,
	}
}

// letters returns the dead-letter queues, and the source queues for redrives.
func letters(b *backend.Backend, q *queues.Queues) *deadletter.Service {
	return &deadletter.Service{
		Clock: b.Clock,
		Queues: map[deadletter.Kind]deadletter.Queue{
			deadletter.Jobs:      q.Letters("JOB_DEAD_LETTER_QUEUE_URL"),
			deadletter.Actions:   q.Letters("ACTION_DEAD_LETTER_QUEUE_URL"),
			deadletter.Bulk:      q.Letters("BULK_DEAD_LETTER_QUEUE_URL"),
			deadletter.TableWork: q.Letters("TABLE_WORK_DEAD_LETTER_QUEUE_URL"),
			deadletter.Events:    q.Letters("EVENT_DEAD_LETTER_QUEUE_URL"),
			deadletter.Records:   q.Letters("RECORD_DEAD_LETTER_QUEUE_URL"),
		},
		Senders: map[deadletter.Target]deadletter.Sender{
			deadletter.JobQueue:        q.Again("JOB_QUEUE_URL"),
			deadletter.ActionQueue:     q.Again("ACTION_QUEUE_URL"),
			deadletter.SlowActionQueue: q.Again("SLOW_ACTION_QUEUE_URL"),
			deadletter.BulkQueue:       q.Again("BULK_QUEUE_URL"),
			deadletter.TableWorkQueue:  q.Again("TABLE_WORK_QUEUE_URL"),
			deadletter.EventQueue:      q.Again("PLATFORM_EVENT_QUEUE_URL"),
		},
	}
}

// withPage serves the page on every path below /console/ that is not an endpoint.
func withPage(endpoints, page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ours := r.URL.Path == "/console" || strings.HasPrefix(r.URL.Path, "/console/")
		if !ours || strings.HasPrefix(r.URL.Path, "/console/api/") || r.Method == http.MethodOptions {
			endpoints.ServeHTTP(w, r)
			return
		}
		page.ServeHTTP(w, r)
	})
}
