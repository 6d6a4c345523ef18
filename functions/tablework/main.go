// Program tablework builds indexes and purges what removed tables and indexes
// left behind, as the table work queue asks. Triggers that a changed table breaks say so in their log.
package main

import (
	"minicloud/functions/tablework/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
