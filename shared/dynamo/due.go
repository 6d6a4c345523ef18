package dynamo

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/tenant"
)

// DueList is a list of items sorted by time and read from the start. Its items are spread over shards, because a
// partition key takes about 1,000 write units a second, which all applications would share.
//
//	pk = <name> (shard 0), <name>#1, <name>#2 …
//	sk = <time>#<scope>#<number>#<number> … #<text>    time: Unix seconds in 10 digits, or milliseconds in 13
//
// The number of shards is the attribute n of the item <name>, !shards. Operators can raise it at any time, without moving
// items, because a reader of an item knows its shard. They must not lower it: ticks read only the shards below it.
type DueList struct {
	Client *Client
	Table  string
	Name   string
	// Numbers is the number of numbers in each key.
	Numbers int
	// Shards is kept by the process.
	Shards *Shards
}

// DueKey is a parsed sort key of a due list.
type DueKey struct {
	At      time.Time
	Scope   tenant.Scope
	Numbers []int64
	Text    string // the rest after the numbers, "" if there is none
	Shard   int
}

// DefaultShards is the number of shards of a list for which none is set.
const DefaultShards = 4

// MaxShards is the maximum number of shards of a list: each tick queries all of them.
const MaxShards = 100

const shardsSK = "!shards" // before every time, so that the query of shard 0 reads it

// Shards is the number of shards of a due list as a process knows it. The zero value is ready to use. It is read again
// after a number of uses and not after a time, because a process that writes little may go on with an old number: its
// items are in shards that are read.
type Shards struct {
	mu   sync.Mutex
	n    int
	uses int
}

// shardUses is how many new items a process puts into a list before it reads the number of shards again.
const shardUses = 100

// use returns the number of shards for a new item, 0 if it must be read.
func (s *Shards) use() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n = s.n; s.uses%shardUses == 0 {
		n = 0
	}
	s.uses++
	return n
}

func (s *Shards) set(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n = n
}

// Shard returns the shard for a new item. It makes one GetItem per 100 items. No lock is held meanwhile, so that new
// items do not wait for a slow call of another; the first ones of a process may all read.
func (l DueList) Shard(ctx context.Context, sk string) (int, error) {
	n := l.Shards.use()
	if n == 0 {
		var err error
		if n, err = l.ReadShards(ctx); err != nil {
			return 0, err
		}
		l.Shards.set(n)
	}
	return int(crc32.ChecksumIEEE([]byte(sk)) % uint32(n)), nil
}

// ReadShards returns the number of shards as it is now. It makes one GetItem.
func (l DueList) ReadShards(ctx context.Context) (int, error) {
	it, err := GetItem(ctx, l.Client, l.Table, l.Name, shardsSK)
	if err != nil {
		return 0, fmt.Errorf("shards of %s: %w", l.Name, err)
	}
	return shardsOf(it), nil
}

// shardsOf decodes the number of shards; a missing item is the default.
func shardsOf(it Item) int {
	if len(it) == 0 {
		return DefaultShards
	}
	return min(max(int(IntegerOf(it["n"])), 1), MaxShards)
}

// Partition returns the partition key of a shard.
func (l DueList) Partition(shard int) string {
	if shard == 0 {
		return l.Name // the only one before there were shards
	}
	return l.Name + "#" + strconv.Itoa(shard)
}

// Key returns the key of a new item, whose other attributes the caller adds.
func (l DueList) Key(ctx context.Context, sk string) (Item, error) {
	shard, err := l.Shard(ctx, sk)
	if err != nil {
		return nil, err
	}
	return Key(l.Partition(shard), sk), nil
}

// millisDigits is the number of digits of a time in milliseconds; times in seconds have 10.
const millisDigits = 13

// DueSeconds formats the time of a due list in seconds. As the end of a range it excludes that second.
func DueSeconds(t time.Time) string { return fmt.Sprintf("%010d", t.Unix()) }

// DueMillis formats the time of a due list in milliseconds. As the end of a range it excludes that millisecond.
func DueMillis(t time.Time) string { return fmt.Sprintf("%013d", t.UnixMilli()) }

// ReadDue reads the items whose time is before end, earliest first, at most limit of each shard: fewer than limit are
// all there are. It makes one Query per shard.
func ReadDue[T any](
	ctx context.Context, list DueList, end string, limit int, read func(DueKey, Item) (T, error),
) ([]T, error) {
	// Shard 0 begins with the number of shards.
	first, err := list.query(ctx, 0, end, limit+1)
	if err != nil {
		return nil, err
	}
	var stored Item
	if len(first) > 0 && TextOf(first[0]["sk"]) == shardsSK {
		stored, first = first[0], first[1:]
	}

	found := make([][]Item, shardsOf(stored))
	found[0] = first
	group, within := errgroup.WithContext(ctx)
	for shard := 1; shard < len(found); shard++ {
		group.Go(func() (err error) {
			found[shard], err = list.query(within, shard, end, limit)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}

	type due struct {
		sk    string
		shard int
		it    Item
	}
	var sorted []due
	for shard, items := range found {
		for _, it := range items {
			sorted = append(sorted, due{TextOf(it["sk"]), shard, it})
		}
	}
	slices.SortFunc(sorted, func(a, b due) int { return strings.Compare(a.sk, b.sk) })

	all := make([]T, len(sorted))
	for i, d := range sorted {
		key, err := ParseDue(d.sk, list.Numbers)
		if err != nil {
			return nil, err
		}
		key.Shard = d.shard
		if all[i], err = read(key, d.it); err != nil {
			return nil, fmt.Errorf("due item %q: %w", d.sk, err)
		}
	}
	return all, nil
}

func (l DueList) query(ctx context.Context, shard int, end string, limit int) ([]Item, error) {
	out, err := l.Client.Query(ctx, Query(l.Table, l.Partition(shard), "", end, false, limit))
	if err != nil {
		return nil, Wrap("read what is due", err)
	}
	return out.Items, nil
}

// ParseDue parses a sort key with the given number of numbers after its scope.
func ParseDue(sk string, numbers int) (key DueKey, err error) {
	wrong := fmt.Errorf("%q is no key of a due list", sk)
	// The text at the end may contain "#", so it is not split.
	parts := strings.SplitN(sk, "#", numbers+3)
	if len(parts) < numbers+2 {
		return key, wrong
	}

	at, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return key, wrong
	}
	// Some lists use seconds and some milliseconds: the number of digits tells which.
	if key.At = time.Unix(at, 0).UTC(); len(parts[0]) == millisDigits {
		key.At = time.UnixMilli(at).UTC()
	}
	if key.Scope, err = tenant.Parse(parts[1]); err != nil {
		return key, wrong
	}
	for _, text := range parts[2 : numbers+2] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return key, wrong
		}
		key.Numbers = append(key.Numbers, n)
	}
	key.Text = strings.Join(parts[numbers+2:], "#")
	return key, nil
}

// TimeKey returns a sort key that sorts by time in milliseconds, then by id.
func TimeKey(at time.Time, id string) string { return DueMillis(at) + "#" + id }

// ParseTimeKey parses a key that TimeKey returned.
func ParseTimeKey(sk string) (at time.Time, id string, err error) {
	ms, id, ok := strings.Cut(sk, "#")
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil || !ok {
		return at, "", fmt.Errorf("%q is no key with a time", sk)
	}
	return FromMillis(n), id, nil
}

// ScopeOf parses the scope at the start of a partition key.
func ScopeOf(pk string) (tenant.Scope, error) {
	scope, _, _ := strings.Cut(pk, "#")
	return tenant.Parse(scope)
}
