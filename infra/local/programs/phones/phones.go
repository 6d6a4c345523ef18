// Package phones has the programs that link the tables of phone numbers.
package phones

import (
	actionrunner "minicloud/functions/actionrunner/wire"
	trigger "minicloud/functions/trigger/wire"
	user "minicloud/functions/user/wire"
	"minicloud/infra/local/programs"
)

// Programs are these.
var Programs = programs.Set{
	"actionrunner": actionrunner.Program,
	"trigger":      trigger.Program,
	"user":         user.Program,
}
