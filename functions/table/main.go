// Program table serves tables and their rows (D29).
package main

import (
	"minicloud/functions/table/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
