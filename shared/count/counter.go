package count

import (
	"context"
	"fmt"

	"minicloud/shared/cache"
	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// Shard is a part of a stream, by the names the stream has for itself and for the part.
type Shard struct {
	Stream string
	Name   string
}

// Change is what one record of a stream changes: By records more of a kind, or fewer, or one that has become of the
// kind and Was of another. A record with neither is not counted.
type Change struct {
	Sequence   Sequence
	Collection Collection
	Kind       string
	ID         id.ID
	By         int
	Was        string
}

// add adds what is changed.
func (c Change) add(d Delta) {
	if c.Was != "" {
		d.Add(c.Collection, c.Was, c.ID, -1)
		d.Add(c.Collection, c.Kind, c.ID, 1)
	} else {
		d.Add(c.Collection, c.Kind, c.ID, c.By)
	}
}

// Store remembers counters and how far each shard is counted.
type Store interface {
	Reader
	// Checkpoint returns how far a shard is counted, "" for one that is not known.
	Checkpoint(ctx context.Context, s Shard) (Sequence, error)
	// Add adds to counters and moves the shard's checkpoint from one sequence number to another, all or nothing.
	// errs.Conflict when the checkpoint is not there any more: somebody else counted.
	Add(ctx context.Context, s Shard, from, to Sequence, d Delta) error
}

// MaxNodes is how many counters Add takes: a transaction holds 100 items, and one is the checkpoint.
const MaxNodes = 99

// maxLost is how often the checkpoint may turn out to be elsewhere within one batch.
const maxLost = 5

// Counter counts the records of streams, each exactly once however often it is delivered.
type Counter struct {
	Store Store

	at cache.Map[Shard, Sequence] // checkpoints this process has moved
}

// Count counts changes, which are in the order of their shard, and returns how many it got through before an error.
// A record at or before the checkpoint was counted: the stream delivers it again.
func (c *Counter) Count(ctx context.Context, s Shard, changes []Change) (done int, err error) {
	at, err := c.checkpoint(ctx, s)
	if err != nil {
		return 0, err
	}

	for lost := 0; done < len(changes); {
		n, last, delta := take(changes[done:], at)
		if delta == nil {
			done += n
			continue
		}

		err := c.Store.Add(ctx, s, at, last, delta)
		if errs.Is(err, errs.KindConflict) && lost < maxLost {
			// A batch under way twice: the other one was faster. What it counted is skipped now.
			lost++
			c.at.Delete(s)
			if at, err = c.checkpoint(ctx, s); err != nil {
				return done, err
			}
			continue
		}
		if err != nil {
			c.at.Delete(s)
			return done, fmt.Errorf("count %d records of %s: %w", n, s.Name, err)
		}

		done, at = done+n, last
		c.at.Put(s, at)
	}

	return done, nil
}

// take returns what the first n changes add, as many as one Add takes. last is where the checkpoint is then. d is nil
// when there is nothing to count among them; it is empty when the changes cancel out, which the checkpoint must tell:
// the stream may deliver a part of them again.
func take(changes []Change, at Sequence) (n int, last Sequence, d Delta) {
	last = at

	for _, change := range changes {
		if len(d)+2*Levels > MaxNodes {
			break
		}
		n++
		if !change.Sequence.After(last) {
			continue
		}
		last = change.Sequence
		if change.By != 0 || change.Was != "" {
			if d == nil {
				d = Delta{}
			}
			change.add(d)
		}
	}

	return n, last, d
}

func (c *Counter) checkpoint(ctx context.Context, s Shard) (Sequence, error) {
	at, err := c.at.Load(s, nil, func() (Sequence, error) { return c.Store.Checkpoint(ctx, s) })
	if err != nil {
		return "", fmt.Errorf("checkpoint of %s: %w", s.Name, err)
	}
	return at, nil
}
