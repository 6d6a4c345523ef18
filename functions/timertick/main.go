// Program timertick runs every minute and fires the timers that are due.
package main

import (
	"minicloud/functions/timertick/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
