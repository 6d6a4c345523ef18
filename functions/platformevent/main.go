// Program platformevent works on what the event bus brings, out of a queue.
package main

import (
	"minicloud/functions/platformevent/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/appdb"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/order"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	dead := b.Queue(p.String("EVENT_DEAD_LETTER_QUEUE_URL"))
	group := &consumer.Group{
		Applications: &appdb.Applications{Client: b.DynamoDB, Table: p.String("APPLICATIONS_TABLE")},
		Orders: &order.Service{
			Store: &orderdb.Store{Client: b.DynamoDB, Table: p.String("ORDERS_TABLE")}, Clock: clock.System,
		},
		Engine: b.Engine(
			p, p.String("TRIGGERS_TABLE"), p.String("TRIGGER_LOG_TABLE"), "", p.String("ACTION_QUEUE_URL"), // rows are not its
		),
		Dead: &queue.DeadLetters{Queue: dead}, Log: p.Log,
	}
	p.Ready()

	lambdabatch.Start(p.Log, group.Consume)
}
