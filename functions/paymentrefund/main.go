// Program paymentrefund pays back orders, for functions (BaaS.Order.refund) and for administrators. It opens the
// secrets of payment vendors, which the order program cannot.
package main

import (
	"minicloud/functions/paymentrefund/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
