// Program paymentnotify hears from the payment vendors. It opens their secrets, but neither reads nor writes orders:
// what it has verified goes on the event bus.
package main

import (
	"minicloud/functions/paymentnotify/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
