// Package wire puts program trigger together.
package wire

import (
	"minicloud/functions/trigger/api"
	"minicloud/shared/action"
	"minicloud/shared/action/email"
	"minicloud/shared/action/send"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/lambdahttp"
	"minicloud/shared/outbound/ses"
	"minicloud/shared/outbound/sns"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/smscode"
	"minicloud/shared/templatemessage"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/keyring"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// Program opens what the program needs, and returns its handler.
func Program(b *backend.Backend) any {
	q, keys := queues.Open(b), secrets.Open(b)
	runs, jobs, claims, quotas, groups := b.Runs(), b.Jobs(), b.Claims(), b.Quotas(), b.Groups()
	triggers, tables, settings, work := b.OwnTriggers(), b.Tables(), b.MessageSettings(), q.Actions()
	tables.Counts, settings.Sealer = b.Counts(), keys
	users := &user.Service{Tables: tables}
	names := &manage.Names{
		Tables: tables, Functions: &cloudfunction.Service{Store: b.Functions()}, Groups: groups, Settings: settings,
	}
	checker := &draft.Checker{Names: names, Placeholders: manage.Placeholders, AnyPort: b.AllowPrivate()}

	group := &api.Group{
		Clock: b.Clock, Settings: settings, FormIDs: b.FormIDs(users),
		Mails:   &email.Desk{Settings: settings, Sender: ses.New(b.Config), Claims: claims, Quotas: quotas},
		Tickets: &templatemessage.Tickets{Store: b.Tickets(), Users: users, Clock: b.Clock},
		Triggers: &manage.Service{
			Store: triggers, Checker: checker, Timers: &trigger.Timers{}, Tables: tables, Runs: runs, Evaluations: runs,
			Hooks: triggers, Keys: &keyring.Ring{Sealer: keys}, Clock: b.Clock, IDs: b.IDs, Queue: work, Orders: b.Orders(),
			Jobs: jobs, Foresight: &action.Foresight{Marks: b.Marks(), Jobs: jobs, Messages: claims},
			Background: q.Bulk(), Operations: b.Operations(),
			Engine: &trigger.Engine{Runs: runs, Evaluations: runs, Queue: work, Wakes: runs, Clock: b.Clock, Log: b.Log},
		},
		Messages: &send.Service{
			Settings: settings, Users: users, Groups: groups, Phones: phone.Key, Quotas: quotas, Runs: runs, Queue: work,
			Clock: b.Clock,
		},
		Codes: &smscode.Codes{
			Settings: settings, Sender: sns.New(b.Config), Claims: claims, Users: users, Sealer: keys, Phones: phone.Key,
			Store: b.Codes(), Clock: b.Clock,
		},
	}
	return lambdahttp.Adapt(b.API(group.Routes()).Handler())
}
