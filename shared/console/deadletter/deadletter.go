// Package deadletter lists, redrives and deletes the messages in the dead-letter queues of the deployment.
//
//	kind        content of the message                      repair
//	job         the ids of a function's run                 redrive to its queue
//	action      the ids of a run of a trigger's action      redrive to the normal or the slow queue
//	bulk        the id of a bulk operation                  redrive to its queue
//	table_work  an index to build, or data to purge         redrive to its queue
//	event       an event of the bus                         redrive to its queue
//	            an undecodable record of a stream           none: the record would be refused again
//	record      the position of uncounted stream records    recount
//	            an undecodable record of a stream           recount
//
// The queues belong to the whole deployment. A letter belongs to the application that its message names; a letter
// without an application belongs to the deployment and is only counted.
//
// SQS delivers a message to one receiver and hides it from others for a while. So a list receives all messages, then
// releases them, and retries if another list was receiving at the same time.
package deadletter

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Kind is a dead-letter queue.
type Kind string

// The kinds.
const (
	Jobs      Kind = "job"
	Actions   Kind = "action"
	Bulk      Kind = "bulk"
	TableWork Kind = "table_work"
	Events    Kind = "event"
	Records   Kind = "record"
)

// Kinds lists all kinds, in display order.
var Kinds = []Kind{Jobs, Actions, Bulk, TableWork, Events, Records}

// ReadText parses a kind from a path or a query. It returns errs.Invalid for any other text.
func (k *Kind) ReadText(text string) error {
	if *k = Kind(text); !slices.Contains(Kinds, *k) {
		return errs.Invalid("kind must be one of %q", Kinds)
	}
	return nil
}

// Tries is how often a message is received before it becomes a dead letter, maxReceiveCount of its queue's redrive policy:
// for four hours. Lambda also receives messages for which it finds no concurrency.
var Tries = map[Kind]int{Jobs: 8, Actions: 192, Bulk: 100, TableWork: 40, Events: 240}

// Kept is the retention of a message in a dead-letter queue, counted from when it was first sent.
const Kept = 14 * 24 * time.Hour

// Repair is how a letter can be repaired.
type Repair string

// The repairs.
const (
	Redrive Repair = "redrive" // its queue delivers the message again
	Recount Repair = "recount" // the counters are compared with the objects they count (make recount)
	None    Repair = "none"    // no automatic repair: write the row again, or replay the run
)

// Letter is a message that failed after all attempts.
type Letter struct {
	// The id of the message. When reason is empty, search the program's log for it as the request id.
	ID       string       `json:"id"`
	Kind     Kind         `json:"kind"`
	Scope    tenant.Scope `json:"-"`        // App 0: the message names no application
	SentAt   time.Time    `json:"-"`        // ms
	Tries    int          `json:"tries"`    // The number of attempts before the message became a dead letter. 0 when unknown.
	Redrives int          `json:"redrives"` // The number of redrives.
	Reason   string       `json:"reason"`   // The reason of the failure. Empty when the program crashed, or failed without a reason.
	Repair   Repair       `json:"repair" enum:"redrive,recount,none"`
	About    About        `json:"about"`
	Body     string       `json:"body"` // The message as JSON without secrets and whole rows, truncated to 16 KiB.

	message Message
	target  Target
	again   string // the body to send to target
}

// About is the subject of a dead letter.
type About struct {
	Name      cloudfunction.Name `json:"function,omitempty"` // The name of the function. Absent when it was deleted.
	Function  id.ID              `json:"function_id,omitempty"`
	Job       id.ID              `json:"job_id,omitempty"`
	Trigger   trigger.ID         `json:"trigger_id,omitempty" schema:"ID"`
	Run       string             `json:"run_id,omitempty"`
	Operation id.ID              `json:"operation_id,omitempty"`
	Table     table.ID           `json:"table_id,omitempty" schema:"ID"`
	Index     string             `json:"index,omitempty"`
	Event     string             `json:"event,omitempty"` // The kind of event: payment, file, chat-message, or the name of the record's table.
	Subject   string             `json:"subject,omitempty"`
	Records   int                `json:"records,omitempty"`
}

// Message is a message in a dead-letter queue.
type Message struct {
	ID, Body, Group string
	Handle          string // receipt handle
	SentAt          time.Time
	Redrives        int
	Reason          string // set by the bus if it could not deliver
}

// Target is a queue that receives redriven messages.
type Target string

// The targets; a run of an action goes to the normal or the slow queue.
const (
	JobQueue        Target = "job"
	ActionQueue     Target = "action"
	SlowActionQueue Target = "slow_action"
	BulkQueue       Target = "bulk"
	TableWorkQueue  Target = "table_work"
	EventQueue      Target = "event"
)

// Queue is one dead-letter queue.
type Queue interface {
	// Count returns the approximate number of messages, including those that a receiver holds now.
	Count(ctx context.Context) (int, error)
	// Receive returns up to ten messages and hides them from others for a while. It returns none if none is available
	// now.
	Receive(ctx context.Context, hide time.Duration) ([]Message, error)
	// Release makes messages visible again immediately.
	Release(ctx context.Context, messages []Message) error
	// Delete deletes messages and returns those that it could not delete.
	Delete(ctx context.Context, messages []Message) (left []Message, err error)
}

// Sender sends messages again, unchanged, with their number of redrives.
type Sender interface {
	// Resend sends messages, in any order, and returns the ids of those that were accepted.
	Resend(ctx context.Context, messages []Message) (taken map[string]bool, err error)
}

// Refuser puts an event that can never be processed into a dead-letter queue; *queue.DeadLetters implements it.
type Refuser interface {
	// Refuse stores the event with the reason. group is the fairness key of the message.
	Refuse(ctx context.Context, group, reason string, event []byte) error
}

type redrivesKey struct{}

// WithRedrives returns a context for processing a message that was redriven n times.
func WithRedrives(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, redrivesKey{}, n)
}

// RedrivesOf returns how often the message in process was redriven.
func RedrivesOf(ctx context.Context) int {
	n, _ := ctx.Value(redrivesKey{}).(int)
	return n
}
