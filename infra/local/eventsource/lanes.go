package eventsource

import (
	"context"
	"hash/fnv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/infra/local/unkind"
	"minicloud/shared/clock"
)

// lanes process a stream in parallel, with as many lanes as the ParallelizationFactor. As on AWS, a hash of the
// partition key selects the lane, so records of one key stay in order.
type lanes struct {
	*StreamPoller
	mu      sync.Mutex
	inHand  []*laneRecord   // all records read but not yet checkpointed, in stream order
	waiting [][]*laneRecord // queued records by lane
	news    []chan struct{} // by lane: signals a queued record
	each    int             // lanes of a shard
}

type laneRecord struct {
	record
	done bool
}

const (
	// maxInHand is the maximum number of records read ahead of the checkpoint.
	maxInHand = 10_000
	// lookAgain is the pause between reads of a stream while records of it are being processed.
	lookAgain = 5 * time.Millisecond
)

// runLanes is Run from a given position.
func (p *StreamPoller) runLanes(ctx context.Context, iterator string) error {
	n := max(p.Mapping.Parallel, 1)
	// The batches of a tumbling window must run one after another: each gets the state of the one before.
	if p.Mapping.Tumbling > 0 {
		n = 1
	}
	p.shards = []*shard{{}}
	all := n
	if p.Unkind != nil { // shards may split later, where they do not now
		all *= mostShards
	}
	l := &lanes{StreamPoller: p, waiting: make([][]*laneRecord, all), news: make([]chan struct{}, all), each: n}
	p.lanes = l
	group, ctx := errgroup.WithContext(ctx)
	for i := range all {
		l.news[i] = make(chan struct{}, 1)
		group.Go(func() error { return l.work(ctx, i) })
	}
	group.Go(func() error {
		for read := 0; ; {
			records, next, err := p.gather(ctx, iterator)
			if err != nil {
				return err
			}
			iterator = next
			if most := p.Unkind.Number(unkind.ShardSplits); most > 0 && read >= most {
				read = 0
				if err := l.split(ctx); err != nil {
					return err
				}
			}
			read += len(records)
			if err := l.put(ctx, records); err != nil {
				return err
			}
		}
	})
	return group.Wait()
}

// put queues records in their lanes, and blocks while maxInHand or more records are unprocessed.
func (l *lanes) put(ctx context.Context, records []record) error {
	var unwanted []record
	l.mu.Lock()
	for _, r := range records {
		held := &laneRecord{record: r}
		l.inHand = append(l.inHand, held)
		if !l.wants(r) {
			unwanted = append(unwanted, r)
			continue
		}
		lane := l.laneOf(r.key())
		l.waiting[lane] = append(l.waiting[lane], held)
		// A pending signal also covers this record, so the send never blocks while the lock is held.
		select {
		case l.news[lane] <- struct{}{}:
		default:
		}
	}
	l.held.Store(int64(len(l.inHand)))
	l.mu.Unlock()

	// Filtered records must not hold back the checkpoint.
	if err := l.pass(unwanted); err != nil {
		return err
	}
	for l.held.Load() > 0 {
		if err := clock.Sleep(ctx, lookAgain); err != nil {
			return err
		}
		if l.held.Load() < maxInHand {
			break
		}
	}
	return nil
}

// laneOf returns the lane of a key: one of those of its shard. After each split the keys get to other lanes.
func (l *lanes) laneOf(key string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	shard := (int(h.Sum32()>>16) + l.generation) % len(l.shards)
	return shard*l.each + int(h.Sum32()%uint32(l.each))
}

// work processes the records of a lane in batches.
func (l *lanes) work(ctx context.Context, lane int) error {
	for {
		l.mu.Lock()
		n := min(l.Mapping.Size, len(l.waiting[lane]))
		var batch []record
		for _, held := range l.waiting[lane][:n] {
			batch = append(batch, held.record)
		}
		l.waiting[lane] = l.waiting[lane][n:]
		l.mu.Unlock()

		if n == 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-l.news[lane]:
			}
			continue
		}
		// Release the lock first: other lanes continue while this one waits for its function.
		if err := l.process(ctx, l.shards[lane/l.each], batch, 0); err != nil {
			return err
		}
		if err := l.pass(batch); err != nil {
			return err
		}
	}
}

// pass marks records as done and advances the checkpoint to the last record before the first unfinished one.
func (l *lanes) pass(records []record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	done := make(map[string]bool, len(records))
	for _, r := range records {
		done[r.sequence] = true
	}
	for _, held := range l.inHand {
		held.done = held.done || done[held.sequence]
	}

	// Lanes finish out of order. A checkpoint beyond an unfinished record would lose that record in a crash.
	passed := 0
	for passed < len(l.inHand) && l.inHand[passed].done {
		passed++
	}
	if passed == 0 {
		return nil
	}
	last := l.inHand[passed-1].sequence
	l.inHand = l.inHand[passed:]
	defer l.held.Store(int64(len(l.inHand)))
	return l.Checkpoints.set(l.key(), last)
}
