package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/clock"
)

// Wake is a run that is to be asked for at a time.
type Wake struct {
	At      time.Time // milliseconds
	Message Message
}

// Wakes remembers what is to be asked for later than a queue can hold it back.
type Wakes interface {
	// Plan adds a wake; adding it again changes nothing.
	Plan(ctx context.Context, w Wake) error
	// Planned returns wakes up to a time, at most limit of them, the earliest first.
	Planned(ctx context.Context, until time.Time, limit int) ([]Wake, error)
	// Drop removes wakes; some may be gone already.
	Drop(ctx context.Context, all []Wake) error
}

// Waker asks for runs now or later.
type Waker struct {
	Queue Queue
	Slow  Queue // of messages that are Slow; nil = Queue
	Wakes Wakes
	Clock clock.Clock
}

// maxQueueDelay is the longest that a queue holds a message back.
const maxQueueDelay = 15 * time.Minute

// Wake asks for a run at a time, at once where that has passed: by a message that the queue holds back, or, beyond 15
// minutes, by a planned wake, which the tick of a minute sends, and which is not Slow: who gets it finds that out. It
// may be called again for the same run and time.
func (s *Waker) Wake(ctx context.Context, m Message, at time.Time) error {
	delay := at.Sub(s.Clock.Now())
	if delay > maxQueueDelay {
		m.Slow = false
		return s.Wakes.Plan(ctx, Wake{At: at.Truncate(time.Millisecond), Message: m})
	}
	return s.send(ctx, m, delay)
}

// FairnessKey is the application of a scope. The queue shares its workers fairly between applications.
func FairnessKey(scope string) string {
	application, _, _ := strings.Cut(scope, ".")
	return application
}

func (s *Waker) send(ctx context.Context, m Message, delay time.Duration) error {
	q := s.Queue
	if m.Slow && s.Slow != nil {
		q = s.Slow
	}
	return q.Send(ctx, m, FairnessKey(m.Scope), max(delay, 0))
}

const (
	// wakeAhead is how far ahead a tick sends: the queue holds back what is due before the next one.
	wakeAhead = time.Minute
	// wakePage is how many wakes one look brings.
	wakePage = 500
	// wakesAtOnce is how many of them are sent at a time.
	wakesAtOnce = 32
)

// Tick sends what is due until the next tick. It may be called any number of times, late, and by several at once: a
// wake is dropped after it was sent, and one that is sent twice finds its run under way. It ends when ctx does: the
// next tick goes on.
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

// sendAll returns the wakes that were sent.
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
