package play

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	incomingwebhook "minicloud/functions/incomingwebhook/wire"
	notifyapi "minicloud/functions/paymentnotify/api"
	busconsumer "minicloud/functions/platformevent/consumer"
	platformevent "minicloud/functions/platformevent/wire"
	streamconsumer "minicloud/functions/recordtrigger/consumer"
	recordtrigger "minicloud/functions/recordtrigger/wire"
	timertick "minicloud/functions/timertick/wire"
	"minicloud/infra/lab/sim"
	"minicloud/shared/httpapi"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger"
)

// platform puts the programs together as they are, with what the game plants or fakes in its place.
type platform struct {
	log     *slog.Logger
	ports   Ports
	outside *outside
}

// Filter passes records of a stream.
type Filter = func(events.DynamoDBEventRecord) bool

// port returns what stands between a service and what it uses: that itself, or a planted bug before it.
func port[T any](bug func(T) T, real T) T {
	if bug == nil {
		return real
	}
	return bug(real)
}

func (p *platform) engine(e *trigger.Engine) *trigger.Engine {
	e.Triggers, e.Runs = port(p.ports.Candidates, e.Triggers), port(p.ports.Runs, e.Runs)
	e.Evaluations, e.Queue = port(p.ports.Evaluations, e.Evaluations), port(p.ports.Queue, e.Queue)
	return e
}

// backend is the instance's, with the log of the game.
func (p *platform) backend(i *sim.Instance) *backend.Backend {
	i.Backend.Log = p.log
	return i.Backend
}

// recordTrigger is functions/recordtrigger.
func (p *platform) recordTrigger(i *sim.Instance) any {
	group := recordtrigger.Group(p.backend(i), i.Queues)
	group.Engine = port(p.ports.Engine, streamconsumer.Engine(p.engine(group.Engine.(*trigger.Engine))))
	group.Dead = port(p.ports.Dead, busconsumer.DeadLetters(group.Dead))
	for table, reader := range group.Readers {
		group.Readers[table] = port(p.ports.Reader, reader)
	}
	return port(p.ports.Stream, lambdabatch.AdaptStream(p.log, group.Fire))
}

// platformEvent is functions/platformevent.
func (p *platform) platformEvent(i *sim.Instance) any {
	group := platformevent.Group(p.backend(i), i.Queues)
	group.Orders.Store = port(p.ports.Orders, group.Orders.Store)
	group.Engine = port(p.ports.Engine, streamconsumer.Engine(p.engine(group.Engine.(*trigger.Engine))))
	group.Dead = port(p.ports.Dead, group.Dead)
	return port(p.ports.Work, sim.SQSHandler(lambdabatch.Adapt(p.log, group.Consume)))
}

// timerTick is functions/timertick.
func (p *platform) timerTick(i *sim.Instance) any {
	group := timertick.Group(p.backend(i), i.Queues)
	group.Timers.Dues = port(p.ports.Dues, group.Timers.Dues)
	group.Timers.Triggers = port(p.ports.Timers, group.Timers.Triggers)
	group.Waker.Queue = p.engine(group.Timers.Engine).Queue
	return group
}

// incomingWebhook is functions/incomingwebhook.
func (p *platform) incomingWebhook(i *sim.Instance) any {
	group := incomingwebhook.Group(p.backend(i))
	group.Receiver.Hooks, group.Depths = port(p.ports.Hooks, group.Receiver.Hooks), depths{}
	return p.backend(i).Public(group.Routes()).Handler()
}

// paymentNotify is functions/paymentnotify.
func (p *platform) paymentNotify(i *sim.Instance) any {
	b := p.backend(i)
	group := &notifyapi.Group{
		Applications: b.Applications(), Settings: b.PaymentSettings(plainSealer{}),
		Bus: port(p.ports.Bus, notifyapi.Bus(i.Bus)), Clock: b.Clock, Log: p.log,
	}
	return (&httpapi.API{Routes: group.Routes(), Log: p.log, Clock: b.Clock}).Handler()
}

// tables is what programs that write rows have in common.
func (p *platform) tables(i *sim.Instance) any { return i.Backend.Tables() }

// owner is the part of functions/trigger that stores triggers.
func (p *platform) owner(i *sim.Instance) any {
	triggers := i.Backend.OwnTriggers()
	triggers.Listeners = port(p.ports.Listeners, triggers.Listeners)
	return triggers
}

// plainSealer keeps secrets as they are: KMS is not simulated.
type plainSealer struct{}

// NewKey implements sealed.Sealer.
func (plainSealer) NewKey(context.Context, string) (clear, sealed []byte, err error) {
	return []byte("key"), []byte("key"), nil
}

// OpenKey implements sealed.Sealer.
func (plainSealer) OpenKey(_ context.Context, _ string, sealed []byte) ([]byte, error) {
	return sealed, nil
}

// Encrypt implements sealed.Sealer.
func (plainSealer) Encrypt(_ []byte, _, text string) ([]byte, error) { return []byte(text), nil }

// Decrypt implements sealed.Sealer.
func (plainSealer) Decrypt(_ []byte, _ string, sealed []byte) (string, error) {
	return string(sealed), nil
}

func streamHandler(handlers any) sim.StreamHandler { return handlers.(sim.StreamHandler) }
func queueHandler(handlers any) sim.SQSHandler     { return handlers.(sim.SQSHandler) }
func httpHandler(handlers any) http.Handler        { return handlers.(http.Handler) }
