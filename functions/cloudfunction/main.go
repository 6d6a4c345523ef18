// Program cloudfunction serves the cloud function endpoints 1–9, and 404 for every path that no other program serves.
package main

import (
	"minicloud/functions/cloudfunction/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
