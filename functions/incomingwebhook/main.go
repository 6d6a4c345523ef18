// Program incomingwebhook receives calls of incoming webhooks (endpoint 13). It only stores them; triggers fire
// later.
package main

import (
	"minicloud/functions/incomingwebhook/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
