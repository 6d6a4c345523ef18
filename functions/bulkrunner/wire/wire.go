// Package wire assembles program bulkrunner.
package wire

import (
	"minicloud/functions/bulkrunner/consumer"
	"minicloud/shared/bulk"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/user"
)

// limits bound the messages of one operation: of 100 s each. An operation that another worker is at makes progress, too.
var limits = chain.Limits{Generations: 10_000, Idle: 20}

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	tables, q := b.Tables(), queues.Open(b)
	tables.Counts = b.Counts()
	group := &consumer.Group{Log: b.Log, Clock: b.Clock, Bulk: &bulk.Service{
		Tables: tables, Store: b.Operations(), Queue: q.Bulk(), Grammar: user.Grammar, Clock: b.Clock, IDs: b.IDs,
		Subjects: b.EndUserSessions(), Others: &manage.Replayer{Runs: b.Runs(), Queue: q.Actions()},
	}}
	dead := q.Dead("BULK_DEAD_LETTER_QUEUE_URL")
	return lambdabatch.Adapt(b.Log, lambdabatch.Bounded(dead, limits, group.Work, q.Bulk().URL))
}
