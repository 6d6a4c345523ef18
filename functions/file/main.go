// Program file receives the files of mini-programs and answers their records.
package main

import (
	"minicloud/functions/file/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
