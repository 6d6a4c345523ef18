package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/clock"
)

// Wake is a message that must be sent at a time.
type Wake struct {
	At      time.Time // in whole milliseconds
	Message Message
	Shard   int // of the list that has it
}

// Wakes stores the wakes that are further ahead than the longest delay of a queue.
type Wakes interface {
	// Plan stores a wake. Storing it again changes nothing.
	Plan(ctx context.Context, w Wake) error
	// Planned returns the wakes up to a time, earliest first: fewer than limit are all there are.
	Planned(ctx context.Context, until time.Time, limit int) ([]Wake, error)
	// Drop deletes wakes. Missing ones are no error.
	Drop(ctx context.Context, all []Wake) error
}

// Waker sends the messages of runs now or later.
type Waker struct {
	Queue Queue
	Slow  Queue // queue for messages that are Slow; nil = Queue
	Wakes Wakes
	Clock clock.Clock
}

// maxQueueDelay is the longest delay of a message in a queue.
const maxQueueDelay = 15 * time.Minute

// Wake sends a message at the given time, or now if that is past. A delay of up to 15 minutes uses the queue; a longer
// one is stored as a wake, which Tick sends. A stored wake is not Slow: the worker that receives it decides whether the
// run is slow. Wake may be repeated for the same run and time.
func (s *Waker) Wake(ctx context.Context, m Message, at time.Time) error {
	delay := at.Sub(s.Clock.Now())
	if delay > maxQueueDelay {
		m.Slow = false
		return s.Wakes.Plan(ctx, Wake{At: at.Truncate(time.Millisecond), Message: m})
	}
	return s.send(ctx, m, delay)
}

func (s *Waker) send(ctx context.Context, m Message, delay time.Duration) error {
	q := s.Queue
	if m.Slow && s.Slow != nil {
		q = s.Slow
	}
	return q.Send(ctx, max(delay, 0), m)
}

const (
	// wakeAhead is how far ahead a tick sends wakes. The queue delays the messages until they are due.
	wakeAhead = time.Minute
	// wakePage is the page size for reading wakes.
	wakePage = 500
	// wakesAtOnce is how many wakes are sent concurrently.
	wakesAtOnce = 32
)

// Tick sends the wakes that are due before the next tick. It may run late, repeatedly and concurrently: a wake is
// deleted only after it was sent, and a second message finds its run already running. If ctx ends, Tick stops and the
// next tick continues.
func (s *Waker) Tick(ctx context.Context) (sent int, err error) {
	until := s.Clock.Now().Add(wakeAhead)
	for {
		due, err := s.Wakes.Planned(ctx, until, wakePage)
		if err != nil {
			return sent, fmt.Errorf("wake: %w", err)
		}

		done, err := s.sendAll(ctx, due)
		sent += len(done)
		if dropped := s.Wakes.Drop(ctx, done); dropped != nil {
			err = errors.Join(err, fmt.Errorf("drop wakes: %w", dropped))
		}
		if err != nil || len(due) < wakePage {
			return sent, err
		}
	}
}

// sendAll sends the wakes and returns those that were sent.
func (s *Waker) sendAll(ctx context.Context, due []Wake) (done []Wake, err error) {
	failures := make([]error, len(due))
	group := errgroup.Group{}
	group.SetLimit(wakesAtOnce)
	for i, w := range due {
		group.Go(func() error {
			failures[i] = s.send(ctx, w.Message, w.At.Sub(s.Clock.Now()))
			return nil
		})
	}
	_ = group.Wait()

	for i, err := range failures {
		if err == nil {
			done = append(done, due[i])
		}
	}
	return done, errors.Join(failures...)
}
