// Package wire assembles program platformevent.
package wire

import (
	"minicloud/functions/platformevent/consumer"
	"minicloud/shared/dynamo/filedb"
	"minicloud/shared/file/imagecheck"
	"minicloud/shared/message/allowance"
	"minicloud/shared/order"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/censors"
	"minicloud/shared/program/backend/objects"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdabatch"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	return lambdabatch.Adapt(b.Log, Group(b, queues.Open(b)).Consume)
}

// Group returns the handlers of the events.
func Group(b *backend.Backend, q *queues.Queues) *consumer.Group {
	files := objects.Files(b)
	return &consumer.Group{
		Applications: b.Applications(), Orders: &order.Service{Store: b.Orders(), Clock: b.Clock}, Engine: q.Engine(),
		Allowance: &allowance.Allowance{Store: b.Allowances(), Clock: b.Clock}, Files: files,
		Images: &imagecheck.Service{
			Files: files, Store: &filedb.Checks{Client: b.DynamoDB, Table: b.String("ROW_INDEXES_TABLE")}, Images: censors.Open(b),
			Clock: b.Clock,
		},
		Dead: q.Dead("EVENT_DEAD_LETTER_QUEUE_URL"), Log: b.Log,
	}
}
