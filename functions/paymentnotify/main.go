// Program paymentnotify receives notifications of payment vendors. It opens their secrets to verify notifications,
// but neither reads nor writes orders: it publishes verified payments on the event bus.
package main

import (
	"minicloud/functions/paymentnotify/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
