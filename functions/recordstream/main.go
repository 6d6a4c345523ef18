// Program recordstream counts inserted and deleted records, which it reads from the streams of the tables.
package main

import (
	"minicloud/functions/recordstream/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
