package play

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/actionrunner/consumer"
	actionrunner "minicloud/functions/actionrunner/wire"
	"minicloud/infra/lab/sim"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/action/webhook"
	"minicloud/shared/trigger/run"
)

// runners are the machines that functions/actionrunner runs on, each with a clock of its own.
var runners = []string{"actionrunner", "actionrunner2"}

// actionQueues are what it works on: all runs, and those that may wait long for somebody.
var actionQueues = []string{"ActionQueue", "SlowActionQueue"}

// actionRunner is functions/actionrunner. Only the world outside of the platform is a fake: see outside.
func (p *platform) actionRunner(i *sim.Instance) any {
	executor := actionrunner.Executor(p.backend(i), i.Queues, plainSealer{})
	p.replace(i, executor.Doers)
	for kind, doer := range executor.Doers {
		executor.Doers[kind] = watched{p.outside, doer}
	}

	group := &consumer.Group{Actions: labelled{p.outside, i, executor}, Log: p.log, Dead: i.Queues.DeadActions()}
	work := lambdabatch.Bounded(
		i.Queues.DeadActions(), actionrunner.Limits, group.Work, i.Queues.Actions().URL, i.Queues.SlowActions().URL,
	)
	handle := lambdabatch.Adapt(p.log, work)
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		return handle(action.Batch(ctx), event)
	}
}

// replace puts fakes in the place of the world outside of the platform.
func (p *platform) replace(i *sim.Instance, doers map[trigger.ActionType]action.Doer) {
	doers[trigger.Email].(*email.Doer).Sender.(*email.Allowed).Next = mailer{p.outside, i}
	doers[trigger.SMS].(*sms.Doer).Sender.(*sms.Budgeted).Next = texter{p.outside, i}

	templates, at := doers[trigger.TemplateMessage].(*message.Doer), vendor{p.outside, i}
	templates.Accounts.Gateways = map[messaging.Vendor]templatemessage.Gateway{messaging.Chat: at}
	templates.Accounts.Tokens.Givers = map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: at}

	hooks := doers[trigger.Webhook].(*webhook.Doer)
	hooks.Depths, hooks.Sender = depths{}, receivers{p.outside, i}

	doers[trigger.TableOperation].(*action.TableOperations).Tables.Counts = nil // recordstream is not simulated
}

func messageSettings(i *sim.Instance) *messaging.Settings {
	settings := i.Backend.MessageSettings()
	settings.Sealer = plainSealer{}
	return settings
}

// labelled labels the calls of a run with its id.
type labelled struct {
	outside *outside
	worker  *sim.Instance
	consumer.Executor
}

// Handle implements consumer.Executor.
func (l labelled) Handle(ctx context.Context, m run.Message) error {
	l.outside.mu.Lock()
	l.outside.messages++
	l.outside.mu.Unlock()
	err := l.Executor.Handle(sim.WithLabel(ctx, m.Run), m)
	if l.worker.Dead() { // perhaps in a call of another run of the batch, or out of time
		l.outside.g.notePoint("worker: died meanwhile", m.Run)
	}
	return err
}

// watched notes the attempts of a doer.
type watched struct {
	outside *outside
	action.Doer
}

// Do implements action.Doer.
func (w watched) Do(ctx context.Context, work action.Work) (action.Result, error) {
	w.outside.attempted(work)
	return w.Doer.Do(ctx, work)
}
