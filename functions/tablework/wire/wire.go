// Package wire assembles program tablework.
package wire

import (
	"minicloud/functions/tablework/consumer"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trigger/engine"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	tables, counts, triggers := b.Tables(), b.Counts(), b.Triggers()
	tables.Counts, tables.OldCounts, tables.Worker = counts, counts, queues.Open(b).TableWork()
	inspector := &engine.Inspector{Triggers: triggers, Marks: triggers, Schemas: tables, Runs: b.Runs()}
	group := &consumer.Group{Log: b.Log, Tables: tables, Triggers: inspector}
	return lambdabatch.Adapt(b.Log, group.Work)
}
