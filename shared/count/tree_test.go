package count_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"minicloud/shared/count"
	"minicloud/shared/errs"
	"minicloud/shared/id"
)

var errDown = errors.New("no counters")

// metered is a store that records its calls and fails one of them.
type metered struct {
	*memory
	locked sync.Mutex
	calls  []string
	fail   int // the number of the call that fails, 0 = none
}

func (m *metered) call(name string) error {
	if m.calls = append(m.calls, name); len(m.calls) == m.fail {
		return errDown
	}
	return nil
}

func (m *metered) Node(ctx context.Context, c count.Collection, at count.NodeID) ([]count.Node, error) {
	if err := m.call("Node"); err != nil {
		return nil, err
	}
	return m.memory.Node(ctx, c, at)
}

func (m *metered) Add(
	ctx context.Context, key count.Key, s count.Shard, from, to count.Sequence, children map[int]int,
) (count.Sequence, error) {
	m.locked.Lock()
	err := m.call("Add")
	m.locked.Unlock()
	if err != nil {
		return "", err
	}
	return m.memory.Add(ctx, key, s, from, to, children)
}

// took returns the calls since the last took.
func (m *metered) took() (calls []string) {
	calls, m.calls = m.calls, nil
	return calls
}

// leaf returns the first number of the n-th leaf.
func leaf(n int) id.ID { return id.ID(n) << 22 }

// leaves returns a store with the given number of records per kind and leaf number.
func leaves(kinds map[string]map[int]int) *metered {
	d := count.Delta{}
	for kind, records := range kinds {
		for n, many := range records {
			d.Add("c", kind, leaf(n), many)
		}
	}
	m := &metered{memory: newMemory(nil)}
	for key, children := range d {
		m.nodes[key] = children
	}
	return m
}

// tens returns a store with ten records in each of the leaves 0 to 9, and one record far above.
func tens() *metered {
	records := map[int]int{1 << 30: 1}
	for n := range 10 {
		records[n] = 10
	}
	return leaves(map[string]map[int]int{"": records})
}

// TestCutsAtLeafBorders: every cut is a border of a leaf within the range.
func TestCutsAtLeafBorders(t *testing.T) {
	for _, c := range []struct {
		from, to id.ID
		size     int
		cuts     []int // leaves
	}{
		{0, leaf(10), 20, []int{2, 4, 6, 8}},
		{0, leaf(10), 25, []int{3, 6, 9}},
		{0, leaf(10), 10, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{leaf(2), leaf(8), 20, []int{4, 6}},
		{leaf(2) + 1, leaf(8), 20, []int{4, 6}},
		{leaf(2) - 1, leaf(8) + 1, 20, []int{3, 5, 7}},
		{leaf(5), leaf(5), 1, nil},
		{0, leaf(11), 99, []int{10}},
		{0, leaf(11), 100, nil}, // the leaves are not read
	} {
		tree := &count.Tree{Reader: tens(), Collection: "c"}
		got, err := tree.Cuts(t.Context(), c.from, c.to, c.size)
		var want []id.ID
		for _, n := range c.cuts {
			want = append(want, leaf(n))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("[%d, %d) by %d: %v, %v, want %v", c.from, c.to, c.size, got, err, want)
		}
	}
}

// TestBelowJoinsSmallRanges: Below joins ranges in descending order, up to a number of records of all kinds.
func TestBelowJoinsSmallRanges(t *testing.T) {
	store := leaves(map[string]map[int]int{
		"rare": {2: 1, 4: 2, 5: 3, 9: 4}, "common": {2: 3, 3: 2, 4: 1, 5: 2, 6: 7, 9: 1},
	})
	for _, c := range []struct {
		to   id.ID
		few  int
		want count.Leaf
		ok   bool
	}{
		{leaf(20), 4, count.Leaf{From: leaf(9), To: leaf(10), Records: 4}, true},
		{leaf(20), 5, count.Leaf{From: leaf(9), To: leaf(10), Records: 4}, true},
		{leaf(9), 4, count.Leaf{From: leaf(5), To: leaf(6), Records: 3}, true},
		{leaf(9), 8, count.Leaf{From: leaf(4), To: leaf(6), Records: 5}, true},
		{leaf(9), 13, count.Leaf{From: leaf(4), To: leaf(6), Records: 5}, true},
		{leaf(9), 14, count.Leaf{From: leaf(2), To: leaf(6), Records: 6}, true},
		{leaf(5) + 7, 4, count.Leaf{From: leaf(5), To: leaf(5) + 7, Records: 3}, true},
		{leaf(5), 2, count.Leaf{From: leaf(4), To: leaf(5), Records: 2}, true},
		{leaf(3), 4, count.Leaf{From: leaf(2), To: leaf(3), Records: 1}, true},
		{leaf(2), 4, count.Leaf{}, false},
		{leaf(20), 26, count.Leaf{From: 0, To: leaf(20), Records: 10}, true},
	} {
		tree := &count.Tree{Reader: store, Collection: "c", Kinds: func(kind string) bool { return kind == "rare" }}
		got, ok, err := tree.Below(t.Context(), c.to, c.few)
		if err != nil || ok != c.ok || got != c.want {
			t.Errorf("below %d, few are %d: %+v, %v, %v, want %+v", c.to>>22, c.few, got, ok, err, c.want)
		}
	}
}

// TestTreeReadsEachNodeOnce. Also: a total is never negative, although a counter may be for a moment.
func TestTreeReadsEachNodeOnce(t *testing.T) {
	store := tens()
	tree := &count.Tree{Reader: store, Collection: "c"}
	for n, want := range map[id.ID]int{leaf(4) + 5: 40, leaf(0): 0} {
		if got, from, err := tree.Before(t.Context(), n); err != nil || got != want || from != n>>22<<22 {
			t.Errorf("%d before %d, %v, want %d", got, from, err, want)
		}
	}
	if calls := store.took(); !slices.Equal(calls, []string{"Node", "Node", "Node"}) {
		t.Errorf("calls %v", calls)
	}
	if got, _, err := tree.Before(t.Context(), leaf(1<<28)); err != nil || got != 100 || len(store.took()) != 0 {
		t.Errorf("%d before an empty range, %v", got, err)
	}

	tree = &count.Tree{Reader: store, Collection: "c"}
	if got, err := tree.Total(t.Context()); err != nil || got != 101 || !slices.Equal(store.took(), []string{"Node"}) {
		t.Errorf("total %d, %v", got, err)
	}
	empty := &count.Tree{Reader: store, Collection: "other"}
	if got, err := empty.Total(t.Context()); err != nil || got != 0 || !slices.Equal(store.took(), []string{"Node"}) {
		t.Errorf("total of nothing %d, %v", got, err)
	}
	fewer := &count.Tree{Reader: leaves(map[string]map[int]int{"": {1: -1}}), Collection: "c"}
	if got, err := fewer.Total(t.Context()); err != nil || got != 0 {
		t.Errorf("total of one that has gone first %d, %v", got, err)
	}
}

// TestTreeReturnsReadErrors: every method returns the error of each node it reads.
func TestTreeReturnsReadErrors(t *testing.T) {
	for name, ask := range map[string]func(*count.Tree) error{
		"Total":   func(tree *count.Tree) error { _, err := tree.Total(t.Context()); return err },
		"Before":  func(tree *count.Tree) error { _, _, err := tree.Before(t.Context(), leaf(4)); return err },
		"Between": func(tree *count.Tree) error { _, err := tree.Between(t.Context(), leaf(2), leaf(4)); return err },
		"Below":   func(tree *count.Tree) error { _, _, err := tree.Below(t.Context(), leaf(5), 4); return err },
		"Cuts":    func(tree *count.Tree) error { _, err := tree.Cuts(t.Context(), 0, leaf(10), 20); return err },
	} {
		store := tens()
		if err := ask(&count.Tree{Reader: store, Collection: "c"}); err != nil {
			t.Fatal(err)
		}
		for n := range store.took() {
			store.calls, store.fail = nil, n+1
			tree := &count.Tree{Reader: store, Collection: "c"}
			if err := ask(tree); !errors.Is(err, errDown) {
				t.Errorf("%s: call %d fails, and it says %v", name, n+1, err)
			}
			if err := ask(tree); err != nil {
				t.Errorf("%s again: %v", name, err)
			}
		}
	}
}

// TestCounterSkipsCountedRecords: a counter learns its checkpoint by a refused Add, and again after a failed call or a
// conflict with another process. A change that counts nothing costs no call.
func TestCounterSkipsCountedRecords(t *testing.T) {
	store := &metered{memory: newMemory(nil)}
	counter, first, second := count.Counter{Store: store}, count.Shard{Name: "1"}, count.Shard{Name: "2"}
	change := func(i, by int) []count.Change {
		return []count.Change{{Sequence: sequence(i), Collection: "c", ID: leaf(i), By: by}}
	}
	for i, step := range []struct {
		shard   count.Shard
		changes []count.Change
		fail    int
		other   count.Sequence // another process moves the checkpoint of the root to here
		adds    int
		done    int
	}{
		{first, change(1, 1), 0, "", 3, 1},
		{second, change(1, 1), 0, "", 3, 1},
		{first, change(2, 1), 0, "", 3, 1},
		{first, change(2, 1), 0, "", 0, 1}, // delivered again
		{first, change(3, 0), 0, "", 0, 1}, // a change of 0 is not counted
		{first, append(change(3, 0), change(4, 1)...), 0, "", 3, 2},
		{first, change(5, 1), 1, "", 3, 0}, // one counter fails, two have it
		{first, change(5, 1), 1, "", 1, 0},
		{first, change(5, 1), 0, "", 2, 1}, // it has forgotten the checkpoint: one refusal
		{first, append(change(6, 1), change(7, 1)...), 0, sequence(6), 4, 2},
		{first, change(8, 1), 0, sequence(8), 3, 1},
		{second, change(2, 1), 0, "", 3, 1},
	} {
		if store.fail = step.fail; step.other != "" {
			store.at[count.Key{Collection: "c"}][step.shard] = step.other
		}
		done, err := counter.Count(t.Context(), step.shard, step.changes)
		if calls := store.took(); len(calls) != step.adds || done != step.done || (err != nil) != (step.done == 0) {
			t.Errorf("step %d: %d done, %v by %v, want %d", i, done, err, calls, step.adds)
		}
	}
	tree := &count.Tree{Reader: store, Collection: "c"}
	if got, err := tree.Total(t.Context()); err != nil || got != 7 { // without the two of the other process
		t.Errorf("total %d, %v", got, err)
	}
}

// racing is a store whose checkpoints another process moves before every Add.
type racing struct{ *metered }

func (r racing) Add(
	_ context.Context, _ count.Key, _ count.Shard, from, _ count.Sequence, _ map[int]int,
) (count.Sequence, error) {
	r.locked.Lock()
	defer r.locked.Unlock()
	r.calls = append(r.calls, "Add")
	return from, errs.Conflict("the checkpoint is elsewhere")
}

// TestCounterStopsRetrying: the number of retries is limited when another process is always faster.
func TestCounterStopsRetrying(t *testing.T) {
	store := &metered{memory: newMemory(nil)}
	counter := count.Counter{Store: racing{store}}
	done, err := counter.Count(t.Context(), count.Shard{}, []count.Change{{Sequence: "1", Collection: "c", ID: 7, By: 1}})
	if !errs.Is(err, errs.KindConflict) || done != 0 || len(store.took()) != 6*count.Levels {
		t.Errorf("%d done, %v", done, err)
	}
}
