package play

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/actionrunner/consumer"
	busconsumer "minicloud/functions/platformevent/consumer"
	"minicloud/infra/lab/sim"
	"minicloud/shared/action"
	"minicloud/shared/action/email"
	"minicloud/shared/action/sms"
	"minicloud/shared/action/webhook"
	"minicloud/shared/clock"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/dynamo/appdb"
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
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/keyring"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// runners are the machines that functions/actionrunner runs on, each with a clock of its own.
var runners = []string{"actionrunner", "actionrunner2"}

// actionQueues are what it works on: all runs, and those that may wait long for somebody.
var actionQueues = []string{"actions", "slow-actions"}

// actionRunner is functions/actionrunner. Only what is outside of the platform is not real: see outside.
func (p *platform) actionRunner(i *sim.Instance) any {
	triggers := &triggerdb.Triggers{
		Client: i.DynamoDB, Table: "TriggersTable", Clock: i.Clock(),
		Listeners: &rowdb.Tables{Client: i.DynamoDB, Name: "TablesTable"},
	}
	runs := &triggerdb.Runs{Client: i.DynamoDB, Table: "TriggerLogTable"}
	actions := func(name string) trigger.Queue {
		return port(p.ports.Again, trigger.Queue(&queue.Actions{Queue: queue.Queue{Client: i.SQS, URL: sim.URL(name)}}))
	}
	wakes := port(p.ports.Wakes, trigger.Wakes(runs))
	executor := &action.Executor{
		Runs:     port(p.ports.Leases, trigger.Leases(runs)),
		Triggers: port(p.ports.Owned, action.Triggers(triggers)),
		Stopper:  &trigger.Stopper{Store: triggers, Clock: i.Clock()},
		Waker: &trigger.Waker{
			Queue: actions(actionQueues[0]), Slow: actions(actionQueues[1]), Wakes: wakes, Clock: i.Clock(),
		},
		Doers: map[trigger.ActionType]action.Doer{}, Clock: i.Clock(), Log: p.log,
	}
	for kind, doer := range p.doers(i, triggers, runs) {
		executor.Doers[kind] = watched{p.outside, port(p.ports.Doer, doer)}
	}

	letters := &queue.DeadLetters{Queue: queue.Queue{Client: i.SQS, URL: sim.URL("action-dead")}}
	group := &consumer.Group{
		Actions: labelled{p.outside, executor}, Dead: port(p.ports.Dead, busconsumer.DeadLetters(letters)), Log: p.log,
	}
	handle := lambdabatch.Adapt(p.log, group.Work)
	return port(p.ports.Run, sim.SQSHandler(
		func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
			return handle(action.Batch(ctx), event)
		},
	))
}

// doers are the real ones.
func (p *platform) doers(
	i *sim.Instance, triggers *triggerdb.Triggers, runs *triggerdb.Runs,
) map[trigger.ActionType]action.Doer {
	now := i.Clock()
	rows := &rowdb.Rows{Client: i.DynamoDB, Table: "RowsTable", Indexes: "RowIndexesTable"}
	tables := &table.Service{
		Schemas: &rowdb.Tables{Client: i.DynamoDB, Name: "TablesTable"}, Rows: rows, Clock: now, IDs: new(id.Source),
	}
	users := &user.Service{
		Tables: tables, Groups: &userdb.Groups{Client: i.DynamoDB, Table: "UsersTable", Rows: rows},
	}
	settings := messageSettings(i)
	settings.Clock, settings.KeepFor = now, 5*time.Second
	messages := &triggerdb.Claims{Client: i.DynamoDB, Table: "TriggerLogTable", Clock: now}
	claims := port(p.ports.Claims, sms.Claims(messages))
	marks := &triggerdb.Marks{Client: i.DynamoDB, Rows: rows}

	return map[trigger.ActionType]action.Doer{
		trigger.Email: &email.Doer{
			Settings: settings, Profiles: users,
			Sender: port(p.ports.Mails, email.Sender(mailer{p.outside, i})),
		},
		trigger.SMS: &sms.Doer{
			Settings: settings, Users: users, Accounts: &userdb.Accounts{Client: i.DynamoDB, Table: "UsersTable"},
			Sender: port(p.ports.Texts, sms.Sender(texter{p.outside, i})), Claims: claims, Phones: phone.Key, Clock: now,
		},
		trigger.TemplateMessage: p.templateDoer(i, settings, users, messages),
		trigger.CloudFunction: &action.CloudFunction{
			Jobs:         port(p.ports.Jobs, action.Jobs(p.jobs(i))),
			Applications: &appdb.Applications{Client: i.DynamoDB, Table: "ApplicationsTable"},
		},
		trigger.Webhook: &webhook.Doer{
			Keys: &keyring.Ring{Sealer: plainSealer{}}, Depths: depths{}, Clock: now, Log: p.log, Rates: port(p.ports.Rates, webhook.Rates(runs)),
			Sender: port(p.ports.Receivers, webhook.Sender(receivers{p.outside, i})), Endpoints: triggers,
		},
		trigger.TableOperation: &action.TableOperations{
			Tables: tables, Marks: port(p.ports.Marks, action.Marks(marks)), Profiles: users, Clock: now,
		},
	}
}

func (p *platform) jobs(i *sim.Instance) *job.Service {
	return &job.Service{
		Functions: &cloudfunction.Service{
			Store: &functiondb.Functions{Client: i.DynamoDB, Table: "FunctionsTable"}, Clock: i.Clock(),
		},
		Store: &jobdb.Store{Client: i.DynamoDB, Table: "JobsTable"},
		Queue: &queue.Jobs{Queue: queue.Queue{Client: i.SQS, URL: sim.URL("jobs")}},
		IDs:   new(id.Source), Clock: i.Clock(), Log: p.log,
	}
}

func messageSettings(i *sim.Instance) *messaging.Settings {
	return &messaging.Settings{
		MailStore: &settingdb.Messages[messaging.Mail]{Client: i.DynamoDB, Table: "SettingsTable", Kind: "mail"},
		SMSStore:  &settingdb.Messages[messaging.SMS]{Client: i.DynamoDB, Table: "SettingsTable", Kind: "sms"},
		Clock:     clock.System, Sealer: plainSealer{},

		VendorStores: settingdb.Vendors(i.DynamoDB, "SettingsTable"),
	}
}

// labelled has everything that is done for a run be known as that.
type labelled struct {
	outside *outside
	consumer.Executor
}

// Handle implements consumer.Executor.
func (l labelled) Handle(ctx context.Context, m trigger.Message) error {
	l.outside.mu.Lock()
	l.outside.messages++
	l.outside.mu.Unlock()
	return l.Executor.Handle(sim.For(ctx, m.Run), m)
}

// watched notes what a doer is given.
type watched struct {
	outside *outside
	action.Doer
}

// Do implements action.Doer.
func (w watched) Do(ctx context.Context, work action.Work) (action.Result, error) {
	w.outside.attempted(work)
	return w.Doer.Do(ctx, work)
}
