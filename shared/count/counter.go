package count

import (
	"context"
	"fmt"

	"minicloud/shared/cache"
	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// Shard identifies a shard of a stream by the stream's name and the shard's name.
type Shard struct {
	Stream string
	Name   string
}

// Change is the effect of one stream record on the counters. It either adds By records to Kind (By may be negative),
// or, if Was is set, moves one record from kind Was to Kind. A change with By 0 and an empty Was is not counted.
type Change struct {
	Sequence   Sequence
	Collection Collection
	Kind       string
	ID         id.ID
	By         int
	Was        string
}

// add adds the change to d.
func (c Change) add(d Delta) {
	if c.Was != "" {
		d.Add(c.Collection, c.Was, c.ID, -1)
		d.Add(c.Collection, c.Kind, c.ID, 1)
	} else {
		d.Add(c.Collection, c.Kind, c.ID, c.By)
	}
}

// Store stores the counters and the checkpoint of each shard.
type Store interface {
	Reader
	// Checkpoint returns the checkpoint of a shard, "" if none is stored.
	Checkpoint(ctx context.Context, s Shard) (Sequence, error)
	// Add adds to counters and moves the shard's checkpoint from one sequence number to another, in one transaction. It
	// returns errs.Conflict if the stored checkpoint is not from: another counter was faster.
	Add(ctx context.Context, s Shard, from, to Sequence, d Delta) error
}

// MaxNodes is the maximum number of counters per Add: a transaction holds 100 items, and one of them is the checkpoint.
const MaxNodes = 99

// maxLost is how many times one batch may find that another counter moved the checkpoint.
const maxLost = 5

// Counter counts the records of streams. It counts each record exactly once, although streams deliver at least once.
type Counter struct {
	Store Store

	at cache.Map[Shard, Sequence] // checkpoints that this process has read or moved
}

// Count counts changes, which must be in the order of their shard, and returns how many of them it has processed before
// an error. It skips records at or before the checkpoint: the stream has delivered them again.
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
			// Another counter processes the same batch and was faster. Read the checkpoint again and skip what it has
			// counted.
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

// take adds up the first n changes, as many as fit one Add. last is the checkpoint after them. d is nil if none of them
// is to be counted. It is empty but not nil if the changes cancel out: the checkpoint must still move, because the
// stream may deliver a part of them again.
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
