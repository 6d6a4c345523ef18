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
	// Collections calls yield for every collection that has records.
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
	// Correct adds to the counters of numbers at every level. Additions keep what is counted concurrently.
	Correct(ctx context.Context, c count.Collection, kind string, by map[id.ID]int) error
}

// Recount compares counters with the records. A counter of the lowest level is wrong if it differs from unchanged
// records by the same amount twice, Pause apart; a single difference can be the normal delay of counters or a
// concurrent write. So a recount runs while records change: it reads a changing range again. It does not check the
// levels above, because one transaction changes a number's counters at every level.
type Recount struct {
	Base  Base
	Books Books
	// Pause must be longer than the delay of counters.
	Pause time.Duration
	// Looks is the maximum number of repeated reads of a range that keeps changing.
	Looks int
	// Repair corrects wrong counters; without it they are only reported.
	Repair bool
}

// Drift is a wrong counter of the lowest level, with the number of records it misses per child.
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

// Run compares the counters of all collections with their records.
func (r *Recount) Run(ctx context.Context) (Report, error) {
	run := recount{Recount: r, suspects: map[count.Key]look{}, known: map[count.Collection]bool{}}
	run.report.Total = map[count.Collection]int{}

	for _, list := range []func(context.Context, func(count.Collection) error) error{r.Base.Collections, r.Books.Collections} {
		err := list(ctx, func(c count.Collection) error {
			if run.known[c] || !r.Base.Has(c) {
				return nil
			}
			run.known[c] = true
			return run.compare(ctx, c)
		})
		if err != nil {
			return run.report, err
		}
	}
	run.report.Collections = len(run.known)

	err := run.settle(ctx)
	return run.report, err
}

// recount is the state of one Run.
type recount struct {
	*Recount
	report   Report
	known    map[count.Collection]bool
	suspects map[count.Key]look // counters of the lowest level that differ from their records
}

// look is one reading of a counter: the records below it, and the counted values.
type look struct{ records, counted map[int]int }

func (l look) same(other look) bool {
	return maps.Equal(l.records, other.records) && maps.Equal(l.counted, other.counted)
}

// compare adds the counters of the lowest level that differ from the records to suspects.
func (r *recount) compare(ctx context.Context, c count.Collection) error {
	want := map[count.Key]map[int]int{}
	err := r.Base.Records(ctx, c, 0, numbers, func(n id.ID, kind string) {
		node, child := count.NodeOf(n, count.Levels-1)
		key := count.Key{Collection: c, Node: node, Kind: kind}
		if want[key] == nil {
			want[key] = map[int]int{}
		}
		want[key][child]++
		r.report.Records++
	})
	if err != nil {
		return fmt.Errorf("records of %s: %w", c, err)
	}

	nodes, err := r.Books.Level(ctx, c, count.Levels-1)
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
			r.report.Restless = slices.Collect(maps.Keys(r.suspects))
			return nil
		}
	}

	return nil
}

// lookAt compares one counter of the lowest level with the records below it.
func (r *recount) lookAt(ctx context.Context, key count.Key, before look, again bool) error {
	now := look{records: map[int]int{}}
	end := min(count.NodeID{Level: key.Node.Level, Prefix: key.Node.Prefix + 1}.First(0), numbers)
	err := r.Base.Records(ctx, key.Collection, key.Node.First(0), end, func(n id.ID, kind string) {
		if _, child := count.NodeOf(n, count.Levels-1); kind == key.Kind {
			now.records[child]++
		}
	})
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

	missing := difference(now.records, node)
	now.counted = node.Children
	switch {
	case len(missing) == 0:
		delete(r.suspects, key)
	case again && now.same(before):
		delete(r.suspects, key)
		return r.correct(ctx, Drift{key, missing})
	default:
		r.suspects[key] = now
	}

	return nil
}

// correct reports a drift, and with Repair corrects the counters.
func (r *recount) correct(ctx context.Context, d Drift) error {
	r.report.Drifts = append(r.report.Drifts, d)
	r.report.Total[d.Collection] += d.Sum()
	if !r.Repair {
		return nil
	}

	by := make(map[id.ID]int, len(d.Children))
	for child, n := range d.Children {
		by[d.Node.First(child)] = n
	}
	return r.Books.Correct(ctx, d.Collection, d.Kind, by)
}
