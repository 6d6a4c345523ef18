// Program timertick runs every minute and fires the timers that are due.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/functions/timertick/consumer"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/trigger"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	triggers := &triggerdb.Triggers{Client: b.DynamoDB, Table: p.String("TRIGGERS_TABLE")}
	// A timer's event is of no table, so the engine reads no schemas.
	engine := b.Engine(p, triggers.Table, p.String("TRIGGER_LOG_TABLE"), "", p.String("ACTION_QUEUE_URL"))
	p.Ready()

	group := &consumer.Group{
		Timers: trigger.Timers{Dues: triggers, Triggers: triggers, Engine: engine, Log: p.Log}, Log: p.Log,
	}
	lambda.Start(group.Tick)
}
