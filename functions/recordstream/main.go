// Program recordstream hears of every record that comes or goes, from the tables' streams, and counts them.
package main

import (
	"minicloud/functions/recordstream/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
