// Program trigger manages triggers (G1-G11).
package main

import (
	"minicloud/functions/trigger/api"
	"minicloud/shared/action"
	"minicloud/shared/action/email"
	"minicloud/shared/action/send"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
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
	"minicloud/shared/outbound/ses"
	"minicloud/shared/outbound/sns"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/smscode"
	"minicloud/shared/table"
	"minicloud/shared/templatemessage"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/keyring"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

func main() {
	p := program.New()
	b, ids := backend.Open(p), new(id.Source)
	schemas := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	rows := &rowdb.Rows{Client: b.DynamoDB, Table: p.String("ROWS_TABLE"), Indexes: p.String("ROW_INDEXES_TABLE")}
	counts := &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System}
	triggers := &triggerdb.Triggers{Client: b.DynamoDB, Table: p.String("TRIGGERS_TABLE"), Listeners: schemas}
	runs := &triggerdb.Runs{Client: b.DynamoDB, Table: p.String("TRIGGER_LOG_TABLE")}
	functions := &functiondb.Functions{Client: b.DynamoDB, Table: p.String("FUNCTIONS_TABLE")}
	groups := &userdb.Groups{Client: b.DynamoDB, Table: p.String("USERS_TABLE"), Rows: rows}
	work := &queue.Actions{Queue: b.Queue(p.String("ACTION_QUEUE_URL"))}
	settings := &messaging.Settings{
		MailStore: &settingdb.Messages[messaging.Mail]{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE"), Kind: "mail"},
		SMSStore:  &settingdb.Messages[messaging.SMS]{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE"), Kind: "sms"},
		Clock:     clock.System,

		VendorStores: settingdb.Vendors(b.DynamoDB, p.String("SETTINGS_TABLE")),
	}
	jobs := &jobdb.Store{Client: b.DynamoDB, Table: p.String("JOBS_TABLE")}
	claims := &triggerdb.Claims{Client: b.DynamoDB, Table: runs.Table, Clock: clock.System}
	quotas := &triggerdb.Quotas{Client: b.DynamoDB, Table: runs.Table, Clock: clock.System}
	mails := &email.Desk{Settings: settings, Sender: ses.New(b.Config()), Claims: claims, Quotas: quotas}
	texts := sns.New(b.Config())
	formIDs := &userdb.FormIDs{Client: b.DynamoDB, Table: p.String("USERS_TABLE")}
	tickets := &userdb.Tickets{Client: b.DynamoDB, Table: p.String("USERS_TABLE")}
	secrets := b.Secrets(p.String("SECRETS_KEY"))
	settings.Sealer = secrets
	anyPort := p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" // the local cloud's tests only
	face := b.API(p, backend.Tables{
		Applications: p.String("APPLICATIONS_TABLE"), Keys: p.String("IDEMPOTENCY_TABLE"), Console: p.String("CONSOLE_TABLE"),
		Audit: p.String("AUDIT_TABLE"),
	}, p.Default("ALLOWED_ORIGINS", "*"))
	p.Ready()

	tables := &table.Service{Schemas: schemas, Rows: rows, Counts: counts, Clock: clock.System, IDs: ids}
	names := &manage.Names{
		Tables: tables, Functions: &cloudfunction.Service{Store: functions}, Groups: groups, Settings: settings,
	}
	users := &user.Service{Tables: tables}
	group := &api.Group{Clock: clock.System, Settings: settings, Mails: mails, Triggers: &manage.Service{
		Store: triggers, Checker: &draft.Checker{Names: names, Placeholders: manage.Placeholders, AnyPort: anyPort},
		Timers: &trigger.Timers{}, Tables: tables, Runs: runs, Evaluations: runs, Hooks: triggers,
		Keys: &keyring.Ring{Sealer: secrets}, Clock: clock.System, IDs: ids, Queue: work,
		Orders: &orderdb.Store{Client: b.DynamoDB, Table: p.String("ORDERS_TABLE")},
		Jobs:   jobs,
		Foresight: &action.Foresight{
			Marks: &triggerdb.Marks{Client: b.DynamoDB, Rows: rows}, Jobs: jobs, Messages: claims,
		},
		Background: &queue.Bulk{Queue: b.Queue(p.String("BULK_QUEUE_URL"))},
		Operations: &userdb.Operations{Client: b.DynamoDB, Rows: rows},
		Engine:     &trigger.Engine{Runs: runs, Evaluations: runs, Queue: work, Wakes: runs, Clock: clock.System, Log: p.Log},
	}}
	group.FormIDs = &templatemessage.FormIDs{Store: formIDs, Users: users, Clock: clock.System}
	group.Tickets = &templatemessage.Tickets{Store: tickets, Users: users, Clock: clock.System}
	group.Messages = &send.Service{
		Settings: settings, Users: users, Groups: groups, Phones: phone.Key, Quotas: quotas, Runs: runs, Queue: work,
		Clock: clock.System,
	}
	group.Codes = &smscode.Codes{
		Settings: settings, Sender: texts, Claims: claims, Users: users, Sealer: secrets, Phones: phone.Key,
		Store: &triggerdb.Codes{Client: b.DynamoDB, Table: runs.Table}, Clock: clock.System,
	}
	face.Routes = group.Routes()
	lambdahttp.Start(face.Handler())
}
