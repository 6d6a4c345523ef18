// Program platformevent handles the events of the event bus, which arrive through a queue.
package main

import (
	"minicloud/functions/platformevent/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
