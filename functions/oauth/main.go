// Program oauth serves the token endpoints 10–12.
package main

import (
	"minicloud/functions/oauth/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
