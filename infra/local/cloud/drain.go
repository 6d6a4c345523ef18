package cloud

import (
	"context"
	"time"

	"minicloud/infra/local/async"
	"minicloud/shared/clock"
)

// Drain waits until all work caused by requests is done: no running invocation, no message in a queue that feeds a
// function, no unread record in a stream. It does not wait for delayed messages and schedules.
func (c *Cloud) Drain(ctx context.Context) error {
	for {
		begun := c.invocations()
		for busy := true; busy; {
			var err error
			if busy, err = c.busy(); err != nil {
				return err
			}
			if !busy {
				break
			}
			if err := clock.Sleep(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		for _, p := range c.streams {
			if err := p.Drained(ctx); err != nil {
				return err
			}
		}

		// Check again: a part checked late may have created work for one checked before it.
		busy, err := c.busy()
		if err != nil || (!busy && c.invocations() == begun) {
			return err
		}
	}
}

// busy reports whether a function runs or has messages to process.
func (c *Cloud) busy() (bool, error) {
	queues := []string{async.Queue().Name}
	for _, f := range c.Template.Functions {
		for _, e := range f.Queues {
			// Held queues have no poller and would never become empty.
			if !c.cfg.HeldQueues {
				queues = append(queues, e.Queue)
			}
		}
	}
	for _, name := range queues {
		held, err := c.broker.Count(name)
		if err != nil || held.Visible+held.InFlight > 0 {
			return true, err
		}
	}
	return c.host.Busy(), nil
}

// invocations counts the invocations since the start or the last reset.
func (c *Cloud) invocations() int64 {
	n := int64(0)
	for _, each := range c.Stats().Invoke {
		n += each
	}
	return n
}
