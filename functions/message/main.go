// Program message stores the settings of mail, SMS and template messages, form ids and subscriptions, accepts the
// messages that functions send, and sends and verifies SMS codes.
package main

import (
	"minicloud/functions/message/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
