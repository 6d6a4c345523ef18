package sim

import (
	"slices"

	"minicloud/infra/local/unkind"
)

// unkindness are the numbers of package unkind that are drawn for a game. A partition gives so few units, and a shard
// ends so soon, because a game is small.
var unkindness = []struct {
	kind        unkind.Kind
	least, most int
}{
	{unkind.PartialBatches, 50, 400}, {unkind.Conflicts, 20, 400}, {unkind.StaleReads, 500, 5000},
	{unkind.HotPartitions, 15, 60}, {unkind.Freeze, 1, 1},
	{unkind.SlowDown, 10, 100}, {unkind.LateEvents, 100, 60_000}, {unkind.DuplicateEvents, 100, 500},
	{unkind.ShardSplits, 5, 20}, {unkind.ExpiredIterators, 50, 300},
}

// BeUnkind draws what AWS does to a game beside faults: each kind is on with one chance in two, or all are.
func (w *World) BeUnkind(all bool) {
	random, numbers := w.Random("unkindness"), unkind.Numbers{}
	for _, u := range unkindness {
		n, on := u.least+random.IntN(u.most-u.least+1), random.IntN(2) == 0
		if on || all {
			numbers[u.kind] = n
		}
	}
	w.Unkind.Set(numbers)
}

// Struck returns a game's faults with those kinds of unkindness that never struck, as 0.
func Struck(faults map[string]int) map[string]int {
	for _, u := range unkindness {
		faults[string(u.kind)] += 0
	}
	return faults
}

// unseen are kinds that need not strike: nothing that is played reads what may be stale, and only uploads meet S3. That
// these kinds work is shown by the planted bugs.
var unseen = []unkind.Kind{unkind.StaleReads, unkind.SlowDown, unkind.LateEvents, unkind.DuplicateEvents}

// NeverStruck returns the kinds that never did in many games, though they should.
func NeverStruck(faults map[string]int) (kinds []unkind.Kind) {
	for _, u := range unkindness {
		if faults[string(u.kind)] == 0 && !slices.Contains(unseen, u.kind) {
			kinds = append(kinds, u.kind)
		}
	}
	return kinds
}
