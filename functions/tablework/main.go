// Program tablework handles the table work queue: it builds indexes, deletes the data of removed tables and indexes,
// and logs an error for each trigger that a changed table breaks.
package main

import (
	"minicloud/functions/tablework/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
