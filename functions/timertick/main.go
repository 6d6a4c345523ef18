// Program timertick runs every minute and fires the timers that are due.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"minicloud/functions/timertick/consumer"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/program"
	"minicloud/shared/program/backend"
	"minicloud/shared/trigger"
)

func main() {
	p := program.New()
	b := backend.Open(p)
	triggers := &triggerdb.Triggers{Client: b.DynamoDB, Table: p.String("TRIGGERS_TABLE")}
	runs := &triggerdb.Runs{Client: b.DynamoDB, Table: p.String("TRIGGER_LOG_TABLE")}
	// A timer's event is of no table, so the engine reads no schemas.
	engine := b.Engine(p, triggers.Table, runs.Table, "", p.String("ACTION_QUEUE_URL"))
	p.Ready()

	group := &consumer.Group{
		Timers: trigger.Timers{Dues: triggers, Triggers: triggers, Engine: engine, Log: p.Log},
		Waker:  trigger.Waker{Queue: engine.Queue, Wakes: runs, Clock: clock.System}, Log: p.Log,
	}
	lambda.Start(group.Tick)
}
