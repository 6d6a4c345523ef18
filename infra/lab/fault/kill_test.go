package fault

import (
	"maps"
	"math/rand/v2"
	"testing"

	"minicloud/infra/lab/load"
)

// TestNext: each victim that is alive has its turn, and another as soon as it is alive.
func TestNext(t *testing.T) {
	victims, random := []load.Victim{"a", "b", "c", load.Local}, rand.New(rand.NewPCG(1, 2))
	alive, last := map[load.Victim][]int{"a": {1}, "b": {2}}, map[load.Victim]int{}
	turns := map[load.Victim]int{}
	for turn := range 30 {
		v := next(victims, alive, last, random)
		turns[v]++
		last[v] = turn + 1
	}
	if want := map[load.Victim]int{"a": 10, "b": 10, load.Local: 10}; !maps.Equal(turns, want) {
		t.Errorf("turns %v, want %v", turns, want)
	}

	alive["c"] = []int{3}
	if v := next(victims, alive, last, random); v != "c" {
		t.Errorf("%s has a turn before c, which waited", v)
	}
	if v := next(victims[:2], nil, last, random); v != "" {
		t.Errorf("%s has a turn and is not alive", v)
	}
}
