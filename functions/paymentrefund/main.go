// Program paymentrefund refunds orders, for functions (BaaS.Order.refund) and administrators. It can open the secrets
// of payment vendors, which program order cannot.
package main

import (
	"minicloud/functions/paymentrefund/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
