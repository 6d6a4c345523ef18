// Package books compares counters with the records that they count, and corrects them. The error of a counter is its
// drift.
package books

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/id"
)

// Base reads the records that the counters count.
type Base interface {
	// Has reports whether a collection belongs to this Base, judged by its name.
	Has(c count.Collection) bool
	// Collections calls yield for every collection that has records, and maybe for others, which Has refuses.
	Collections(ctx context.Context, yield func(count.Collection) error) error
	// Records calls yield for each record of a collection with a number in [from, to).
	Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(n id.ID, kind string)) error
}

// Books reads and corrects counters.
type Books interface {
	count.Reader
	// Collections calls yield for every collection that has counters.
	Collections(ctx context.Context, yield func(count.Collection) error) error
	// Level returns all nodes of a level, of every kind.
	Level(ctx context.Context, c count.Collection, level int) ([]count.Node, error)
	// Under returns the nodes one level deeper that lie below a node, of every kind.
	Under(ctx context.Context, c count.Collection, node count.NodeID) ([]count.Node, error)
	// Correct adds to the children of a counter. Additions keep what is counted concurrently.
	Correct(ctx context.Context, key count.Key, children map[int]int) error
}

// Recount compares counters with the records: those of the lowest level with the records themselves, the others with the
// counters below them. A counter is wrong if a child that does not change differs by the same twice, Pause apart; a
// single difference can be the normal delay of counters or a concurrent write. So a recount runs while records change.
type Recount struct {
	Base  Base
	Books Books
	// Pause must be longer than the delay of counters.
	Pause time.Duration
	// Looks is the maximum number of repeated reads of a counter that keeps changing.
	Looks int
	// Repair corrects wrong counters; without it they are only reported.
	Repair bool
}

// Drift is a wrong counter, with the number of records it misses per child.
type Drift struct {
	count.Key
	Children map[int]int
}

// Sum returns the number of records that the counter misses; it is negative if the counter is too high.
func (d Drift) Sum() (sum int) {
	for _, n := range d.Children {
		sum += n
	}
	return sum
}

// Report is the result of a recount.
type Report struct {
	Collections int
	Records     int
	Drifts      []Drift
	// Total is the error of each collection's total: positive if the total is too low.
	Total map[count.Collection]int
	// Restless lists the counters whose records changed at every read, so it is unknown whether they are correct.
	Restless []count.Key
}

// numbers is the end of the range of all numbers.
const numbers = id.ID(1) << 53

// lowest is the level whose counters are compared with records.
const lowest = count.Levels - 1

// Run compares the counters of all collections with their records, from the lowest level upwards.
func (r *Recount) Run(ctx context.Context) (Report, error) {
	run := recount{Recount: r, suspects: map[count.Key]look{}, missed: map[count.Key]map[int]int{}}
	run.report.Total = map[count.Collection]int{}

	known := map[count.Collection]bool{}
	for _, list := range []func(context.Context, func(count.Collection) error) error{r.Base.Collections, r.Books.Collections} {
		err := list(ctx, func(c count.Collection) error {
			if r.Base.Has(c) {
				known[c] = true
			}
			return nil
		})
		if err != nil {
			return run.report, err
		}
	}
	run.report.Collections = len(known)

	for level := lowest; level >= 0; level-- {
		for _, c := range slices.Sorted(maps.Keys(known)) {
			if err := run.compare(ctx, c, level); err != nil {
				return run.report, err
			}
		}
		if err := run.settle(ctx); err != nil {
			return run.report, err
		}
	}
	return run.report, nil
}

// recount is the state of one Run.
type recount struct {
	*Recount
	report   Report
	suspects map[count.Key]look        // counters of one level that differ from what is below them
	missed   map[count.Key]map[int]int // what counters miss because those below them are wrong and stay so
}

// look is one reading of a counter: the records below it, and the counted values, by child.
type look struct{ records, counted map[int]int }

// same reports whether two readings agree on these children.
func (l look) same(other look, children map[int]int) bool {
	for child := range children {
		if l.records[child] != other.records[child] || l.counted[child] != other.counted[child] {
			return false
		}
	}
	return true
}

// compare adds the counters of one level that differ from what is below them to suspects.
func (r *recount) compare(ctx context.Context, c count.Collection, level int) error {
	want, err := r.below(ctx, c, level)
	if err != nil {
		return err
	}
	nodes, err := r.Books.Level(ctx, c, level)
	if err != nil {
		return fmt.Errorf("counters of %s: %w", c, err)
	}

	for _, node := range nodes {
		key := count.Key{Collection: c, Node: node.NodeID, Kind: node.Kind}
		if len(difference(want[key], node)) > 0 {
			r.suspects[key] = look{}
		}
		delete(want, key)
	}
	for key := range want { // records without a counter
		r.suspects[key] = look{}
	}
	return nil
}

// below returns what the counters of a level should have, by child.
func (r *recount) below(ctx context.Context, c count.Collection, level int) (map[count.Key]map[int]int, error) {
	want := map[count.Key]map[int]int{}
	if level == lowest {
		err := r.Base.Records(ctx, c, 0, numbers, func(n id.ID, kind string) {
			node, child := count.NodeOf(n, level)
			add(want, count.Key{Collection: c, Node: node, Kind: kind}, child, 1)
			r.report.Records++
		})
		if err != nil {
			return nil, fmt.Errorf("records of %s: %w", c, err)
		}
		return want, nil
	}

	nodes, err := r.Books.Level(ctx, c, level+1)
	if err != nil {
		return nil, fmt.Errorf("counters of %s: %w", c, err)
	}
	for _, node := range nodes {
		above, child := count.NodeOf(node.First(0), level)
		add(want, count.Key{Collection: c, Node: above, Kind: node.Kind}, child, node.Sum)
	}
	for key, children := range r.missed {
		for child, n := range children {
			if key.Collection == c && key.Node.Level == level {
				add(want, key, child, n)
			}
		}
	}
	return want, nil
}

// add adds n to one child.
func add(counts map[count.Key]map[int]int, key count.Key, child, n int) {
	if counts[key] == nil {
		counts[key] = map[int]int{}
	}
	counts[key][child] += n
}

// difference returns the number of records that the node misses per child.
func difference(records map[int]int, node count.Node) map[int]int {
	missing := maps.Clone(records)
	if missing == nil {
		missing = map[int]int{}
	}
	for child, n := range node.Children {
		missing[child] -= n
	}
	maps.DeleteFunc(missing, func(_, n int) bool { return n == 0 })
	return missing
}

// settle reads each suspect again until it is correct, or wrong by the same twice.
func (r *recount) settle(ctx context.Context) error {
	for looks := 0; len(r.suspects) > 0; looks++ {
		if looks > 0 {
			if err := clock.Sleep(ctx, r.Pause); err != nil {
				return err
			}
		}
		for key, before := range r.suspects {
			if err := r.lookAt(ctx, key, before, looks > 0); err != nil {
				return fmt.Errorf("counters of %s: %w", key.Collection, err)
			}
		}

		if looks == r.Looks {
			r.report.Restless = append(r.report.Restless, slices.Collect(maps.Keys(r.suspects))...)
			clear(r.suspects)
		}
	}

	return nil
}

// lookAt compares one counter with what is below it.
func (r *recount) lookAt(ctx context.Context, key count.Key, before look, again bool) error {
	records, err := r.belowOne(ctx, key)
	if err != nil {
		return err
	}
	nodes, err := r.Books.Node(ctx, key.Collection, key.Node)
	if err != nil {
		return err
	}
	node := count.Node{}
	if i := slices.IndexFunc(nodes, func(n count.Node) bool { return n.Kind == key.Kind }); i >= 0 {
		node = nodes[i]
	}

	now, missing := look{records, node.Children}, difference(records, node)
	switch {
	case len(missing) == 0:
		delete(r.suspects, key)
	case again && now.same(before, missing):
		delete(r.suspects, key)
		return r.correct(ctx, Drift{key, missing})
	default:
		r.suspects[key] = now
	}
	return nil
}

// belowOne returns what one counter should have, by child.
func (r *recount) belowOne(ctx context.Context, key count.Key) (map[int]int, error) {
	want := map[int]int{}
	if key.Node.Level == lowest {
		end := min(count.NodeID{Level: lowest, Prefix: key.Node.Prefix + 1}.First(0), numbers)
		return want, r.Base.Records(ctx, key.Collection, key.Node.First(0), end, func(n id.ID, kind string) {
			if _, child := count.NodeOf(n, lowest); kind == key.Kind {
				want[child]++
			}
		})
	}

	nodes, err := r.Books.Under(ctx, key.Collection, key.Node)
	for _, node := range nodes {
		if _, child := count.NodeOf(node.First(0), key.Node.Level); node.Kind == key.Kind {
			want[child] += node.Sum
		}
	}
	for child, n := range r.missed[key] {
		want[child] += n
	}
	return want, err
}

// correct reports a drift, and with Repair corrects the counter.
func (r *recount) correct(ctx context.Context, d Drift) error {
	r.report.Drifts = append(r.report.Drifts, d)
	if d.Node == count.Root {
		r.report.Total[d.Collection] += d.Sum()
	}
	if r.Repair {
		return r.Books.Correct(ctx, d.Key, d.Children)
	}
	if d.Node != count.Root {
		above, child := count.NodeOf(d.Node.First(0), d.Node.Level-1)
		add(r.missed, count.Key{Collection: d.Collection, Node: above, Kind: d.Kind}, child, d.Sum())
	}
	return nil
}
