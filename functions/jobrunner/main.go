// Program jobrunner runs the asynchronous jobs in the job queue.
package main

import (
	"minicloud/functions/jobrunner/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
