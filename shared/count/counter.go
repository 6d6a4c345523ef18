package count

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

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

// touches yields the counters that the change adds to: the child of each, and the number of records.
func (c Change) touches(yield func(key Key, child, by int)) {
	add := func(kind string, by int) {
		for level := range Levels {
			node, child := NodeOf(c.ID, level)
			yield(Key{c.Collection, node, kind}, child, by)
		}
	}
	switch {
	case c.Was == "" && c.By != 0:
		add(c.Kind, c.By)
	case c.Was != "" && c.Was != c.Kind:
		add(c.Was, -1)
		add(c.Kind, 1)
	}
}

// Store stores the counters.
type Store interface {
	Reader
	// Add adds to the children of one counter, and moves its checkpoint of the shard from one sequence number to another;
	// "" means that it has none. If its checkpoint is another than from, Add adds nothing and returns that checkpoint with
	// errs.Conflict.
	Add(ctx context.Context, key Key, s Shard, from, to Sequence, children map[int]int) (at Sequence, err error)
}

// MaxChildren is the maximum number of children per Add: an update expression of DynamoDB has at most 4 KB.
const MaxChildren = 100

const (
	// parallel is how many counters are written at the same time.
	parallel = 8
	// maxLost is how many times in a row the checkpoint of one counter may differ from the expected one.
	maxLost = 5
)

// Counter counts the records of streams. It counts each record exactly once, although streams deliver at least once:
// each node skips the records up to its own checkpoint. After a failure some nodes have counted a record and others
// have not, until it is redelivered.
type Counter struct {
	Store Store

	at cache.Map[mark, Sequence] // checkpoints that this process has read or moved
}

// mark identifies a checkpoint.
type mark struct {
	Key
	Shard
}

// touch is what one change adds to one counter.
type touch struct {
	place     int // the index of the change
	sequence  Sequence
	child, by int
}

// Count counts changes, which must be in the order of their shard, and returns how many of them it has processed before
// an error.
func (c *Counter) Count(ctx context.Context, s Shard, changes []Change) (done int, err error) {
	touches, keys := map[Key][]touch{}, []Key(nil)
	for i, change := range changes {
		change.touches(func(key Key, child, by int) {
			if touches[key] == nil {
				keys = append(keys, key)
			}
			touches[key] = append(touches[key], touch{i, change.Sequence, child, by})
		})
	}

	var group errgroup.Group
	group.SetLimit(parallel)
	var mu sync.Mutex
	done = len(changes)
	for _, key := range keys {
		group.Go(func() error {
			counted, err := c.add(ctx, mark{key, s}, touches[key])
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				done = min(done, touches[key][counted].place)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return done, fmt.Errorf("count %d records of %s: %w", len(changes), s.Name, err)
	}
	return done, nil
}

// add adds touches to one counter, and returns how many of them it has counted before an error.
func (c *Counter) add(ctx context.Context, m mark, touches []touch) (counted int, err error) {
	at, _ := c.at.Get(m)
	for lost := 0; counted < len(touches); {
		n, to, children := take(touches[counted:], at)
		if to == at {
			counted += n
			continue
		}

		stored, err := c.Store.Add(ctx, m.Key, m.Shard, at, to, children)
		switch {
		case err == nil:
			at, counted, lost = to, counted+n, 0
		case errs.Is(err, errs.KindConflict) && lost < maxLost:
			// This process has just begun, or another one counts the same batch. Skip what the counter has.
			at = stored
			lost++
		default:
			c.at.Delete(m)
			return counted, err
		}
		c.at.Put(m, at)
	}
	return counted, nil
}

// take adds up the first n touches, as many as fit one Add, without those up to the checkpoint at. to is the checkpoint
// after them, equal to at if all are counted already. Additions of zero still move the checkpoint, because the stream
// may deliver a part of the touches again.
func take(touches []touch, at Sequence) (n int, to Sequence, children map[int]int) {
	to, children = at, map[int]int{}
	for _, t := range touches {
		if _, known := children[t.child]; !known && len(children) == MaxChildren {
			break
		}
		n++
		// A change of kind touches a node once for each kind, so a node meets each sequence number once.
		if t.sequence.After(to) {
			to = t.sequence
			children[t.child] += t.by
		}
	}
	return n, to, children
}
