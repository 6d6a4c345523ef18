// Package wire assembles program actionrunner.
package wire

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/actionrunner/consumer"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/job"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
	receivers "minicloud/shared/outbound/webhook"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/outgoing"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/action/webhook"
	"minicloud/shared/trigger/run"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// settingsFor is how long a worker caches message settings. A change by the owner takes effect at most this much
// later.
const settingsFor = 5 * time.Second

// Limits bound the messages of one run. A part of a long operation takes 15 s. A run that waits for a rate, for the row that
// others change, or for the worker that has it, makes no progress: a second and more each, so an hour at least.
var Limits = chain.Limits{Generations: 20_000, Idle: 5000}

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	q := queues.Open(b)
	return Handler(b, q, Executor(b, q, secrets.Open(b)))
}

// Handler returns the handler of the program for an executor of runs.
func Handler(b *backend.Backend, q *queues.Queues, actions consumer.Executor) any {
	dead := q.Dead("ACTION_DEAD_LETTER_QUEUE_URL")
	group := &consumer.Group{Actions: actions, Dead: dead, Log: b.Log}
	work := lambdabatch.Bounded(dead, Limits, group.Work, q.Actions().URL, q.SlowActions().URL)
	handle := lambdabatch.Adapt(b.Log, work)
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		return handle(action.Batch(ctx), event)
	}
}

// Executor returns the executor of runs, with a doer for each type of action.
func Executor(b *backend.Backend, q *queues.Queues, keys sealed.Sealer) *action.Executor {
	triggers, runs, claims, tables := b.OwnTriggers(), b.Runs(), b.Claims(), b.Tables()
	tables.Counts = b.Counts()
	settings, out := b.MessageSettings(), outgoing.Open(b)
	settings.KeepFor = settingsFor
	users := &user.Service{Tables: tables, Groups: b.Groups()}
	jobs := &job.Service{
		Functions: &cloudfunction.Service{Store: b.Functions(), Clock: b.Clock}, Store: b.Jobs(), Queue: q.Jobs(),
		IDs: b.IDs, Clock: b.Clock, Log: b.Log,
	}

	return &action.Executor{
		Runs: runs, Triggers: triggers,
		Waker: &run.Waker{Queue: q.Actions(), Slow: q.SlowActions(), Wakes: runs, Clock: b.Clock},
		Doers: map[trigger.ActionType]action.Doer{
			trigger.Email: &email.Doer{Settings: settings, Sender: out.Mails, Profiles: users},
			trigger.SMS: &sms.Doer{
				Settings: settings, Users: users, Accounts: b.Accounts(), Sender: out.Texts, Claims: claims,
				Phones: phone.Key, Clock: b.Clock,
			},
			trigger.TemplateMessage: &message.Doer{
				Users: users, Claims: claims, Clock: b.Clock, Accounts: vendors(b, settings, keys), Tickets: b.Tickets(),
				FormIDs: b.FormIDs(users),
			},
			trigger.CloudFunction: &action.CloudFunction{
				Jobs: jobs, Applications: b.Applications(), BaseURL: b.String("BASE_URL"),
			},
			trigger.Webhook: &webhook.Doer{
				Sealer: keys, Sender: receivers.New(b.AllowPrivate()), Depths: b.RunSigner(), Rates: runs,
				Endpoints: triggers, Clock: b.Clock, Log: b.Log,
			},
			trigger.TableOperation: &action.TableOperations{
				Tables: tables, Marks: b.Marks(), Profiles: users, Clock: b.Clock,
			},
		},
		Clock: b.Clock, Log: b.Log,
	}
}

// vendors returns the gateways of the vendors of template messages.
func vendors(b *backend.Backend, settings templatemessage.Settings, keys sealed.Sealer) *templatemessage.Accounts {
	private := b.AllowPrivate()
	onChat, onTpay := chat.New(b.String("CHAT_API"), private), tpay.New(b.String("TPAY_API"), private)
	onAlt := alt.New(b.String("ALT_API"), private, b.Clock)
	return &templatemessage.Accounts{
		Settings: settings, Sealer: keys,
		Gateways: map[messaging.Vendor]templatemessage.Gateway{
			messaging.Chat: onChat, messaging.Alt: onAlt, messaging.Tpay: onTpay,
		},
		Tokens: &templatemessage.Tokens{
			Store: b.VendorTokens(), Sealer: keys, Clock: b.Clock,
			Givers: map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: onChat, messaging.Tpay: onTpay},
		},
	}
}
