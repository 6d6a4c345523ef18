package count_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// memory is a count.Store in memory. With r set, Add fails at random, before or after its effect.
type memory struct {
	mu    sync.Mutex
	at    map[count.Key]map[count.Shard]count.Sequence
	nodes map[count.Key]map[int]int
	r     *rand.Rand // nil = no faults
	adds  int
}

func newMemory(r *rand.Rand) *memory {
	return &memory{at: map[count.Key]map[count.Shard]count.Sequence{}, nodes: map[count.Key]map[int]int{}, r: r}
}

func (m *memory) Node(_ context.Context, c count.Collection, at count.NodeID) (found []count.Node, _ error) {
	for key, children := range m.nodes {
		if key.Collection == c && key.Node == at {
			n := count.Node{NodeID: at, Kind: key.Kind, Children: maps.Clone(children)}
			for _, records := range children {
				n.Sum += records
			}
			found = append(found, n)
		}
	}
	return found, nil
}

func (m *memory) Add(
	_ context.Context, key count.Key, s count.Shard, from, to count.Sequence, children map[int]int,
) (count.Sequence, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.adds++
	if len(children) > count.MaxChildren {
		return "", errs.Invalid("%d children", len(children))
	}
	broken := m.r != nil && m.r.IntN(9) == 0
	if broken && m.r.IntN(2) == 0 {
		return "", errs.Unavailable(1, "not done")
	}
	if at := m.at[key][s]; at != from {
		return at, errs.Conflict("the checkpoint is %q", at)
	}

	if m.nodes[key] == nil {
		m.at[key], m.nodes[key] = map[count.Shard]count.Sequence{}, map[int]int{}
	}
	m.at[key][s] = to
	for child, by := range children {
		m.nodes[key][child] += by
	}
	if broken {
		return "", errs.Unavailable(1, "done, but nobody hears of it")
	}
	return to, nil
}

// numbered returns the numbers of records that are created in bursts: many in a few milliseconds, then none for a long
// time.
func numbered(r *rand.Rand, n int) []id.ID {
	var numbers []id.ID
	at := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	for len(numbers) < n {
		at = at.Add(time.Duration(r.ExpFloat64() * float64(time.Hour)))
		for range r.IntN(60) {
			at = at.Add(time.Duration(r.IntN(3)) * time.Millisecond)
			numbers = append(numbers, id.First(at)|id.ID(r.IntN(1<<12)))
		}
	}
	return numbers
}

// TestTreeAgreesWithSortedList compares the total and the ranks of a random set with those of the sorted list.
func TestTreeAgreesWithSortedList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := numbered(r, 3000)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	store := newMemory(nil)
	var changes []count.Change
	for i, n := range numbers {
		kind := "even"
		if i%2 == 1 {
			kind = "odd"
		}
		changes = append(changes, count.Change{Sequence: sequence(i), Collection: "c", Kind: kind, ID: n, By: 1})
	}
	counter := count.Counter{Store: store}
	if done, err := counter.Count(t.Context(), count.Shard{}, changes); err != nil || done != len(changes) {
		t.Fatal(done, err)
	}

	odd := &count.Tree{Reader: store, Collection: "c", Kinds: func(kind string) bool { return kind == "odd" }}
	if got, err := odd.Total(t.Context()); err != nil || got != len(numbers)/2 {
		t.Errorf("%d odd ones (%v), want %d", got, err, len(numbers)/2)
	}
	tree := &count.Tree{Reader: store, Collection: "c"}
	if got, err := tree.Total(t.Context()); err != nil || got != len(numbers) {
		t.Errorf("total %d (%v), want %d", got, err, len(numbers))
	}

	for range 1000 {
		n := numbers[r.IntN(len(numbers))] + id.ID(r.IntN(3)-1)
		before, from, err := tree.Before(t.Context(), n)
		if err != nil || before != below(numbers, from) || from > n || from+1<<22 <= n {
			t.Errorf("%d before %d (%v), want %d before %d", before, from, err, below(numbers, from), n)
		}
		to := numbers[r.IntN(len(numbers))] >> 22 << 22
		want := max(below(numbers, to)-below(numbers, from), 0)
		if got, err := tree.Between(t.Context(), from, to); err != nil || got != want {
			t.Errorf("%d between %d and %d (%v), want %d", got, from, to, err, want)
		}
	}
	if got, err := tree.Between(t.Context(), numbers[9]>>22<<22, 1<<53); err != nil ||
		got != len(numbers)-below(numbers, numbers[9]>>22<<22) {
		t.Errorf("%d to the end (%v)", got, err)
	}
}

// TestCutsPiecesOfEvenSize: the pieces together always cover the range.
func TestCutsPiecesOfEvenSize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	numbers := numbered(r, 2000)
	slices.Sort(numbers)
	store, delta := newMemory(nil), count.Delta{}
	for _, n := range numbers {
		delta.Add("c", "", n, 1)
	}
	for key, children := range delta {
		store.nodes[key] = children
	}

	tree := &count.Tree{Reader: store, Collection: "c"}
	from, to := numbers[100], numbers[1900]
	cuts, err := tree.Cuts(t.Context(), from, to, 100)
	if err != nil {
		t.Fatal(err)
	}
	if len(cuts) < 10 || !slices.IsSorted(cuts) || cuts[0] <= from || cuts[len(cuts)-1] >= to {
		t.Fatalf("cuts %v of [%d, %d)", cuts, from, to)
	}
	for i, end := range append(cuts, to) {
		start := from
		if i > 0 {
			start = cuts[i-1]
		}
		if n := below(numbers, end) - below(numbers, start); n > 300 {
			t.Errorf("piece %d has %d records", i, n)
		}
	}
}

// TestBelowFindsRareRecords: the ranges, in descending order, contain every rare number and few others.
func TestBelowFindsRareRecords(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	numbers := numbered(r, 3000)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	store, delta := newMemory(nil), count.Delta{}
	var rare []id.ID
	for i, n := range numbers {
		if r.IntN(40) > 0 {
			delta.Add("c", "common", n, 1)
		} else if delta.Add("c", "rare", n, 1); i < len(numbers)-50 {
			rare = append(rare, n)
		}
	}
	for key, children := range delta {
		store.nodes[key] = children
	}

	for _, few := range []int{1, 30, 500} {
		tree := &count.Tree{Reader: store, Collection: "c", Kinds: func(kind string) bool { return kind == "rare" }}
		var found []id.ID
		ranges, looked := 0, 0
		for to := numbers[len(numbers)-50]; ; ranges++ {
			leaf, ok, err := tree.Below(t.Context(), to, few)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if leaf.To > to || leaf.From >= leaf.To {
				t.Fatalf("%+v is not below %d", leaf, to)
			}
			all := below(numbers, leaf.To) - below(numbers, leaf.From)
			if all > max(few, 60) {
				t.Errorf("few are %d: %d in %+v", few, all, leaf)
			}
			for _, n := range rare {
				if n >= leaf.From && n < leaf.To {
					found = append(found, n)
				}
			}
			to, looked = leaf.From, looked+all
		}
		slices.Sort(found)
		if !slices.Equal(found, rare) || ranges > len(rare) || few < 500 && looked > len(numbers)-100 {
			t.Errorf("few are %d: %d of %d in %d ranges of %d", few, len(found), len(rare), ranges, looked)
		}
	}
}

// TestCountsEveryRecordOnce: the final counters are correct although batches are repeated and cut differently, several
// processes with failing calls count them, and shards progress out of order.
func TestCountsEveryRecordOnce(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 7))
		store := newMemory(r)
		counters := []*count.Counter{{Store: store}, {Store: store}}
		want := count.Delta{}
		streams := [3][]count.Change{}
		for i := range streams {
			for n, number := range numbered(r, 150) {
				change := count.Change{
					Sequence: sequence(n), Collection: "c", Kind: strconv.Itoa(r.IntN(2)), ID: number, By: r.IntN(3) - 1,
				}
				streams[i] = append(streams[i], change)
				if change.By != 0 {
					want.Add("c", change.Kind, number, change.By)
				}
			}
		}

		// The position of each shard's reader; it sometimes moves back, as after a crash.
		at := [3]int{}
		for at != [3]int{len(streams[0]), len(streams[1]), len(streams[2])} {
			i := r.IntN(3)
			end := min(at[i]+r.IntN(80), len(streams[i]))
			done, err := counters[r.IntN(2)].Count(
				t.Context(), count.Shard{Stream: "s", Name: strconv.Itoa(i)}, streams[i][at[i]:end],
			)
			if err != nil && !errs.Is(err, errs.KindUnavailable) {
				t.Fatal(err)
			}
			at[i] += done
			if r.IntN(8) == 0 {
				at[i] -= r.IntN(at[i] + 1)
			}
		}

		for key, children := range store.nodes {
			for _, counts := range []map[int]int{children, want[key]} {
				maps.DeleteFunc(counts, func(_, n int) bool { return n == 0 })
			}
			if !maps.Equal(children, want[key]) {
				t.Fatalf("seed %d: %v counts %v, want %v", seed, key, children, want[key])
			}
		}
		for key, children := range want {
			if maps.DeleteFunc(children, func(_, n int) bool { return n == 0 }); len(children) > 0 && store.nodes[key] == nil {
				t.Fatalf("seed %d: %v is not counted", seed, key)
			}
		}
	}
}

// TestCancellingChangesMoveCheckpoints: a record that was created and deleted in one batch adds nothing, and a
// repeated delivery of the deletion alone must not be counted.
func TestCancellingChangesMoveCheckpoints(t *testing.T) {
	store := newMemory(nil)
	counter := count.Counter{Store: store}
	both := []count.Change{
		{Sequence: "1", Collection: "c", ID: 77, By: 1}, {Sequence: "2", Collection: "c", ID: 77, By: -1},
	}
	for _, batch := range [][]count.Change{both, both[1:]} {
		if _, err := counter.Count(t.Context(), count.Shard{}, batch); err != nil {
			t.Fatal(err)
		}
	}
	tree := &count.Tree{Reader: store, Collection: "c"}
	if got, err := tree.Total(t.Context()); err != nil || got != 0 {
		t.Errorf("total %d (%v), nodes %v", got, err, store.nodes)
	}
}

// TestWritesEachCounterOnce: a batch writes each counter of a collection once, however many records it has. A process
// that begins writes it once more, to learn the checkpoint; changes that count nothing write nothing.
func TestWritesEachCounterOnce(t *testing.T) {
	store := newMemory(nil)
	changes := make([]count.Change, 50)
	for i := range changes {
		changes[i] = count.Change{Sequence: sequence(i), Collection: "c", Kind: "k", ID: id.ID(i), By: 1}
	}
	first, second := &count.Counter{Store: store}, &count.Counter{Store: store}
	for i, c := range []struct {
		counter *count.Counter
		changes []count.Change
		adds    int
	}{
		{first, changes[:20], count.Levels}, {first, changes[:20], 0}, {first, changes[20:30], count.Levels},
		{second, changes[25:50], 2 * count.Levels},
		{second, []count.Change{
			{Sequence: "99", Collection: "c", Kind: "k"}, {Sequence: "100", Collection: "c", Kind: "k", Was: "k"},
		}, 0},
	} {
		store.adds = 0
		if done, err := c.counter.Count(t.Context(), count.Shard{}, c.changes); err != nil || done != len(c.changes) {
			t.Fatal(done, err)
		}
		if store.adds != c.adds {
			t.Errorf("batch %d: %d writes, want %d", i, store.adds, c.adds)
		}
	}
	tree := &count.Tree{Reader: store, Collection: "c"}
	if got, err := tree.Total(t.Context()); err != nil || got != len(changes) {
		t.Errorf("total %d (%v)", got, err)
	}
}

// TestCountsManyChildren: a node takes as many children per write as an update expression holds.
func TestCountsManyChildren(t *testing.T) {
	store := newMemory(nil)
	var changes []count.Change
	for i := range 2*count.MaxChildren + 1 {
		changes = append(changes, count.Change{Sequence: sequence(i), Collection: "c", ID: id.ID(i) << 22, By: 1})
	}
	counter := count.Counter{Store: store}
	if done, err := counter.Count(t.Context(), count.Shard{}, changes); err != nil || done != len(changes) {
		t.Fatal(done, err)
	}
	if store.adds != 1+1+3 {
		t.Errorf("%d writes", store.adds)
	}
}

func TestOrdersSequencesAsNumbers(t *testing.T) {
	ascending := []count.Sequence{"", "1", "9", "10", "000011", "100000000000000000000001", "100000000000000000000002"}
	for i, s := range ascending {
		for j, other := range ascending {
			if got := s.After(other); got != (i > j) {
				t.Errorf("%q after %q: %v", s, other, got)
			}
		}
	}
}

func sequence(i int) count.Sequence { return count.Sequence(strconv.Itoa(i + 1)) }

// below returns the number of sorted numbers less than n.
func below(numbers []id.ID, n id.ID) int {
	i, _ := slices.BinarySearch(numbers, n)
	return i
}

// TestMovesRecordsBetweenKinds: a change of kind subtracts 1 from the old kind and adds 1 to the new one, once.
func TestMovesRecordsBetweenKinds(t *testing.T) {
	store := newMemory(nil)
	counter := count.Counter{Store: store}
	changes := []count.Change{
		{Sequence: "1", Collection: "c", Kind: "even", ID: 77, By: 1},
		{Sequence: "2", Collection: "c", Was: "even", Kind: "odd", ID: 77},
	}
	for _, batch := range [][]count.Change{changes[:1], changes, changes[1:]} {
		if _, err := counter.Count(t.Context(), count.Shard{}, batch); err != nil {
			t.Fatal(err)
		}
	}
	for kind, want := range map[string]int{"even": 0, "odd": 1} {
		tree := &count.Tree{Reader: store, Collection: "c", Kinds: func(k string) bool { return k == kind }}
		if got, err := tree.Total(t.Context()); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", kind, got, err, want)
		}
	}
}
