// Program bulkrunner continues bulk updates and deletions in the background, and replays ranges of the trigger log.
package main

import (
	"minicloud/functions/bulkrunner/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
