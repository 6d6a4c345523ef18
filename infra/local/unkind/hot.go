package unkind

import (
	"maps"
	"time"
)

// bucket is what a partition key may still use.
type bucket struct {
	write, read float64 // units
	at          time.Time
}

// readsPerWrite is how many more read units than write units a partition gives: 3,000 and 1,000 a second.
const readsPerWrite = 3

// mostBuckets is how many partition keys are remembered before some are forgotten.
const mostBuckets = 10_000

// hot reports whether the partition of an item has used up its second. The caller holds the lock. There is no burst:
// DynamoDB promises none.
func (d *Database) hot(p part, writes bool) bool {
	limit := float64(d.Number(HotPartitions))
	if limit == 0 || p.PK == "" {
		return false
	}

	b := d.used[partition{p.Table, p.PK}]
	if b == nil {
		d.forget()
		b = &bucket{write: limit, read: readsPerWrite * limit, at: time.Now()}
		d.used[partition{p.Table, p.PK}] = b
	}
	passed := time.Since(b.at).Seconds()
	b.at = time.Now()
	b.write, b.read = min(limit, b.write+passed*limit), min(readsPerWrite*limit, b.read+passed*readsPerWrite*limit)

	// Units are spent when a call is done, so that one larger than what is left is done, and the next one waits.
	if writes {
		return b.write <= 0
	}
	return b.read <= 0
}

// forget drops the buckets that have been full for a while, once there are many.
func (d *Database) forget() {
	if len(d.used) >= mostBuckets {
		maps.DeleteFunc(d.used, func(_ partition, b *bucket) bool { return time.Since(b.at) > time.Minute })
	}
}

// spend takes the units of a call that was done from its partitions. Those of a read follow from the size of its
// answer: 4 KB are a unit, and half of one if the read is eventually consistent.
func (d *Database) spend(c *call, answer []byte) {
	if !d.On(HotPartitions) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range c.parts {
		b := d.used[partition{p.Table, p.PK}]
		switch {
		case b == nil:
		case c.writes:
			b.write -= float64(p.units)
		case p.consistent:
			b.read -= float64(1 + len(answer)/len(c.parts)/4096)
		default:
			b.read -= float64(1+len(answer)/len(c.parts)/4096) / 2
		}
	}
}
