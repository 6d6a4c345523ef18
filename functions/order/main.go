// Program order serves payment orders (endpoint 20) and stores the settings of payment vendors. It can seal their
// secrets but not open them.
package main

import (
	"minicloud/functions/order/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
