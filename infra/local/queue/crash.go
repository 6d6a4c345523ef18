package queue

import (
	"errors"
	"fmt"
	"time"
)

// errDown is the error of requests while the queues are down.
var errDown = errors.New("the queues are down")

// Crash simulates kill -9 of a separate queue process while its clients keep running. Requests are refused while the
// queues are down; then the queues are restored from the journal, and everything else is lost. Messages in flight are
// visible again although their receivers still work, and their handles are void. The local cloud's own senders and
// receivers wait, as AWS's retry.
func (b *Broker) Crash(down time.Duration) error {
	return b.crash(func() { time.Sleep(down) })
}

// crash is Crash with a function that returns when the queues may restart.
func (b *Broker) crash(away func()) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.closed:
		return nil
	default:
	}

	b.down.Store(true)
	defer b.down.Store(false)
	b.journal.close()
	away()
	return b.restore()
}

// restore rebuilds all queues from the journal.
func (b *Broker) restore() error {
	for name, q := range b.queues {
		fresh := newQueue(q.about)
		fresh.unlisted = q.unlisted
		b.queues[name] = fresh
		q.wake() // waiting receivers then use the new queue
	}

	journal, err := openJournal(b.journal.path, b.apply, b.log)
	if err == nil {
		err = journal.compact(b.snapshot())
	}
	if err != nil {
		return fmt.Errorf("queues: %w", err) // the journal stays closed and refuses all changes
	}
	b.journal = journal
	return nil
}
