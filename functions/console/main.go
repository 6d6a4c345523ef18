// Program console serves the console: the page for administrators, and what only this page asks for.
package main

import (
	"minicloud/functions/console/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
