// Program actionrunner executes the actions of triggers: it consumes the runs in the action queue.
package main

import (
	"minicloud/functions/actionrunner/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
