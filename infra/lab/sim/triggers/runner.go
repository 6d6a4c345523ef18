package triggers

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/actionrunner/consumer"
	actionrunner "minicloud/functions/actionrunner/wire"
	"minicloud/infra/lab/sim"
	"minicloud/shared/message/messaging"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// actionRunner is functions/actionrunner. Only the world outside of the platform is a fake: see outside.
func (p *platform) actionRunner(i *sim.Instance) any {
	executor := actionrunner.Executor(p.backend(i), i.Queues, plainSealer{})
	executor.Doers[trigger.TableOperation].(*action.TableOperations).Tables.Counts = nil // recordstream is not simulated
	p.outside.Replace(i, executor.Doers)

	dead := i.Queues.Dead("ACTION_DEAD_LETTER_QUEUE_URL")
	group := &consumer.Group{Actions: p.outside.Label(i, executor), Log: p.log, Dead: dead}
	work := lambdabatch.Bounded(
		dead, actionrunner.Limits, group.Work, i.Queues.Actions().URL, i.Queues.SlowActions().URL,
	)
	handle := lambdabatch.Adapt(p.log, work)
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		return handle(action.Batch(ctx), event)
	}
}

func messageSettings(i *sim.Instance) *messaging.Settings {
	settings := i.Backend.MessageSettings()
	settings.Sealer = plainSealer{}
	return settings
}
