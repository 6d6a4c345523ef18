// Program recordtrigger fires what tables' streams tell: changes of rows that somebody waits for, orders that were
// paid, and calls of incoming webhooks.
package main

import (
	"minicloud/functions/recordtrigger/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
