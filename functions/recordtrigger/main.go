// Program recordtrigger fires the events in the streams of the tables: changes of rows with triggers, paid orders,
// and calls of incoming webhooks.
package main

import (
	"minicloud/functions/recordtrigger/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
