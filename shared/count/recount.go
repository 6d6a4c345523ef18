package count

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/id"
)

// Base are the records themselves.
type Base interface {
	// Has reports whether a collection is one of these, by its name.
	Has(c Collection) bool
	// Collections calls yield for every collection that has records.
	Collections(ctx context.Context, yield func(Collection) error) error
	// Records calls yield for each record of a collection with a number in [from, to).
	Records(ctx context.Context, c Collection, from, to id.ID, yield func(n id.ID, kind string)) error
}

// Books are counters that can be compared and corrected.
type Books interface {
	// Collections calls yield for every collection that has counters.
	Collections(ctx context.Context, yield func(Collection) error) error
	// Level returns all nodes of a level, of every kind.
	Level(ctx context.Context, c Collection, level int) ([]Node, error)
	// Snapshot returns nodes as they are at one moment, at most 100; one that is not
	// there is empty.
	Snapshot(ctx context.Context, keys ...Key) ([]Node, error)
	// Correct adds to a node: what is counted meanwhile stays.
	Correct(ctx context.Context, key Key, sum int, children map[int]int) error
}

// Recount compares counters with the records. A counter of the lowest level is wrong
// when twice, Pause apart, it differs from the same records by the same; until then
// it may be behind, or a record may have come in between. A counter above is compared
// with those below it at one moment, since they change in one transaction. So it needs
// no quiet: ranges that change while it looks are looked at again.
type Recount struct {
	Base  Base
	Books Books
	// Pause is longer than counters are behind.
	Pause time.Duration
	// Looks is how often a range is looked at that keeps changing.
	Looks int
	// Repair adds what is missing; else it is only told.
	Repair bool
}

// Drift is a counter that is wrong.
type Drift struct {
	Key
	Sum      int         // to be added
	Children map[int]int // to be added, each
}

// Report is what a recount found.
type Report struct {
	Collections int
	Records     int
	Drifts      []Drift
	// Total is by how much the total of a collection is wrong: too few are positive.
	Total map[Collection]int
	// Restless are counters below which records never stopped changing; whether they
	// are right is not known.
	Restless []Key
}

// numbers is the end of all numbers.
const numbers = id.ID(1) << 53

// Run recounts everything.
func (r *Recount) Run(ctx context.Context) (Report, error) {
	run := recount{Recount: r, suspects: map[Key]look{}, missing: map[Key]*Drift{}, known: map[Collection]bool{}}
	run.report.Total = map[Collection]int{}

	for _, list := range []func(context.Context, func(Collection) error) error{r.Base.Collections, r.Books.Collections} {
		err := list(ctx, func(c Collection) error {
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

	if err := run.settle(ctx); err != nil {
		return run.report, err
	}
	for c := range run.known {
		for level := Levels - 2; level >= 0; level-- {
			if err := run.sumUp(ctx, c, level); err != nil {
				return run.report, fmt.Errorf("counters of %s: %w", c, err)
			}
		}
	}

	return run.report, nil
}

// recount is one run.
type recount struct {
	*Recount
	report   Report
	known    map[Collection]bool
	suspects map[Key]look   // counters of the lowest level that differ
	missing  map[Key]*Drift // corrections that were found and not made
}

// look is what there was below a counter, and what it said.
type look struct{ records, counted map[int]int }

func (l look) same(other look) bool {
	return maps.Equal(l.records, other.records) && maps.Equal(l.counted, other.counted)
}

// compare notes which counters of the lowest level differ from the records.
func (r *recount) compare(ctx context.Context, c Collection) error {
	want := map[Key]map[int]int{}
	err := r.Base.Records(ctx, c, 0, numbers, func(n id.ID, kind string) {
		node, child := NodeOf(n, Levels-1)
		key := Key{c, node, kind}
		if want[key] == nil {
			want[key] = map[int]int{}
		}
		want[key][child]++
		r.report.Records++
	})
	if err != nil {
		return fmt.Errorf("records of %s: %w", c, err)
	}

	nodes, err := r.Books.Level(ctx, c, Levels-1)
	if err != nil {
		return fmt.Errorf("counters of %s: %w", c, err)
	}
	for _, node := range nodes {
		key := Key{c, node.NodeID, node.Kind}
		if drift, wrong := difference(key, want[key], node); wrong {
			r.suspects[drift.Key] = look{}
		}
		delete(want, key)
	}
	for key := range want { // nothing is counted there
		r.suspects[key] = look{}
	}

	return nil
}

// difference is what the node misses of the records.
func difference(key Key, records map[int]int, node Node) (d Drift, wrong bool) {
	d = Drift{Key: key, Sum: -node.Sum, Children: map[int]int{}}
	for child, n := range records {
		d.Sum += n
		d.Children[child] += n
	}
	for child, n := range node.Children {
		d.Children[child] -= n
	}
	maps.DeleteFunc(d.Children, func(_, n int) bool { return n == 0 })

	return d, d.Sum != 0 || len(d.Children) > 0
}

// settle looks at what differed until it is right, or the same twice.
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

// lookAt compares a counter of the lowest level with the records below it.
func (r *recount) lookAt(ctx context.Context, key Key, before look, again bool) error {
	now := look{records: map[int]int{}}
	end := min(key.Node.First(0)+1<<shifts[Levels-1], numbers)
	err := r.Base.Records(ctx, key.Collection, key.Node.First(0), end, func(n id.ID, kind string) {
		if _, child := NodeOf(n, Levels-1); kind == key.Kind {
			now.records[child]++
		}
	})
	if err != nil {
		return err
	}

	nodes, err := r.Books.Snapshot(ctx, key)
	if err != nil {
		return err
	}
	drift, wrong := difference(key, now.records, nodes[0])
	now.counted = nodes[0].Children
	switch {
	case !wrong:
		delete(r.suspects, key)
	case again && now.same(before):
		delete(r.suspects, key)
		return r.correct(ctx, drift)
	default:
		r.suspects[key] = now
	}

	return nil
}

// sumUp compares the nodes of a level with those below.
func (r *recount) sumUp(ctx context.Context, c Collection, level int) error {
	lower, err := r.Books.Level(ctx, c, level+1)
	if err != nil {
		return err
	}
	nodes, err := r.Books.Level(ctx, c, level)
	if err != nil {
		return err
	}

	// Each child of each node, those that only one side knows included.
	children := map[Key]map[int]bool{}
	note := func(key Key, child int) {
		if children[key] == nil {
			children[key] = map[int]bool{}
		}
		children[key][child] = true
	}
	for _, n := range lower {
		at, child := NodeOf(n.First(0), level)
		note(Key{c, at, n.Kind}, child)
	}
	for key := range r.missing {
		if key.Collection == c && key.Node.Level == level+1 {
			at, child := NodeOf(key.Node.First(0), level)
			note(Key{c, at, key.Kind}, child)
		}
	}
	for _, n := range nodes {
		for child := range n.Children {
			note(Key{c, n.NodeID, n.Kind}, child)
		}
	}

	for key, known := range children {
		if err := r.compareChildren(ctx, key, slices.Sorted(maps.Keys(known))); err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many children are read together with their node.
const atOnce = 99

// compareChildren compares a node with the sums of its children.
func (r *recount) compareChildren(ctx context.Context, key Key, children []int) error {
	drift := Drift{Key: key, Children: map[int]int{}}

	for some := range slices.Chunk(children, atOnce) {
		keys := []Key{key}
		for _, child := range some {
			keys = append(keys, Key{key.Collection, key.Node.Child(child), key.Kind})
		}
		nodes, err := r.Books.Snapshot(ctx, keys...)
		if err != nil {
			return err
		}

		for i, child := range some {
			sum := nodes[i+1].Sum
			if m := r.missing[keys[i+1]]; m != nil {
				sum += m.Sum
			}
			if by := sum - nodes[0].Children[child]; by != 0 {
				drift.Children[child] = by
			}
		}
		// The sum is compared with the children as they are, in one item.
		drift.Sum = -nodes[0].Sum
		for _, n := range nodes[0].Children {
			drift.Sum += n
		}
	}

	for _, by := range drift.Children {
		drift.Sum += by
	}
	if drift.Sum == 0 && len(drift.Children) == 0 {
		return nil
	}
	return r.correct(ctx, drift)
}

// correct makes a correction, or notes it for the nodes above.
func (r *recount) correct(ctx context.Context, d Drift) error {
	r.report.Drifts = append(r.report.Drifts, d)
	if d.Node == Root {
		r.report.Total[d.Collection] += d.Sum
	}
	if !r.Repair {
		r.missing[d.Key] = &d
		return nil
	}

	return r.Books.Correct(ctx, d.Key, d.Sum, d.Children)
}
