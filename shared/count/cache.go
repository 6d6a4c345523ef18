package count

import (
	"context"
	"maps"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clock"
)

const (
	// cacheTime is little beside what counters are behind in any case.
	cacheTime = 500 * time.Millisecond
	// maxCached is how many collections are kept.
	maxCached = 100
)

// Cache is a Reader that keeps what it has read for half a second: a deep page of a
// collection that was looked at just before costs no read of counters.
type Cache struct {
	Reader Reader
	Clock  clock.Clock

	known cache.Map[Collection, *cached]
}

// cached are the nodes of a collection that were read since a moment.
type cached struct {
	since time.Time
	top   []Node
	nodes map[NodeID][]Node
}

// Top implements Reader.
func (c *Cache) Top(ctx context.Context, of Collection) ([]Node, error) {
	if k := c.at(of); k != nil && k.top != nil {
		return k.top, nil
	}

	begun := c.Clock.Now()
	top, err := c.Reader.Top(ctx, of)
	if len(top) > 0 {
		c.keep(of, begun, func(k *cached) { k.top = top })
	}
	return top, err
}

// Node implements Reader.
func (c *Cache) Node(ctx context.Context, of Collection, at NodeID) ([]Node, error) {
	if k := c.at(of); k != nil && k.nodes[at] != nil {
		return k.nodes[at], nil
	}

	begun := c.Clock.Now()
	nodes, err := c.Reader.Node(ctx, of, at)
	if len(nodes) > 0 {
		c.keep(of, begun, func(k *cached) { k.nodes[at] = nodes })
	}
	return nodes, err
}

// Forget drops what is kept of a collection.
func (c *Cache) Forget(of Collection) {
	c.known.Delete(of)
}

// at returns the cached nodes of a collection, which do not change; nil when there are none.
func (c *Cache) at(of Collection) *cached {
	k, _ := c.known.Get(of)
	if k == nil || c.Clock.Now().Sub(k.since) >= cacheTime {
		return nil
	}

	return k
}

// keep adds to a copy of the cached nodes, since other requests may be reading them.
func (c *Cache) keep(of Collection, begun time.Time, add func(*cached)) {
	c.known.Limit(maxCached).Update(of, func(k *cached) *cached {
		next := &cached{since: begun, nodes: map[NodeID][]Node{}}
		if k != nil && begun.Sub(k.since) < cacheTime {
			next.since, next.top = k.since, k.top
			maps.Copy(next.nodes, k.nodes)
		}
		add(next)
		return next
	})
}
