// Package wire assembles program trigger.
package wire

import (
	"minicloud/functions/trigger/api"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/manage"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	q, keys := queues.Open(b), secrets.Open(b)
	runs, jobs, groups := b.Runs(), b.Jobs(), b.Groups()
	triggers, tables, work := b.OwnTriggers(), b.Tables(), q.Actions()
	tables.Counts = b.Counts()
	names := &manage.Names{
		Tables: tables, Functions: &cloudfunction.Service{Store: b.Functions()}, Groups: groups, Settings: b.MessageSettings(),
	}
	checker := &draft.Checker{Names: names, AnyPort: b.AllowPrivate()}

	group := &api.Group{
		Clock: b.Clock,
		Triggers: &manage.Service{
			Store: triggers, Checker: checker, Tables: tables, Runs: runs, Evaluations: runs,
			Hooks: triggers, Sealer: keys, Clock: b.Clock, IDs: b.IDs, Queue: work, Orders: b.Orders(),
			Jobs: jobs, ReplayEffects: &action.ReplayEffects{Marks: b.Marks(), Jobs: jobs, Messages: b.Claims()},
			Background: q.Bulk(), Operations: b.Operations(),
			Engine: &engine.Engine{Runs: runs, Evaluations: runs, Queue: work, Wakes: runs, Clock: b.Clock, Log: b.Log},
		},
	}
	return lambdahttp.Adapt(b.API(group.Routes()).Handler())
}
