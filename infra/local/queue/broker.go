// Package queue is the SQS of the local cloud: standard queues with visibility timeouts, delays, long polls,
// dead-letter queues and fair message groups.
//
//	send ─► delayed ─► ready ─receive─► in flight ─delete─► gone
//	                     ▲                  │ visibility timeout
//	                     └──────────────────┴─► dead-letter queue, after maxReceiveCount
//
// The simulation uses queues in memory (New). The local cloud uses queues with a journal (Open): every change is in
// the journal before its response, so queues survive kill -9. The journal is flushed to the disk once a second, so
// only a crash of the machine can lose the last second. While the disk is full, every change is refused. After a
// restart, messages in flight are visible again, because their receivers ended with the local cloud.
//
// Receivers take messages from the groups of a queue round-robin, so a group with thousands of messages delays a
// single message of another group by one.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"minicloud/infra/local/template"
	"minicloud/infra/local/watch"
	"minicloud/shared/clock"
	"minicloud/shared/id"
)

// Limits of SQS.
const (
	MaxBytes   = 1 << 20 // of a message with its attributes, and of a batch
	MaxBatch   = 10      // maximum messages in one call
	MaxWait    = 20 * time.Second
	maxVisible = 12 * time.Hour
	maxDelay   = 15 * time.Minute
)

// Broker implements all queues.
type Broker struct {
	clock   clock.Clock
	keep    func(Entry) error
	mu      sync.Mutex
	queues  map[string]*queue
	journal *journal // nil for queues in memory
	log     *slog.Logger
	// Metrics gets the metrics of SQS; nil for none. It is set before the first call.
	Metrics *watch.Metrics
	down    atomic.Bool // Crash has taken the queues down
	closed  chan struct{}
	closing sync.Once
}

// New creates queues in memory. It calls keep before each change, while the broker is locked; an error from keep
// refuses the change.
func New(wanted []*template.Queue, now clock.Clock, keep func(Entry) error) *Broker {
	b := &Broker{clock: now, keep: keep, queues: map[string]*queue{}, closed: make(chan struct{})}
	for _, q := range wanted {
		b.queues[q.Name] = newQueue(*q)
	}
	return b
}

// Open restores the queues from the journal in dir and creates missing ones. The messages of a queue that the template
// no longer declares stay in the journal. Unreadable lines of the journal are logged.
func Open(dir string, wanted []*template.Queue, now clock.Clock, log *slog.Logger) (*Broker, error) {
	var b *Broker
	// Read the journal from the field at each change, because Crash replaces it.
	b = New(wanted, now, func(e Entry) error { return b.journal.write(e) })
	b.log = log
	var err error
	b.journal, err = openJournal(filepath.Join(dir, "queues.jsonl"), b.apply, log)
	if err != nil {
		return nil, fmt.Errorf("queues: %w", err)
	}
	// compact also opens the file for writing, so it must precede the first flush.
	if err := b.journal.compact(b.snapshot()); err != nil {
		return nil, fmt.Errorf("queues: %w", err)
	}
	go b.flush()
	return b, nil
}

// Close flushes the journal and ends all long polls.
func (b *Broker) Close() {
	b.closing.Do(func() {
		close(b.closed)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.journal != nil {
			b.journal.close()
		}
	})
}

func (b *Broker) flush() {
	failing := false
	for {
		select {
		case <-b.closed:
			return
		case <-time.After(time.Second):
		}
		b.mu.Lock()
		if b.journal.wasteful(b.alive()) {
			_ = b.journal.compact(b.snapshot()) // on an error the longer journal continues
		}
		file := b.journal.file
		b.mu.Unlock()

		err := file.Sync() // without the lock, so that no caller waits for the disk; an error is retried in a second
		if err != nil && !failing && !errors.Is(err, os.ErrClosed) {
			b.log.Error("the queue journal is not safe from a crash of the machine", "error", err.Error())
		}
		failing = err != nil
	}
}

func (b *Broker) alive() int {
	n := 0
	for _, q := range b.queues {
		n += len(q.messages)
	}
	return n
}

// apply replays one entry of the journal.
func (b *Broker) apply(e Entry) {
	q := b.queues[e.Queue]
	if q == nil {
		// Use the longest retention of SQS, because the retention of the removed queue is unknown.
		q = newQueue(template.Queue{Name: e.Queue, Retention: 14 * 24 * time.Hour})
		q.unlisted = true
		b.queues[e.Queue] = q
	}

	switch e.Op {
	case OpSend:
		q.add(e.Message)
	case OpReceive:
		if m := q.messages[e.ID]; m != nil {
			m.Receives, m.FirstReceived = e.Receives, e.At
		}
	case OpDelete:
		q.remove(e.ID)
	}
}

// snapshot returns the current messages as journal entries.
func (b *Broker) snapshot() []Entry {
	var out []Entry
	for name, q := range b.queues {
		for _, m := range q.inOrder() {
			out = append(out, Entry{Op: OpSend, Queue: name, Message: m})
		}
	}
	return out
}

// find returns the queue with this name, or with the last path segment of a queue URL.
func (b *Broker) find(nameOrURL string) (*queue, error) {
	name := nameOrURL[strings.LastIndex(nameOrURL, "/")+1:]
	q := b.queues[name]
	if q == nil || q.unlisted {
		return nil, &Error{
			Type: "QueueDoesNotExist", Query: "AWS.SimpleQueueService.NonExistentQueue",
			Message: "The specified queue does not exist.",
		}
	}
	return q, nil
}

// Outgoing is a message to send.
type Outgoing struct {
	Body       string
	Attributes map[string]Attribute
	Group      string
	Trace      string // trace header of the sender's chain of requests

	Deduplication string // refused: only for FIFO queues, which the local cloud lacks
	Delay         time.Duration
}

// Attribute is a message attribute.
type Attribute struct {
	DataType    string `json:"DataType"`
	StringValue string `json:"StringValue,omitempty"`
	BinaryValue []byte `json:"BinaryValue,omitempty"`
}

// Send puts a message on a queue, given by name or URL, and returns the message ID.
func (b *Broker) Send(to string, out Outgoing) (id string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.send(to, out)
}

func (b *Broker) send(to string, out Outgoing) (id string, err error) {
	q, err := b.find(to)
	if err != nil {
		return "", err
	}
	if err := out.check(q.about.MaxBytes); err != nil {
		return "", err
	}

	now := b.clock()
	m := &Message{ID: NewID(), Body: out.Body, Attributes: out.Attributes, Group: out.Group, Trace: out.Trace, Sent: now}
	m.visible = now
	if out.Delay > 0 {
		m.visible = now.Add(out.Delay)
		m.NotBefore = m.visible
	}
	// Write the journal first: an acknowledged message must survive a crash.
	if err := b.keep(Entry{Op: OpSend, Queue: q.about.Name, Message: m}); err != nil {
		return "", err
	}

	q.add(m)
	b.Metrics.Put("AWS/SQS", "NumberOfMessagesSent", 1, "QueueName", q.about.Name)

	return m.ID, nil
}

// Receive receives up to n messages (1–10) and waits up to wait for the first. A visibility of -1 means the visibility
// timeout of the queue.
func (b *Broker) Receive(ctx context.Context, from string, n int, wait, visibility time.Duration) ([]Message, error) {
	deadline := time.Now().Add(wait)
	for {
		messages, changed, next, err := b.take(from, n, visibility)
		if err != nil || len(messages) > 0 {
			return messages, err
		}

		left := time.Until(deadline)
		if left <= 0 {
			return nil, nil
		}
		// A delayed or invisible message becomes visible without a signal on changed.
		if next > 0 {
			left = min(left, next)
		}

		select {
		case <-changed:
		case <-time.After(left):
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-b.closed:
			return nil, nil
		}
	}
}

// take receives up to n ready messages. If none is ready, changed is closed at the next change of the queue, and next
// is the time until a hidden message becomes visible.
func (b *Broker) take(
	from string, n int, visibility time.Duration,
) (out []Message, changed <-chan struct{}, next time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, err := b.find(from)
	if err != nil {
		return nil, nil, 0, err
	}
	if visibility < 0 {
		visibility = q.about.Visibility
	}

	now := b.clock()
	expired := q.promote(now)
	for _, m := range expired {
		if err := b.keep(Entry{Op: OpDelete, Queue: q.about.Name, ID: m.ID}); err != nil {
			return nil, nil, 0, err
		}
	}

	for len(out) < n {
		m := q.next()
		if m == nil {
			break
		}

		taken, err := b.takeOne(q, m, now, visibility)
		if err != nil {
			q.release(m, now) // the receive failed, so the message stays visible
			if len(out) > 0 {
				return out, nil, 0, nil
			}
			return nil, nil, 0, err
		}

		if taken {
			out = append(out, *m)
		}
	}

	return out, q.changed, q.nextVisible(now), nil
}

// takeOne puts a message in flight, or moves it to the dead-letter queue.
func (b *Broker) takeOne(q *queue, m *Message, now time.Time, visibility time.Duration) (taken bool, err error) {
	if q.about.MaxReceive > 0 && m.Receives >= q.about.MaxReceive {
		return false, b.bury(q, m, now)
	}
	first := m.FirstReceived
	if first.IsZero() {
		first = now
	}
	if err := b.keep(Entry{Op: OpReceive, Queue: q.about.Name, ID: m.ID, Receives: m.Receives +
		1, At: first}); err != nil {
		return false, err
	}
	q.hold(m, now, visibility)
	return true, nil
}

// bury moves a message that was received too often to the dead-letter queue.
func (b *Broker) bury(q *queue, m *Message, now time.Time) error {
	moved := *m
	moved.visible, moved.NotBefore, moved.handle, moved.Buried = now, time.Time{}, "", now
	return b.move(q, b.queues[q.about.DeadQueue], moved)
}

// move removes a message from a queue and adds m, its new state, to another queue.
func (b *Broker) move(from, to *queue, m Message) error {
	// Send before deleting: a crash between the two leaves the message in both queues instead of losing it.
	if err := b.keep(Entry{Op: OpSend, Queue: to.about.Name, Message: &m}); err != nil {
		return err
	}
	if err := b.keep(Entry{Op: OpDelete, Queue: from.about.Name, ID: m.ID}); err != nil {
		return err
	}
	from.remove(m.ID)
	to.add(&m)
	return nil
}

// Redrive moves the messages of a queue's dead-letter queue back, as an operator does, and resets their receive
// counts.
func (b *Broker) Redrive(name string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	to, err := b.find(name)
	if err != nil {
		return err
	}
	from, now := b.queues[to.about.DeadQueue], b.clock()
	for _, m := range from.inOrder() {
		back := Message{ID: m.ID, Body: m.Body, Attributes: m.Attributes, Group: m.Group, Sent: now, visible: now}
		if err := b.move(from, to, back); err != nil {
			return err
		}
	}
	return nil
}

// ask returns what f says of a queue, given by name or URL, while the broker is locked.
func ask[T any](b *Broker, nameOrURL string, f func(q *queue) T) (answer T, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, err := b.find(nameOrURL)
	if err != nil {
		return answer, err
	}
	return f(q), nil
}

// Messages returns all messages of a queue, oldest first.
func (b *Broker) Messages(name string) ([]Message, error) {
	return ask(b, name, func(q *queue) (all []Message) {
		for _, m := range q.inOrder() {
			all = append(all, *m)
		}
		return all
	})
}

// Holds reports whether a queue has a message, visible or not.
func (b *Broker) Holds(name, id string) (bool, error) {
	return ask(b, name, func(q *queue) bool { return q.messages[id] != nil })
}

// Delete deletes a received message. The handle of an earlier receive has no effect.
func (b *Broker) Delete(from, handle string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, m, err := b.held(from, handle)
	if err != nil || m == nil {
		return err
	}
	if err := b.keep(Entry{Op: OpDelete, Queue: q.about.Name, ID: m.ID}); err != nil {
		return err
	}
	q.remove(m.ID)
	return nil
}

// ChangeVisibility makes a received message visible again after d.
func (b *Broker) ChangeVisibility(from, handle string, d time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, m, err := b.held(from, handle)
	if err != nil {
		return err
	}
	if m == nil || !m.inFlight {
		return invalid("Value %s for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not "+
			"available for visibility timeout change.", handle)
	}
	q.release(m, b.clock().Add(d))
	return nil
}

// held returns the message of a receipt handle; nil if the message is deleted or the handle is not its latest.
func (b *Broker) held(from, handle string) (*queue, *Message, error) {
	q, err := b.find(from)
	if err != nil {
		return nil, nil, err
	}
	if handle == "" {
		return nil, nil, &Error{Type: "MissingParameter", Message: "The request must contain the parameter ReceiptHandle."}
	}
	id, _, ok := strings.Cut(handle, ".")
	if !ok {
		return nil, nil, &Error{Type: "ReceiptHandleIsInvalid", Message: "The input receipt handle is invalid."}
	}
	if m := q.messages[id]; m != nil && m.handle == handle {
		return q, m, nil
	}
	return q, nil, nil
}

// Visibility returns the visibility timeout of a queue.
func (b *Broker) Visibility(name string) (time.Duration, error) {
	return ask(b, name, func(q *queue) time.Duration { return q.about.Visibility })
}

// Count is the number of messages of a queue by state.
type Count struct{ Visible, InFlight, Delayed int }

// Count returns the number of messages of a queue by state.
func (b *Broker) Count(name string) (Count, error) {
	return ask(b, name, func(q *queue) Count {
		q.promote(b.clock())
		return q.count()
	})
}

// NewID returns a random UUID, the format of the IDs of SQS, EventBridge and Lambda.
func NewID() string {
	s := id.Hex(16)
	return s[:8] + "-" + s[8:12] + "-4" + s[13:16] + "-a" + s[17:20] + "-" + s[20:]
}

// poison is the number of receives from which SQS leaves a message out of the age of its queue.
const poison = 3

// age returns the age of a message for ApproximateAgeOfOldestMessage: of a dead letter since it became one, 0 of a
// message that is received again and again.
func (m *Message) age(now time.Time) time.Duration {
	switch {
	case !m.Buried.IsZero():
		return now.Sub(m.Buried)
	case m.Receives >= poison:
		return 0
	default:
		return now.Sub(m.Sent)
	}
}

// Report records the metrics that SQS measures each minute: the visible messages of each queue, and the age of the
// oldest message that is not deleted.
func (b *Broker) Report() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock()
	for name, q := range b.queues {
		if q.unlisted {
			continue
		}
		q.promote(now)
		oldest := time.Duration(0)
		for _, m := range q.messages {
			oldest = max(oldest, m.age(now))
		}
		b.Metrics.Put("AWS/SQS", "ApproximateNumberOfMessagesVisible", float64(q.count().Visible), "QueueName", name)
		b.Metrics.Put("AWS/SQS", "ApproximateAgeOfOldestMessage", oldest.Seconds(), "QueueName", name)
	}
}
