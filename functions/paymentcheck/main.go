// Program paymentcheck runs every minute: it queries payment vendors about orders that stay pending.
package main

import (
	"minicloud/functions/paymentcheck/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
