// Package wire assembles program tablework.
package wire

import (
	"minicloud/functions/tablework/consumer"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trigger/engine"
)

// limits bound the messages of one build or purge: of 15 s each, so the longest takes 41 hours. A build that waits for
// programs with an older schema makes no progress for two or three messages.
var limits = chain.Limits{Generations: 10_000, Idle: 20}

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	tables, counts, triggers := b.Tables(), b.Counts(), b.Triggers()
	q := queues.Open(b)
	work := q.TableWork()
	tables.Counts, tables.OldCounts, tables.Worker = counts, counts, work
	inspector := &engine.Inspector{Triggers: triggers, Marks: triggers, Schemas: tables, Runs: b.Runs()}
	group := &consumer.Group{Log: b.Log, Tables: tables, Triggers: inspector}
	dead := q.Dead("TABLE_WORK_DEAD_LETTER_QUEUE_URL")
	return lambdabatch.Adapt(b.Log, lambdabatch.Bounded(dead, limits, group.Work, work.URL))
}
