// Package unkind makes the local cloud and the simulation as unkind as AWS: batches are done in part, writes conflict
// with transactions, eventually consistent reads are stale. Each kind is switched on alone:
//
//	UNKIND=all make run
//	UNKIND=partial-batches=300,stale-reads make run
//
// Both use the same code: the proxy of the database and the gate of the simulation send their calls through Database,
// queues and the bus ask Permille for each entry of a batch, the Lambda host and the event sources ask for Number.
// Switches counts how often each kind struck, so that none is lost silently. Decision 0120 lists the kinds with their
// sources.
package unkind

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Kind is a kind of unkindness.
type Kind string

// The kinds.
const (
	PartialBatches   Kind = "partial-batches"
	Conflicts        Kind = "conflicts"
	StaleReads       Kind = "stale-reads"
	StaleIndexes     Kind = "stale-indexes"
	HotPartitions    Kind = "hot-partitions"
	ShardSplits      Kind = "shard-splits"
	ExpiredIterators Kind = "expired-iterators"
	Freeze           Kind = "freeze"
	Environments     Kind = "tenant-environments"
	Scaling          Kind = "scaling"
	ProcessorShare   Kind = "processor-share"
	SlowDown         Kind = "slow-down"
	LateEvents       Kind = "late-events"
	DuplicateEvents  Kind = "duplicate-events"
	GatewayErrors    Kind = "gateway-errors"
	RecursiveLoops   Kind = "recursive-loops"
)

// kinds are all there are, with the meaning of their number and the number that "all" or no number stands for.
var kinds = []struct {
	kind   Kind
	number int
	about  string
}{
	{PartialBatches, 200, "of a thousand entries of batches that stay undone"},
	{Conflicts, 20, "milliseconds that a transaction lasts at most; other writes of its items conflict with it"},
	{StaleReads, 500, "milliseconds that eventually consistent reads lag at most"},
	{StaleIndexes, 1000, "milliseconds that global indexes lag at most"},
	{HotPartitions, 1000, "write units a second of one partition key, which has three times as many read units"},
	{ShardSplits, 50, "records after which a shard of a stream ends and its children begin"},
	{ExpiredIterators, 100, "of a thousand reads of a stream whose iterator has expired"},
	{Freeze, 1, "processes stand still between invocations"},
	{Environments, 2500, "environments of tenants for each 1,000 that a function may run at once"},
	{Scaling, 1000, "new environments of a function within 10 s"},
	{ProcessorShare, 1769, "MB of memory for which a process gets one whole processor"},
	{SlowDown, 50, "of a thousand requests to S3 that are answered with 503 SlowDown"},
	{LateEvents, 3000, "milliseconds that events of S3 are late at most"},
	{DuplicateEvents, 200, "of a thousand events of S3 that come twice"},
	// Off in "all", because tests and people read the reasons.
	{GatewayErrors, 0, "1: errors of the gateway itself have no CORS headers and no reason, as those of API Gateway"},
	// Off in "all", because it ends work that Lambda lets go on. Other loops are always stopped.
	{RecursiveLoops, 0, "rounds after which also a loop is stopped that its function allows; Lambda stops others after 16"},
}

// Usage describes all kinds, a line each.
func Usage() string {
	var b strings.Builder
	for _, k := range kinds {
		fmt.Fprintf(&b, "  %-24s %s (%d)\n", k.kind, k.about, k.number)
	}
	return b.String()
}

// Numbers are the kinds that are on, with their numbers.
type Numbers map[Kind]int

// Parse reads "all", or kinds separated by commas, each with or without "=number". A number of 0 switches a kind off.
func Parse(text string) (Numbers, error) {
	numbers := Numbers{}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, number, given := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		if given && (err != nil || n < 0) {
			return nil, fmt.Errorf("UNKIND: %q is no number of %s", number, name)
		}

		found := false
		for _, k := range kinds {
			if name != "all" && name != string(k.kind) {
				continue
			}
			found = true
			if numbers[k.kind] = k.number; given {
				numbers[k.kind] = n
			}
		}
		if !found {
			return nil, fmt.Errorf("UNKIND: there is no kind %q; there are all and:\n%s", name, Usage())
		}
	}
	return numbers, nil
}

// Switches say what is on, draw what happens, and count what happened. A nil *Switches is off.
type Switches struct {
	mu      sync.Mutex
	numbers Numbers
	random  *rand.Rand
	hits    map[Kind]int
	onHit   func(Kind)
}

// New returns switches that draw from random. onHit, which may be nil, hears of each hit.
func New(numbers Numbers, random *rand.Rand, onHit func(Kind)) *Switches {
	return &Switches{numbers: maps.Clone(numbers), random: random, hits: map[Kind]int{}, onHit: onHit}
}

// Set replaces what is on.
func (s *Switches) Set(numbers Numbers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers = maps.Clone(numbers)
}

// Number returns the number of a kind, 0 if it is off.
func (s *Switches) Number(k Kind) int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.numbers[k]
}

// On reports whether a kind is on.
func (s *Switches) On(k Kind) bool { return s.Number(k) > 0 }

// anyOn reports whether one of the kinds is on.
func (s *Switches) anyOn(kinds ...Kind) bool { return slices.ContainsFunc(kinds, s.On) }

// Below draws a number below the number of a kind, 0 if it is off.
func (s *Switches) Below(k Kind) int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.numbers[k] == 0 {
		return 0
	}
	return s.random.IntN(s.numbers[k])
}

// Strikes draws whether a kind whose number is of a thousand strikes, and counts it if it does.
func (s *Switches) Strikes(k Kind) bool {
	if !s.On(k) {
		return false
	}
	s.mu.Lock()
	strikes := s.random.IntN(1000) < s.numbers[k]
	s.mu.Unlock()
	if strikes {
		s.Hit(k)
	}
	return strikes
}

// Hit counts that a kind struck.
func (s *Switches) Hit(k Kind) {
	s.mu.Lock()
	s.hits[k]++
	s.mu.Unlock()
	if s.onHit != nil {
		s.onHit(k)
	}
}

// Hits returns how often each kind struck that is or was on. Those that never did are there with 0.
func (s *Switches) Hits() map[Kind]int {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(s.hits)
	for k, n := range s.numbers {
		if n > 0 {
			all[k] += 0
		}
	}
	return all
}

// All returns every kind, in the order of the list.
func All() []Kind {
	all := make([]Kind, len(kinds))
	for i, k := range kinds {
		all[i] = k.kind
	}
	return all
}

// String lists what is on, as Parse reads it.
func (n Numbers) String() string {
	var parts []string
	for _, k := range All() {
		if n[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", k, n[k]))
		}
	}
	return strings.Join(parts, ",")
}

// Undone draws which entries of a batch stay undone, at most so many.
func Undone[E any](s *Switches, entries []E, most int, name func(E) string) map[int]bool {
	undone := map[int]bool{}
	if !s.On(PartialBatches) {
		return undone
	}
	places := make([]int, len(entries))
	for i := range places {
		places[i] = i
	}
	// The draw for an entry must not depend on the order in which a client iterated over a map: seeds would not repeat.
	slices.SortStableFunc(places, func(a, b int) int { return strings.Compare(name(entries[a]), name(entries[b])) })
	for _, i := range places {
		if len(undone) < most && s.Strikes(PartialBatches) {
			undone[i] = true
		}
	}
	return undone
}
