// Program recordtrigger fires what tables' streams tell: changes of rows that somebody waits for, orders that were
// paid, and calls of incoming webhooks.
package main

import (
	"minicloud/functions/recordtrigger/consumer"
	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/lambdabatch"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/queue"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	triggers, orders, rows := p.String("TRIGGERS_TABLE"), p.String("ORDERS_TABLE"), p.String("ROWS_TABLE")
	tables := &rowdb.Tables{Client: b.DynamoDB, Name: p.String("TABLES_TABLE")}
	group := &consumer.Group{
		Engine: b.Engine(p, triggers, p.String("TRIGGER_LOG_TABLE"), tables.Name, p.String("ACTION_QUEUE_URL")),
		Readers: map[string]consumer.Reader{
			rows: (&rowdb.Stream{Tables: tables}).Read, orders: consumer.Plain(orderdb.PaymentEvent),
			triggers: consumer.Plain(triggerdb.CallEvent),
		},
		Dead: &queue.DeadLetters{Queue: b.Queue(p.String("EVENT_DEAD_LETTER_QUEUE_URL"))}, Log: p.Log,
	}
	p.Ready()

	lambdabatch.StartStream(p.Log, group.Fire)
}
