// Package phones contains the programs that link the phone number tables.
package phones

import (
	actionrunner "minicloud/functions/actionrunner/wire"
	message "minicloud/functions/message/wire"
	session "minicloud/functions/session/wire"
	user "minicloud/functions/user/wire"
	"minicloud/infra/local/programs"
)

// Programs lists the programs of this package.
var Programs = programs.Set{
	"actionrunner": actionrunner.Program,
	"message":      message.Program,
	"session":      session.Program,
	"user":         user.Program,
}
