// Program platformevent works on what the event bus brings, out of a queue.
package main

import (
	"minicloud/functions/platformevent/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
