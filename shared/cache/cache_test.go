package cache_test

import (
	"errors"
	"testing"

	"minicloud/shared/cache"
)

func TestNewKeyEmptiesFullMap(t *testing.T) {
	m := new(cache.Map[int, string]).Limit(2)
	m.Put(1, "one")
	m.Put(2, "two")

	m.Put(2, "second") // not a new key
	if text, ok := m.Get(1); !ok || text != "one" {
		t.Errorf("after a second value for a key: %q %v, want the other key kept", text, ok)
	}

	m.Put(3, "three")
	_, first := m.Get(1)
	_, second := m.Get(2)
	if text, third := m.Get(3); first || second || !third || text != "three" {
		t.Errorf("after a third key: %v %v %v, want only the third", first, second, third)
	}
}

func TestZeroMapHasDefaultLimit(t *testing.T) {
	var m cache.Map[int, int]
	for i := range cache.DefaultLimit {
		m.Put(i, i)
	}
	if _, ok := m.Get(0); !ok {
		t.Error("the first entry is gone before the map is full")
	}
	m.Put(-1, 0)
	if _, ok := m.Get(0); ok {
		t.Error("the first entry is still there after the map was full")
	}
}

func TestDeleteAndUpdate(t *testing.T) {
	var m cache.Map[string, int]
	increment := func(n int) int { return n + 1 }
	m.Update("a", increment)
	m.Update("a", increment)
	if n, _ := m.Get("a"); n != 2 {
		t.Errorf("after two updates: %d", n)
	}

	m.Delete("a")
	if n, ok := m.Get("a"); ok || n != 0 {
		t.Errorf("after Delete: %d %v", n, ok)
	}
}

func TestLoadKeepsFreshValues(t *testing.T) {
	var m cache.Map[string, int]
	loads, failure := 0, errors.New("down")
	load := func() (int, error) { loads++; return loads, nil }
	get := func(fresh func(int) bool) int {
		t.Helper()
		value, err := m.Load("a", fresh, load)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}

	if _, err := m.Load("a", nil, func() (int, error) { return 9, failure }); err != failure {
		t.Errorf("%v, want the error of load", err)
	}
	if a, b := get(nil), get(nil); a != 1 || b != 1 {
		t.Errorf("loaded %d, then %d, want one load and no failure kept", a, b)
	}
	if stale := get(func(n int) bool { return n > 1 }); stale != 2 {
		t.Errorf("%d for a stale value, want it loaded again", stale)
	}
}

// TestLimitsTheSumOfSizes checks that a value that would exceed the limit replaces all others.
func TestLimitsTheSumOfSizes(t *testing.T) {
	var m cache.Map[string, string]
	m.PutSized("a", "1", 4, 10)
	m.PutSized("b", "2", 6, 10)
	if _, ok := m.Get("a"); !ok {
		t.Error("values of exactly the limit do not fit")
	}

	m.PutSized("c", "3", 1, 10)
	_, a := m.Get("a")
	_, b := m.Get("b")
	if c, ok := m.Get("c"); a || b || !ok || c != "3" {
		t.Errorf("after a value over the limit: a %t, b %t, c %q", a, b, c)
	}

	m.PutSized("d", "4", 9, 10)
	if _, ok := m.Get("c"); !ok {
		t.Error("the sizes of removed values still count")
	}
}
