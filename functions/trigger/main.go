// Program trigger manages triggers (G1-G11).
package main

import (
	"minicloud/functions/trigger/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
