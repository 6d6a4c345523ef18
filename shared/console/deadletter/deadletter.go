// Package deadletter knows what lies in the dead-letter queues of the deployment, whose it is, and how it is repaired.
//
//	kind        what a message asks for                     repair
//	job         a run of a function, by ids                 its queue has it again
//	action      a run of a trigger's action, by ids         its queue, or that of slow ones
//	bulk        a bulk operation to go on with              its queue
//	table_work  an index to build, something to purge       its queue
//	event       an event of the bus                         its queue
//	            a record of a stream that nobody can read   none: the same record would be refused again
//	            where in a stream events are                none: the rows are there still, and can be written again
//	record      where in a stream uncounted records are     a recount
//
// The queues are those of the whole deployment. A letter belongs to the application that its message names; one that
// names none belongs to the deployment, and is only counted.
//
// SQS shows a message only to its receiver, and hides it from others for a while. A list therefore releases the
// messages when it has seen all, and receives again where another list was receiving, too.
package deadletter

import (
	"context"
	"slices"
	"time"

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

// Kinds are all of them, in the order they are shown.
var Kinds = []Kind{Jobs, Actions, Bulk, TableWork, Events, Records}

// ReadText reads a kind from a path or a query.
func (k *Kind) ReadText(text string) error {
	if *k = Kind(text); !slices.Contains(Kinds, *k) {
		return errs.Invalid("kind must be one of %q", Kinds)
	}
	return nil
}

// Tries is how often a queue delivers a message before it gives it up: maxReceiveCount of its redrive policy.
var Tries = map[Kind]int{Jobs: 5, Actions: 10, Bulk: 5, TableWork: 5, Events: 20}

// Kept is how long a queue keeps a message, from when it was sent first.
const Kept = 14 * 24 * time.Hour

// Repair says what can be done about a letter.
type Repair string

// The repairs.
const (
	Redrive Repair = "redrive" // its queue delivers it again
	Recount Repair = "recount" // the counters are compared with what they count (make recount)
	None    Repair = "none"    // what it was about is written again, or its run replayed
)

// Letter is a message that failed after all attempts.
type Letter struct {
	ID     string // of the message; the log lines about one that SQS gave up have it as their request id
	Kind   Kind
	Scope  tenant.Scope // App 0: it names no application
	SentAt time.Time    // ms
	// Tries is how often it was tried before it was given up, 0 = not known.
	Tries    int
	Redrives int    // how often somebody has sent it again before
	Reason   string // "" where nobody noted one
	About    About
	Repair   Repair
	Body     string // of the message, as JSON without secrets

	message Message
	target  Target
	again   string // the body that target gets
}

// About is what a letter is about; what it does not name is zero.
type About struct {
	Function  id.ID
	Job       id.ID
	Trigger   trigger.ID
	Run       string
	Operation id.ID
	Table     table.ID
	Index     string
	Event     string // what happened: payment, file, chat-message, or the table of a stream
	Subject   string // the number of the payment, the file, the record
	Records   int    // of a part of a stream
}

// Message is a message of a dead-letter queue.
type Message struct {
	ID, Body, Group string
	Handle          string // of this receipt
	SentAt          time.Time
	Redrives        int
	Reason          string // the bus's, where it could not deliver
}

// Target is a queue that gets messages again.
type Target string

// The targets; an action's run goes to the queue of its pace.
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
	// Count returns about how many messages are there, with those that somebody looks at now.
	Count(ctx context.Context) (int, error)
	// Receive takes up to ten messages and hides them from others for a while. None: there is nothing to be had now.
	Receive(ctx context.Context, hide time.Duration) ([]Message, error)
	// Release gives messages back at once.
	Release(ctx context.Context, messages []Message) error
	// Delete removes messages, and returns those that it could not.
	Delete(ctx context.Context, messages []Message) (left []Message, err error)
}

// Sender sends messages again, each as it was sent first and with how often that was.
type Sender interface {
	// Resend returns how many of the messages were taken, in any order; which says which by their ids.
	Resend(ctx context.Context, messages []Message) (taken map[string]bool, err error)
}

// Refuser puts an event that can never be processed into a dead-letter queue; *queue.DeadLetters is one.
type Refuser interface {
	// Refuse stores the event with the reason. group is the fairness key of the message.
	Refuse(ctx context.Context, group, reason string, event []byte) error
}

type redrivesKey struct{}

// WithRedrives returns a context of the work on a message that was sent again n times.
func WithRedrives(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, redrivesKey{}, n)
}

// RedrivesOf returns how often the message that is worked on was sent again.
func RedrivesOf(ctx context.Context) int {
	n, _ := ctx.Value(redrivesKey{}).(int)
	return n
}
