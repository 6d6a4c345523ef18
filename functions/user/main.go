// Program user serves the user endpoints 14–19, user groups and the state of bulk operations.
package main

import (
	"minicloud/functions/user/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
