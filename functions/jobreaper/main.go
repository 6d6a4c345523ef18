// Program jobreaper runs every minute: it sends delayed jobs whose time comes, and
// ends open jobs whose worker died or never came.
package main

import (
	"minicloud/functions/jobreaper/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
