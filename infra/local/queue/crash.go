package queue

import (
	"errors"
	"fmt"
	"time"
)

// errDown is what programs are told while the queues are down.
var errDown = errors.New("the queues are down")

// Crash does what a kill -9 would do to queues that were a process of their own, while all who use them live on: what
// is not in the journal is forgotten, requests are refused for a while, and then everything is as the journal says.
// Messages in flight are ready again, though those who have them are still at work, and their handles are void. The
// local cloud's own senders and receivers wait meanwhile, as AWS's try again.
func (b *Broker) Crash(down time.Duration) error {
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
	time.Sleep(down)
	return b.restore()
}

// restore makes all queues anew, of what the journal says.
func (b *Broker) restore() error {
	for name, q := range b.queues {
		fresh := newQueue(q.about)
		fresh.unlisted = q.unlisted
		b.queues[name] = fresh
		q.wake() // who waits for something looks into the new one
	}

	journal, err := openJournal(b.journal.path, b.apply, b.log)
	if err == nil {
		b.journal = journal
		err = journal.compact(b.snapshot())
	}
	if err != nil {
		return fmt.Errorf("queues: %w", err)
	}
	return nil
}
