// Program incomingwebhook takes calls of incoming webhooks (endpoint 13). It stores them; what they fire happens
// after.
package main

import (
	"minicloud/functions/incomingwebhook/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
