// Program actionrunner does what triggers ask for: it works on the runs that the action queue brings.
package main

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/functions/actionrunner/consumer"
	"minicloud/shared/action"
	"minicloud/shared/action/email"
	"minicloud/shared/action/message"
	"minicloud/shared/action/sms"
	"minicloud/shared/action/webhook"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/functiondb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/messaging"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/ses"
	"minicloud/shared/outbound/sns"
	"minicloud/shared/outbound/tpay"
	receivers "minicloud/shared/outbound/webhook"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
	"minicloud/shared/sealed"
	"minicloud/shared/table"
	"minicloud/shared/templatemessage"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/keyring"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// settingsFor is how long a worker goes on with the settings of messages that it has read: what an owner changes
// has its effect that much later at most.
const settingsFor = 5 * time.Second

func main() {
	p := program.New()
	b := backend.Open(p)
	apps := &appdb.Applications{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")}
	schemas := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	rows := &rowdb.Rows{Client: b.DynamoDB, Table: p.String("ROWS_TABLE"), Indexes: p.String("ROW_INDEXES_TABLE")}
	tables := &table.Service{
		Schemas: schemas, Rows: rows, Clock: clock.System, IDs: new(id.Source),
		Counts: &countdb.Store{Client: b.DynamoDB, Table: p.String("COUNTS_TABLE"), Clock: clock.System},
	}
	triggers := &triggerdb.Triggers{
		Client: b.DynamoDB, Table: p.String("TRIGGERS_TABLE"), Clock: clock.System, Listeners: schemas,
	}
	runs := &triggerdb.Runs{Client: b.DynamoDB, Table: p.String("TRIGGER_LOG_TABLE")}
	functions := &functiondb.Functions{Client: b.DynamoDB, Table: p.String("FUNCTIONS_TABLE")}
	jobs := &job.Service{
		Functions: &cloudfunction.Service{Store: functions, Clock: clock.System},
		Store:     &jobdb.Store{Client: b.DynamoDB, Table: p.String("JOBS_TABLE")},
		Queue:     &queue.Jobs{Queue: b.Queue(p.String("JOB_QUEUE_URL"))},
		IDs:       new(id.Source), Clock: clock.System, Log: p.Log,
	}
	settings := &messaging.Settings{
		MailStore: &settingdb.Messages[messaging.Mail]{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE"), Kind: "mail"},
		SMSStore:  &settingdb.Messages[messaging.SMS]{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE"), Kind: "sms"},
		Clock:     clock.System, KeepFor: settingsFor,

		VendorStores: settingdb.Vendors(b.DynamoDB, p.String("SETTINGS_TABLE")),
	}
	claims := &triggerdb.Claims{Client: b.DynamoDB, Table: p.String("TRIGGER_LOG_TABLE"), Clock: clock.System}
	accounts := &userdb.Accounts{Client: b.DynamoDB, Table: p.String("USERS_TABLE")}
	users := &user.Service{
		Tables: tables, Groups: &userdb.Groups{Client: b.DynamoDB, Table: p.String("USERS_TABLE"), Rows: rows},
	}
	texts := &sms.Doer{
		Settings: settings, Users: users, Accounts: accounts, Sender: sns.New(b.Config()), Claims: claims, Phones: phone.Key,
		Clock: clock.System,
	}
	mails := &email.Doer{Settings: settings, Sender: ses.New(b.Config()), Profiles: users}
	work, dead := b.Queue(p.String("ACTION_QUEUE_URL")), b.Queue(p.String("ACTION_DEAD_LETTER_QUEUE_URL"))
	slow := b.Queue(p.String("SLOW_ACTION_QUEUE_URL"))
	base, secrets := p.String("BASE_URL"), b.Secrets(p.String("SECRETS_KEY"))
	templates := &message.Doer{
		Users: users, Claims: claims, Clock: clock.System, Accounts: vendors(p, b, settings, secrets),
		Tickets: &userdb.Tickets{Client: b.DynamoDB, Table: p.String("USERS_TABLE")},
		FormIDs: &templatemessage.FormIDs{
			Store: &userdb.FormIDs{Client: b.DynamoDB, Table: p.String("USERS_TABLE")}, Users: users, Clock: clock.System,
		},
	}
	allowPrivate := p.Default("ALLOW_PRIVATE_TARGETS", "") == "1" // the local cloud's tests only
	p.Ready()

	executor := &action.Executor{
		Runs: runs, Triggers: triggers, Stopper: &trigger.Stopper{Store: triggers, Clock: clock.System},
		Waker: &trigger.Waker{
			Queue: &queue.Actions{Queue: work}, Slow: &queue.Actions{Queue: slow}, Wakes: runs, Clock: clock.System,
		},
		Doers: map[trigger.ActionType]action.Doer{
			trigger.Email:           mails,
			trigger.SMS:             texts,
			trigger.TemplateMessage: templates,
			trigger.CloudFunction:   &action.CloudFunction{Jobs: jobs, Applications: apps, BaseURL: base},
			trigger.Webhook: &webhook.Doer{
				Keys: &keyring.Ring{Sealer: secrets}, Sender: receivers.New(allowPrivate),
				Depths: &job.RunHosts{Applications: apps, Clock: clock.System},
				Rates:  runs, Endpoints: triggers, Clock: clock.System, Log: p.Log,
			},
			trigger.TableOperation: &action.TableOperations{
				Tables: tables, Marks: &triggerdb.Marks{Client: b.DynamoDB, Rows: rows},
				Profiles: users, Clock: clock.System,
			},
		},
		Clock: clock.System, Log: p.Log,
	}
	group := &consumer.Group{Actions: executor, Dead: &queue.DeadLetters{Queue: dead}, Log: p.Log}
	handle := lambdabatch.Adapt(p.Log, group.Work)
	lambda.Start(func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		return handle(action.Batch(ctx), event)
	})
}

// vendors are those of template messages.
func vendors(
	p *program.Program, b *backend.Backend, settings templatemessage.Settings, secrets sealed.Sealer,
) *templatemessage.Accounts {
	opener := &sealed.Opener{Sealer: secrets}
	onChat, onTpay := chat.New(p.String("CHAT_API")), tpay.New(p.String("TPAY_API"))
	onAlt := alt.New(p.String("ALT_API"), clock.System)
	return &templatemessage.Accounts{
		Settings: settings, Opener: opener,
		Gateways: map[messaging.Vendor]templatemessage.Gateway{
			messaging.Chat: onChat, messaging.Alt: onAlt, messaging.Tpay: onTpay,
		},
		Tokens: &templatemessage.Tokens{
			Store:  &settingdb.Tokens{Client: b.DynamoDB, Table: p.String("SETTINGS_TABLE")},
			Givers: map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: onChat, messaging.Tpay: onTpay},
			Opener: opener, Clock: clock.System,
		},
	}
}
