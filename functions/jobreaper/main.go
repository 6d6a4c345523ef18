// Program jobreaper runs every minute: it sends delayed jobs that are due, and ends open jobs whose worker died or
// never started.
package main

import (
	"minicloud/functions/jobreaper/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
