// Package phones has the programs that link the tables of phone numbers.
package phones

import (
	actionrunner "minicloud/functions/actionrunner/wire"
	message "minicloud/functions/message/wire"
	user "minicloud/functions/user/wire"
	"minicloud/infra/local/programs"
)

// Programs are these.
var Programs = programs.Set{
	"actionrunner": actionrunner.Program,
	"message":      message.Program,
	"user":         user.Program,
}
