// Program jobrunner runs the asynchronous jobs that the job queue brings.
package main

import (
	"minicloud/functions/jobrunner/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
