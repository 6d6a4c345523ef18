// Program jobreaper runs every minute: it sends delayed jobs that are due, ends open jobs whose worker died or never
// started, and deletes temporary users whose time has come.
package main

import (
	"minicloud/functions/jobreaper/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
