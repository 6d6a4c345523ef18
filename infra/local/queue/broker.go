// Package queue is the SQS of the local cloud: standard queues with visibility
// timeouts, delays, long polls, dead-letter queues and fair message groups.
//
//	send ─► delayed ─► ready ─receive─► in flight ─delete─► gone
//	                     ▲                  │ time is up
//	                     └──────────────────┴─► dead-letter queue, after maxReceiveCount
//
// The simulation has its queues in memory (New). Those of the local cloud have a journal (Open):
// every change is in the journal before it is answered, so queues survive a
// kill -9; the journal is flushed to the disk once a second, so only a crash of
// the machine can lose the last second. While the disk is full every change is
// refused. Messages that were in flight are visible again after a restart, because their
// receivers ended with the local cloud.
//
// Groups share a queue fairly: receivers take from one group after another, so
// a group that sent thousands delays another's single message by one.
package queue

import (
	"context"
	"crypto/rand"
	"encoding/hex"
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
	"minicloud/shared/clock"
)

// Limits of SQS.
const (
	MaxBytes   = 1 << 20 // of a message with its attributes, and of a batch
	MaxBatch   = 10      // messages in one call
	MaxWait    = 20 * time.Second
	maxVisible = 12 * time.Hour
	maxDelay   = 15 * time.Minute
)

// Broker holds the queues.
type Broker struct {
	clock   clock.Clock
	keep    func(Entry) error
	mu      sync.Mutex
	queues  map[string]*queue
	journal *journal // nil in memory
	log     *slog.Logger
	down    atomic.Bool // see Crash
	closed  chan struct{}
	closing sync.Once
}

// New makes queues that stand in memory only. keep is called before each change, which it may refuse by an error, while
// the broker is locked.
func New(wanted []*template.Queue, now clock.Clock, keep func(Entry) error) *Broker {
	b := &Broker{clock: now, keep: keep, queues: map[string]*queue{}, closed: make(chan struct{})}
	for _, q := range wanted {
		b.queues[q.Name] = newQueue(*q)
	}
	return b
}

// Open restores the queues from the journal in dir and makes those that are
// wanted. A queue that is no longer wanted keeps its messages in the journal. Lines of
// the journal that cannot be read are logged.
func Open(dir string, wanted []*template.Queue, now clock.Clock, log *slog.Logger) (*Broker, error) {
	var b *Broker
	// The journal is read from the field at each change, because a crash opens another one.
	b = New(wanted, now, func(e Entry) error { return b.journal.write(e) })
	b.log = log
	var err error
	b.journal, err = openJournal(filepath.Join(dir, "queues.jsonl"), b.apply, log)
	if err != nil {
		return nil, fmt.Errorf("queues: %w", err)
	}
	// Also opens the file for writing, so it comes before the first flush.
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
			_ = b.journal.compact(b.snapshot()) // else the longer one goes on
		}
		file := b.journal.file
		b.mu.Unlock()

		err := file.Sync() // without the lock: nobody waits for the disk; tried again in a second
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

// apply repeats one line of the journal.
func (b *Broker) apply(e Entry) {
	q := b.queues[e.Queue]
	if q == nil {
		// The retention is the longest of SQS, because that of the removed queue is unknown.
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

// snapshot lists what is alive as journal entries.
func (b *Broker) snapshot() []Entry {
	var out []Entry
	for name, q := range b.queues {
		for _, m := range q.inOrder() {
			out = append(out, Entry{Op: OpSend, Queue: name, Message: m})
		}
	}
	return out
}

// find returns the queue called name, or the one a queue URL ends in.
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

	Deduplication string // refused: it belongs to FIFO queues, of which the local cloud has none
	Delay         time.Duration
}

// Attribute is a message attribute.
type Attribute struct {
	DataType    string `json:"DataType"`
	StringValue string `json:"StringValue,omitempty"`
	BinaryValue []byte `json:"BinaryValue,omitempty"`
}

// Send puts a message on the queue (its name or URL) and returns its id.
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
	m := &Message{ID: NewID(), Body: out.Body, Attributes: out.Attributes, Group: out.Group, Sent: now}
	m.visible = now
	if out.Delay > 0 {
		m.visible = now.Add(out.Delay)
		m.NotBefore = m.visible
	}
	// The journal comes first: a message that was acknowledged must survive a crash.
	if err := b.keep(Entry{Op: OpSend, Queue: q.about.Name, Message: m}); err != nil {
		return "", err
	}

	q.add(m)

	return m.ID, nil
}

// Receive takes up to n messages (1–10), waiting for the first up to wait.
// visibility -1 is the queue's.
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

		timer := time.NewTimer(left)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		case <-b.closed:
			timer.Stop()
			return nil, nil
		}

		timer.Stop()
	}
}

// take takes up to n ready messages. When there are none, changed is closed on the next change of the queue, and
// next is the time until a hidden message becomes visible.
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
	moved.visible, moved.NotBefore, moved.handle = now, time.Time{}, ""
	return b.move(q, b.queues[q.about.DeadQueue], moved)
}

// move takes a message out of a queue, and puts it into another as it is given.
func (b *Broker) move(from, to *queue, m Message) error {
	// Sent before it is deleted: a crash between the two leaves it twice, never
	// not at all.
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

// Redrive moves the messages of the dead-letter queue of a queue back, as an operator does. Their receives are counted
// anew.
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

// Messages returns all messages of a queue, oldest first.
func (b *Broker) Messages(name string) ([]Message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, err := b.find(name)
	if err != nil {
		return nil, err
	}
	var all []Message
	for _, m := range q.inOrder() {
		all = append(all, *m)
	}
	return all, nil
}

// Delete removes a received message. A handle of an earlier receive has no
// effect.
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

// ChangeVisibility makes a received message visible again after d from now.
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

// held finds a message by its receipt handle; nil when it is gone or the
// handle is not its latest.
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

// Count holds the numbers of messages of a queue, by state.
type Count struct{ Visible, InFlight, Delayed int }

// Count counts the messages of a queue.
func (b *Broker) Count(name string) (Count, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q, err := b.find(name)
	if err != nil {
		return Count{}, err
	}
	q.promote(b.clock())
	return q.count(), nil
}

// NewID makes a UUID, the form of the ids of SQS messages and EventBridge events.
func NewID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	s := hex.EncodeToString(b)
	return s[:8] + "-" + s[8:12] + "-4" + s[13:16] + "-a" + s[17:20] + "-" + s[20:]
}
