// Package queues opens the SQS queues of a program and the services that send to them.
package queues

import (
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/shared/aws/queue"
	"minicloud/shared/job"
	"minicloud/shared/program/backend"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// Queues opens the queues of one program.
type Queues struct {
	Client *sqs.Client

	b *backend.Backend
}

// Open returns the queues of a program.
func Open(b *backend.Backend) *Queues { return &Queues{sqs.NewFromConfig(b.Config), b} }

// queue returns the queue whose URL is in the variable.
func (q *Queues) queue(variable string) queue.Queue {
	return queue.Queue{Client: q.Client, URL: q.b.String(variable)}
}

// Jobs returns the queue of asynchronous jobs.
func (q *Queues) Jobs() *queue.Of[job.Message] {
	return &queue.Of[job.Message]{Queue: q.queue("JOB_QUEUE_URL")}
}

// Bulk returns the queue of bulk operations.
func (q *Queues) Bulk() *queue.Bulk { return &queue.Bulk{Queue: q.queue("BULK_QUEUE_URL")} }

// TableWork returns the queue of the background work that table changes cause.
func (q *Queues) TableWork() *queue.TableWork {
	return &queue.TableWork{Queue: q.queue("TABLE_WORK_QUEUE_URL")}
}

// Actions returns the queue of trigger runs.
func (q *Queues) Actions() *queue.Of[run.Message] {
	return &queue.Of[run.Message]{Queue: q.queue("ACTION_QUEUE_URL")}
}

// SlowActions returns the queue of trigger runs that may take long, such as those that wait for a slow receiver.
func (q *Queues) SlowActions() *queue.Of[run.Message] {
	return &queue.Of[run.Message]{Queue: q.queue("SLOW_ACTION_QUEUE_URL")}
}

// ImageChecks returns the queue of platform events, as the queue of checks of images.
func (q *Queues) ImageChecks() *queue.ImageChecks {
	return &queue.ImageChecks{Queue: q.queue("PLATFORM_EVENT_QUEUE_URL")}
}

// Dead returns the dead-letter queue whose URL is in the variable, for messages that can never be processed.
func (q *Queues) Dead(variable string) *queue.DeadLetters {
	return &queue.DeadLetters{Queue: q.queue(variable)}
}

// Letters reads and repairs the dead-letter queue whose URL is in the variable.
func (q *Queues) Letters(variable string) *queue.Letters {
	return &queue.Letters{Client: q.Client, URL: q.b.String(variable)}
}

// Again sends dead letters back to the queue whose URL is in the variable.
func (q *Queues) Again(variable string) *queue.Again {
	return &queue.Again{Queue: q.queue(variable)}
}

// Engine returns the engine that fires triggers for events, without the Schemas that row events need.
func (q *Queues) Engine() *engine.Engine {
	runs := q.b.Runs()
	return &engine.Engine{
		Triggers: q.b.Triggers(), Runs: runs, Evaluations: runs, Wakes: runs, Queue: q.Actions(),
		Clock: q.b.Clock, Log: q.b.Log,
	}
}
