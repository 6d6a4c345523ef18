// Program filesweep runs every five minutes and finishes the uploads that are due.
package main

import (
	"minicloud/functions/filesweep/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
