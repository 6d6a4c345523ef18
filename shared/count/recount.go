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
	Reader
	// Collections calls yield for every collection that has counters.
	Collections(ctx context.Context, yield func(Collection) error) error
	// Level returns all nodes of a level, of every kind.
	Level(ctx context.Context, c Collection, level int) ([]Node, error)
	// Correct adds to the counters of numbers at every level: what is counted meanwhile stays.
	Correct(ctx context.Context, c Collection, kind string, by map[id.ID]int) error
}

// Recount compares counters with the records. A counter of the lowest level is wrong when twice, Pause apart, it
// differs from the same records by the same; until then it may be behind, or a record may have come in between. So a
// recount needs no quiet: ranges that change while it looks are looked at again. The levels above need no look of their
// own, since one transaction changes a number's counters at every level.
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

// Drift is a counter of the lowest level that is wrong, and how many records it misses of each child.
type Drift struct {
	Key
	Children map[int]int
}

// Sum is how many records the counter misses in all, negative where it has too many.
func (d Drift) Sum() (sum int) {
	for _, n := range d.Children {
		sum += n
	}
	return sum
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
	run := recount{Recount: r, suspects: map[Key]look{}, known: map[Collection]bool{}}
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

	err := run.settle(ctx)
	return run.report, err
}

// recount is one run.
type recount struct {
	*Recount
	report   Report
	known    map[Collection]bool
	suspects map[Key]look // counters of the lowest level that differ
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
		if len(difference(want[key], node)) > 0 {
			r.suspects[key] = look{}
		}
		delete(want, key)
	}
	for key := range want { // nothing is counted there
		r.suspects[key] = look{}
	}

	return nil
}

// difference is how many records the node misses of each child.
func difference(records map[int]int, node Node) map[int]int {
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

	nodes, err := r.Books.Node(ctx, key.Collection, key.Node)
	if err != nil {
		return err
	}
	node := Node{}
	if i := slices.IndexFunc(nodes, func(n Node) bool { return n.Kind == key.Kind }); i >= 0 {
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

// correct notes a drift, and corrects the counters where it is to.
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
