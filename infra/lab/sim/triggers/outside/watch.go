package outside

import (
	"context"

	"minicloud/functions/actionrunner/consumer"
	"minicloud/infra/lab/sim"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/action/webhook"
	"minicloud/shared/trigger/run"
)

// Replace puts these services in the place of the world outside of the platform, and watches all doers.
func (o *Services) Replace(i *sim.Instance, doers map[trigger.ActionType]action.Doer) {
	doers[trigger.Email].(*email.Doer).Sender.(*email.Allowed).Next = mailer{o, i}
	doers[trigger.SMS].(*sms.Doer).Sender.(*sms.Budgeted).Next = texter{o, i}

	templates, at := doers[trigger.TemplateMessage].(*message.Doer), vendor{o, i}
	templates.Accounts.Gateways = map[messaging.Vendor]templatemessage.Gateway{messaging.Chat: at}
	templates.Accounts.Tokens.Givers = map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: at}

	doers[trigger.Webhook].(*webhook.Doer).Sender = receivers{o, i}
	for kind, doer := range doers {
		doers[kind] = watched{o, doer}
	}
}

// Label returns an executor that labels the calls of each run with its id.
func (o *Services) Label(i *sim.Instance, next consumer.Executor) consumer.Executor {
	return labelled{o, i, next}
}

// labelled labels the calls of a run with its id.
type labelled struct {
	outside *Services
	worker  *sim.Instance
	consumer.Executor
}

// Handle implements consumer.Executor.
func (l labelled) Handle(ctx context.Context, m run.Message) error {
	l.outside.mu.Lock()
	l.outside.Messages++
	l.outside.mu.Unlock()
	err := l.Executor.Handle(sim.WithLabel(ctx, m.Run), m)
	if l.worker.Dead() { // perhaps in a call of another run of the batch, or out of time
		l.outside.NotePoint("worker: died meanwhile", m.Run)
	}
	return err
}

// watched notes the attempts of a doer.
type watched struct {
	outside *Services
	action.Doer
}

// Do implements action.Doer.
func (w watched) Do(ctx context.Context, work action.Work) (action.Result, error) {
	w.outside.attempted(work)
	return w.Doer.Do(ctx, work)
}
