// Program order creates and serves payment orders (endpoint 20) and stores the settings of payment vendors.
package main

import (
	"minicloud/functions/order/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
