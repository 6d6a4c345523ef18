// Program order shows payment orders (endpoint 20) and keeps the settings of payment vendors, whose secrets it seals
// and cannot open.
package main

import (
	"minicloud/functions/order/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
