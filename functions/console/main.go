// Program console serves the console: the page for administrators, and the endpoints that only this page uses.
package main

import (
	"minicloud/functions/console/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
