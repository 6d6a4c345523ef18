// Program session registers end users, logs them in and ends their sessions.
package main

import (
	"minicloud/functions/session/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
