// Program recordtrigger fires what tables' streams tell: orders that were paid and calls of incoming webhooks.
package main

import (
	"minicloud/functions/recordtrigger/consumer"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	triggers, orders := p.String("TRIGGERS_TABLE"), p.String("ORDERS_TABLE")
	group := &consumer.Group{
		Engine: b.Engine(p, triggers, p.String("TRIGGER_LOG_TABLE"), p.String("TABLES_TABLE"), p.String("ACTION_QUEUE_URL")),
		Readers: map[string]consumer.Reader{
			orders: consumer.Plain(orderdb.PaymentEvent), triggers: consumer.Plain(triggerdb.CallEvent),
		},
		Dead: &queue.DeadLetters{Queue: b.Queue(p.String("EVENT_DEAD_LETTER_QUEUE_URL"))}, Log: p.Log,
	}
	p.Ready()

	lambdabatch.StartStream(p.Log, group.Fire)
}
