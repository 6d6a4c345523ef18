// Program actionrunner does what triggers ask for: it works on the runs that the action queue brings.
package main

import (
	"minicloud/functions/actionrunner/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
