package queue

import (
	"errors"
	"fmt"
	"time"
)

// errDown is the answer to programs while the queues are down.
var errDown = errors.New("the queues are down")

// Crash simulates a kill -9 of queues that were a process of their own, while their clients live on: all that
// is not in the journal is lost, requests are refused for a while, and then the queues are as the journal says.
// Messages in flight are visible again, though their receivers are still at work, and their handles are void. The
// local cloud's own senders and receivers wait meanwhile, as AWS's retry.
func (b *Broker) Crash(down time.Duration) error {
	return b.crash(func() { time.Sleep(down) })
}

// crash is Crash, which lasts as long as away.
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

// restore makes all queues anew, of what the journal says.
func (b *Broker) restore() error {
	for name, q := range b.queues {
		fresh := newQueue(q.about)
		fresh.unlisted = q.unlisted
		b.queues[name] = fresh
		q.wake() // waiting receivers look into the new queue
	}

	journal, err := openJournal(b.journal.path, b.apply, b.log)
	if err == nil {
		err = journal.compact(b.snapshot())
	}
	if err != nil {
		return fmt.Errorf("queues: %w", err) // the journal that is closed refuses all changes
	}
	b.journal = journal
	return nil
}
