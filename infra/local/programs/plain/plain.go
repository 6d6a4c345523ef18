// Package plain contains the programs that do not link the phone number tables.
package plain

import (
	bulkrunner "minicloud/functions/bulkrunner/wire"
	cloudfunction "minicloud/functions/cloudfunction/wire"
	console "minicloud/functions/console/wire"
	file "minicloud/functions/file/wire"
	filesweep "minicloud/functions/filesweep/wire"
	incomingwebhook "minicloud/functions/incomingwebhook/wire"
	jobreaper "minicloud/functions/jobreaper/wire"
	jobrunner "minicloud/functions/jobrunner/wire"
	oauth "minicloud/functions/oauth/wire"
	order "minicloud/functions/order/wire"
	paymentcheck "minicloud/functions/paymentcheck/wire"
	paymentnotify "minicloud/functions/paymentnotify/wire"
	paymentrefund "minicloud/functions/paymentrefund/wire"
	platformevent "minicloud/functions/platformevent/wire"
	recordstream "minicloud/functions/recordstream/wire"
	recordtrigger "minicloud/functions/recordtrigger/wire"
	table "minicloud/functions/table/wire"
	tablework "minicloud/functions/tablework/wire"
	timertick "minicloud/functions/timertick/wire"
	trigger "minicloud/functions/trigger/wire"
	"minicloud/infra/local/programs"
)

// Programs lists the programs of this package.
var Programs = programs.Set{
	"bulkrunner":      bulkrunner.Program,
	"cloudfunction":   cloudfunction.Program,
	"console":         console.Program,
	"file":            file.Program,
	"filesweep":       filesweep.Program,
	"incomingwebhook": incomingwebhook.Program,
	"jobreaper":       jobreaper.Program,
	"jobrunner":       jobrunner.Program,
	"oauth":           oauth.Program,
	"order":           order.Program,
	"paymentcheck":    paymentcheck.Program,
	"paymentnotify":   paymentnotify.Program,
	"paymentrefund":   paymentrefund.Program,
	"platformevent":   platformevent.Program,
	"recordstream":    recordstream.Program,
	"recordtrigger":   recordtrigger.Program,
	"table":           table.Program,
	"tablework":       tablework.Program,
	"timertick":       timertick.Program,
	"trigger":         trigger.Program,
}
