// Program console serves the console: the page for administrators, and what only this page asks for.
package main

import (
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"strings"

	"minicloud/functions/console/api"
	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/console"
	"minicloud/shared/count"
	"minicloud/shared/deadletter"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/consoledb"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/id"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/messaging"
	"minicloud/shared/order"
	"minicloud/shared/overview"
	"minicloud/shared/password"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/promotion"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/keyring"
	"minicloud/shared/trigger/manage"
)

// parallelHashes bounds what passwords take of this program's 512 MB.
const parallelHashes = 4

// built is the page, by `make console`; a fresh clone has none.
//
//go:embed all:web/dist
var built embed.FS

func main() {
	p := program.New()
	b, ids := backend.Open(p), new(id.Source)
	apps := &appdb.Applications{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")}
	accounts := &consoledb.Store{Client: b.DynamoDB, Table: p.String("CONSOLE_TABLE")}
	audit := &consoledb.Audit{Client: b.DynamoDB, Table: p.String("AUDIT_TABLE"), Accounts: accounts.Table}
	functions := &functiondb.Functions{Client: b.DynamoDB, Table: p.String("FUNCTIONS_TABLE")}
	schemas := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	rows := &rowdb.Rows{Client: b.DynamoDB, Table: p.String("ROWS_TABLE"), Indexes: p.String("ROW_INDEXES_TABLE")}
	counts := &count.Cache{
		Reader: &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}, Clock: clock.System,
	}
	orders := &orderdb.Store{Client: b.DynamoDB, Table: p.String("ORDERS_TABLE"), Counts: counts}
	triggers := &triggerdb.Triggers{
		Client: b.DynamoDB, Table: p.String("TRIGGERS_TABLE"), Listeners: schemas, Clock: clock.System,
	}
	groups := &userdb.Groups{Client: b.DynamoDB, Table: p.String("USERS_TABLE"), Rows: rows}
	jobs := &jobdb.Store{Client: b.DynamoDB, Table: p.String("JOBS_TABLE"), Counts: counts}
	runs := &triggerdb.Runs{Client: b.DynamoDB, Table: p.String("TRIGGER_LOG_TABLE")}
	settings := &messaging.Settings{
		MailStore:    &settingdb.Messages[messaging.Mail]{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE"), Kind: "mail"},
		SMSStore:     &settingdb.Messages[messaging.SMS]{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE"), Kind: "sms"},
		VendorStores: settingdb.Vendors(b.DynamoDB, p.String("SETTINGS_TABLE")),
		Clock:        clock.System,
	}
	secrets := b.Secrets(p.String("SECRETS_KEY"))
	anyPort := p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" // the local cloud's tests only
	work := &queue.Actions{Queue: b.Queue(p.String("ACTION_QUEUE_URL"))}
	first := console.FirstOwner{Email: p.Default("CONSOLE_OWNER_EMAIL", "")}
	hash, err := base64.RawURLEncoding.DecodeString(p.Default("CONSOLE_OWNER_PASSWORD", ""))
	p.Must(err)
	first.Password = password.Hash(hash)
	inbox, hooks := p.Default("INBOX_URL", ""), p.Default("INBOX_HOOK_URL", "")
	tableWork := &queue.TableWork{Queue: b.Queue(p.String("TABLE_WORK_QUEUE_URL"))}
	letters := lettersOf(p, b)
	face := b.API(p, backend.Tables{
		Applications: apps.Table, Keys: p.String("IDEMPOTENCY_TABLE"), Console: accounts.Table, Audit: audit.Table,
	}, p.Default("ALLOWED_ORIGINS", "*"))
	p.Ready()

	service := &console.Service{
		Accounts: accounts, Sessions: accounts, Attempts: accounts, Passwords: password.New(parallelHashes), First: first,
		Clock: clock.System, IDs: ids,
	}
	tables := &table.Service{
		Schemas: schemas, Rows: rows, Counts: counts, Worker: tableWork, Clock: clock.System, IDs: ids,
	}
	code := &cloudfunction.Service{Store: functions, IDs: ids, Clock: clock.System}
	names := &manage.Names{Tables: tables, Functions: code, Groups: groups, Settings: settings}
	managed := &manage.Service{
		Store: triggers, Checker: &draft.Checker{Names: names, Placeholders: manage.Placeholders, AnyPort: anyPort},
		Timers: &trigger.Timers{}, Tables: tables, Runs: runs, Queue: work, Keys: &keyring.Ring{Sealer: secrets},
		Clock: clock.System, IDs: ids,
	}
	group := &api.Group{
		Accounts: service, Applications: &app.Service{Store: apps, IDs: ids, Clock: clock.System}, Audit: audit,
		Letters: letters, Functions: code, Clock: clock.System, InboxURL: inbox, HookURL: hooks, Tables: tables,
		Contents: &promotion.Contents{
			Functions: code, Triggers: triggers, Tables: tables, Orders: &order.Service{Store: orders, Clock: clock.System},
		},
		Promotions: &promotion.Service{
			Functions: code, Variables: &cloudfunction.Variables{Functions: code, Store: functions}, Tables: tables,
			Triggers: managed, Groups: groups, Store: &consoledb.Promotions{Client: b.DynamoDB, Table: accounts.Table},
			Clock: clock.System, IDs: ids,
		},
		Overview: &overview.Service{
			Functions: code, Jobs: jobs, Triggers: managed, Runs: runs, Seen: runs, Settings: settings, Letters: letters,
			Clock: clock.System, Log: p.Log,
		},
	}
	face.Routes, face.Sessions = group.Routes(), service

	files, err := fs.Sub(built, "web/dist")
	p.Must(err)
	lambdahttp.Start(withPage(face.Handler(), &api.Page{Files: files}))
}

// lettersOf are the dead-letter queues, and the queues that what lies there came from.
func lettersOf(p *program.Program, b *backend.Backend) *deadletter.Service {
	return &deadletter.Service{
		Clock: clock.System,
		Queues: map[deadletter.Kind]deadletter.Queue{
			deadletter.Jobs:      b.Letters(p.String("JOB_DEAD_LETTER_QUEUE_URL")),
			deadletter.Actions:   b.Letters(p.String("ACTION_DEAD_LETTER_QUEUE_URL")),
			deadletter.Bulk:      b.Letters(p.String("BULK_DEAD_LETTER_QUEUE_URL")),
			deadletter.TableWork: b.Letters(p.String("TABLE_WORK_DEAD_LETTER_QUEUE_URL")),
			deadletter.Events:    b.Letters(p.String("EVENT_DEAD_LETTER_QUEUE_URL")),
			deadletter.Records:   b.Letters(p.String("RECORD_DEAD_LETTER_QUEUE_URL")),
		},
		Senders: map[deadletter.Target]deadletter.Sender{
			deadletter.JobQueue:        b.Again(p.String("JOB_QUEUE_URL")),
			deadletter.ActionQueue:     b.Again(p.String("ACTION_QUEUE_URL")),
			deadletter.SlowActionQueue: b.Again(p.String("SLOW_ACTION_QUEUE_URL")),
			deadletter.BulkQueue:       b.Again(p.String("BULK_QUEUE_URL")),
			deadletter.TableWorkQueue:  b.Again(p.String("TABLE_WORK_QUEUE_URL")),
			deadletter.EventQueue:      b.Again(p.String("PLATFORM_EVENT_QUEUE_URL")),
		},
	}
}

// withPage serves the page wherever no endpoint is below /console/.
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
