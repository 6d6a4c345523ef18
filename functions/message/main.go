// Program message keeps the settings of mail, SMS and template messages, form ids and subscriptions, takes what functions
// send, and sends and verifies codes of text messages.
package main

import (
	"minicloud/functions/message/wire"
	"minicloud/shared/program/backend"
)

func main() { backend.Run(wire.Program) }
