package play

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	hookapi "minicloud/functions/incomingwebhook/api"
	notifyapi "minicloud/functions/paymentnotify/api"
	busconsumer "minicloud/functions/platformevent/consumer"
	streamconsumer "minicloud/functions/recordtrigger/consumer"
	clockconsumer "minicloud/functions/timertick/consumer"
	"minicloud/infra/lab/sim"
	"minicloud/shared/bus"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/order"
	"minicloud/shared/payment"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
)

// platform puts the programs together as their mains do.
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

func (p *platform) engine(i *sim.Instance) *trigger.Engine {
	runs := &triggerdb.Runs{Client: i.DynamoDB, Table: "TriggerLogTable"}
	triggers := &triggerdb.Triggers{Client: i.DynamoDB, Table: "TriggersTable"}
	return &trigger.Engine{
		Triggers:    port(p.ports.Candidates, trigger.Candidates(triggers)),
		Schemas:     &rowdb.Tables{Client: i.DynamoDB, Name: "TablesTable"},
		Runs:        port(p.ports.Runs, trigger.Runs(runs)),
		Evaluations: port(p.ports.Evaluations, trigger.Evaluations(runs)),
		Queue: port(p.ports.Queue, trigger.Queue(
			&queue.Actions{Queue: queue.Queue{Client: i.SQS, URL: sim.URL("actions")}},
		)),
		Wakes: runs, Clock: clock.System, Log: p.log,
	}
}

func (p *platform) dead(i *sim.Instance) busconsumer.DeadLetters {
	letters := &queue.DeadLetters{Queue: queue.Queue{Client: i.SQS, URL: sim.URL("dead")}}
	return port(p.ports.Dead, busconsumer.DeadLetters(letters))
}

// recordTrigger is functions/recordtrigger.
func (p *platform) recordTrigger(i *sim.Instance) any {
	reader := func(r streamconsumer.Reader) streamconsumer.Reader { return port(p.ports.Reader, r) }
	stream := &rowdb.Stream{Tables: &rowdb.Tables{Client: i.DynamoDB, Name: "TablesTable"}}
	handler := lambdabatch.AdaptStream(p.log, (&streamconsumer.Group{
		Engine: port(p.ports.Engine, streamconsumer.Engine(p.engine(i))), Log: p.log, Dead: p.dead(i),
		Readers: map[string]streamconsumer.Reader{
			"RowsTable": reader(stream.Read), "OrdersTable": reader(streamconsumer.Plain(orderdb.PaymentEvent)),
			"TriggersTable": reader(streamconsumer.Plain(triggerdb.CallEvent)),
		},
	}).Fire)
	return port(p.ports.Stream, handler)
}

// platformEvent is functions/platformevent.
func (p *platform) platformEvent(i *sim.Instance) any {
	orders := &orderdb.Store{Client: i.DynamoDB, Table: "OrdersTable"}
	group := &busconsumer.Group{
		Applications: &appdb.Applications{Client: i.DynamoDB, Table: "ApplicationsTable"},
		Orders:       &order.Service{Store: port(p.ports.Orders, order.Store(orders)), Clock: clock.System},
		Engine:       port(p.ports.Engine, streamconsumer.Engine(p.engine(i))), Dead: p.dead(i), Log: p.log,
	}
	return port(p.ports.Work, sim.SQSHandler(lambdabatch.Adapt(p.log, group.Consume)))
}

// timerTick is functions/timertick.
func (p *platform) timerTick(i *sim.Instance) any {
	triggers := &triggerdb.Triggers{Client: i.DynamoDB, Table: "TriggersTable"}
	engine := p.engine(i)
	return &clockconsumer.Group{
		Timers: trigger.Timers{
			Dues: port(p.ports.Dues, trigger.Dues(triggers)), Triggers: port(p.ports.Timers, trigger.Store(triggers)),
			Engine: engine, Log: p.log,
		},
		Waker: trigger.Waker{Queue: engine.Queue, Wakes: engine.Wakes, Clock: clock.System}, Log: p.log,
	}
}

// incomingWebhook is functions/incomingwebhook.
func (p *platform) incomingWebhook(i *sim.Instance) any {
	receiver := &trigger.Receiver{
		Hooks: port(p.ports.Hooks, trigger.Hooks(&triggerdb.Triggers{Client: i.DynamoDB, Table: "TriggersTable"})),
		Clock: clock.System, IDs: new(id.Source),
	}
	face := &httpapi.API{Routes: (&hookapi.Group{Receiver: receiver, Depths: depths{}}).Routes(), Log: p.log, Clock: clock.System}
	return face.Handler()
}

// paymentNotify is functions/paymentnotify.
func (p *platform) paymentNotify(i *sim.Instance) any {
	group := &notifyapi.Group{
		Applications: &appdb.Applications{Client: i.DynamoDB, Table: "ApplicationsTable"},
		Settings: &payment.Settings{
			Store:  &settingdb.Payments{Client: i.DynamoDB, Table: "SettingsTable"},
			Sealer: plainSealer{}, Clock: clock.System,
		},
		Bus:   port(p.ports.Bus, notifyapi.Bus(&bus.Bus{Client: i.Bus, Name: "bus"})),
		Clock: clock.System, Log: p.log,
	}
	return (&httpapi.API{Routes: group.Routes(), Log: p.log, Clock: clock.System}).Handler()
}

// tables is what programs that write rows have in common.
func (p *platform) tables(i *sim.Instance) any {
	return &table.Service{
		Schemas: &rowdb.Tables{Client: i.DynamoDB, Name: "TablesTable"},
		Rows:    &rowdb.Rows{Client: i.DynamoDB, Table: "RowsTable", Indexes: "RowIndexesTable"},
		Clock:   clock.System, IDs: new(id.Source),
	}
}

// owner is the part of functions/trigger that stores triggers.
func (p *platform) owner(i *sim.Instance) any {
	listeners := triggerdb.Listeners(&rowdb.Tables{Client: i.DynamoDB, Name: "TablesTable"})
	return &triggerdb.Triggers{
		Client: i.DynamoDB, Table: "TriggersTable", Listeners: port(p.ports.Listeners, listeners), Clock: clock.System,
	}
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
