// Package queues opens the SQS queues of a program, and what sends to them.
package queues

import (
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/aws/queue"
	"minicloud/shared/job"
	"minicloud/shared/program/backend"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// Queues are the queues as one program sees them.
type Queues struct {
	Client *sqs.Client

	b *backend.Backend
}

// Open opens the queues.
func Open(b *backend.Backend) *Queues { return &Queues{sqs.NewFromConfig(b.Config), b} }

// queue is the queue whose address the variable holds.
func (q *Queues) queue(variable string) queue.Queue {
	return queue.Queue{Client: q.Client, URL: q.b.String(variable)}
}

// Jobs brings asynchronous jobs to their runner.
func (q *Queues) Jobs() *queue.Of[job.Message] {
	return &queue.Of[job.Message]{Queue: q.queue("JOB_QUEUE_URL")}
}

// Bulk brings bulk operations to their runner.
func (q *Queues) Bulk() *queue.Bulk { return &queue.Bulk{Queue: q.queue("BULK_QUEUE_URL")} }

// TableWork brings what changes of tables leave to do.
func (q *Queues) TableWork() *queue.TableWork {
	return &queue.TableWork{Queue: q.queue("TABLE_WORK_QUEUE_URL")}
}

// Actions brings the runs of triggers to their runner.
func (q *Queues) Actions() *queue.Of[run.Message] {
	return &queue.Of[run.Message]{Queue: q.queue("ACTION_QUEUE_URL")}
}

// SlowActions brings runs that may wait for somebody for long.
func (q *Queues) SlowActions() *queue.Of[run.Message] {
	return &queue.Of[run.Message]{Queue: q.queue("SLOW_ACTION_QUEUE_URL")}
}

// DeadActions takes messages about runs that can never be worked on.
func (q *Queues) DeadActions() *queue.DeadLetters {
	return &queue.DeadLetters{Queue: q.queue("ACTION_DEAD_LETTER_QUEUE_URL")}
}

// DeadEvents takes events that can never be worked on.
func (q *Queues) DeadEvents() *queue.DeadLetters {
	return &queue.DeadLetters{Queue: q.queue("EVENT_DEAD_LETTER_QUEUE_URL")}
}

// Letters is the dead-letter queue whose address the variable holds, to look into and to repair.
func (q *Queues) Letters(variable string) *queue.Letters {
	return &queue.Letters{Client: q.Client, URL: q.b.String(variable)}
}

// Again sends what lies in a dead-letter queue to the queue whose address the variable holds.
func (q *Queues) Again(variable string) *queue.Again {
	return &queue.Again{Queue: q.queue(variable)}
}

// Engine fires events, without the Schemas that changes of rows need.
func (q *Queues) Engine() *engine.Engine {
	runs := q.b.Runs()
	return &engine.Engine{
		Triggers: q.b.Triggers(), Runs: runs, Evaluations: runs, Wakes: runs, Queue: q.Actions(),
		Clock: q.b.Clock, Log: q.b.Log,
	}
}
