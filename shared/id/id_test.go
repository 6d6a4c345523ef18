package id_test

import (
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"minicloud/shared/id"
)

func TestIDsCarryTheirTimeInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.Int64Range(417_000, 1<<40).Draw(t, "ms")
		now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
		got := new(id.Source).New(now)
		if !got.Time().Equal(now) {
			t.Fatalf("Time() = %v, want %v", got.Time(), now)
		}
		if got <= 0 && ms > 0 || got >= 1<<53 {
			t.Fatalf("id %d does not fit 53 bits", got)
		}
		if id.First(now) > got || id.First(now.Add(time.Millisecond)) <= got {
			t.Fatalf("First does not bound ids of %v", now)
		}
		if len(got.Key()) != id.Digits {
			t.Fatalf("Key() = %q", got.Key())
		}
	})
}

func TestSourceStrictlyIncreasesUnderConcurrency(t *testing.T) {
	var source id.Source
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	seen := make(map[id.ID]bool)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			last := id.ID(0)
			for range 1000 {
				got := source.New(now)
				if got <= last {
					t.Errorf("%d after %d", got, last)
				}
				last = got
				mu.Lock()
				if seen[got] {
					t.Errorf("%d made twice", got)
				}
				seen[got] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func TestHexLength(t *testing.T) {
	if a, b := id.Hex(10), id.Hex(10); len(a) != 20 || a == b {
		t.Errorf("Hex(10) = %q, %q", a, b)
	}
}

// TestParse accepts ids in the platform's format and refuses every other text.
func TestParse(t *testing.T) {
	for text, want := range map[string]id.ID{
		"1": 1, "9007199254740991": 1<<53 - 1, "9007199254740992": 0, "0": 0, "-1": 0, "": 0, "x": 0, "1.0": 0, "+5": 0,
		"05": 0, " 5": 0,
	} {
		if got, ok := id.Parse[id.ID](text); ok != (want != 0) || ok && got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
}

// TestOddAndEvenIDs checks that odd and even ids strictly increase, even when they run into the next millisecond.
func TestOddAndEvenIDs(t *testing.T) {
	ids, now := new(id.Source), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	last := id.ID(0)
	for i := range 10_000 {
		odd := i%3 == 0
		got := ids.NewOdd(now, odd)
		if got <= last || (got%2 == 1) != odd {
			t.Fatalf("id %d, odd %v, comes after %d", got, odd, last)
		}
		last = got
	}
}

// TestIDsOfEarlierTimes: ids before 2024 are ordered by their second, before all others.
func TestIDsOfEarlierTimes(t *testing.T) {
	last := id.ID(0)
	for _, second := range []int64{1, 1_500_000_000, 1_704_067_199, 1_704_067_200, 1_704_067_616, 1_704_067_617, 1_704_067_618} {
		at := time.Unix(second, 0)
		first := id.First(at)
		if first <= last || !first.Time().Equal(at) {
			t.Errorf("second %d: id %d of %v, after id %d", second, first, first.Time(), last)
		}
		if next := id.First(at.Add(1)); next <= first || next > id.First(at.Add(time.Second)) {
			t.Errorf("second %d: id %d, a nanosecond later %d", second, first, next)
		}
		last = first
	}
	if id.First(time.Time{}) != 0 {
		t.Error("a time before 1970 has the first id")
	}
}
