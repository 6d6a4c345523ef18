package fault

import (
	"maps"
	"math/rand/v2"
	"testing"

	"minicloud/infra/lab/load"
)

// TestDeck: each victim that is alive has a turn, and another has its turn as soon as it is alive.
func TestDeck(t *testing.T) {
	d := deck{victims: []load.Victim{"a", "b", "c", load.Local}, random: rand.New(rand.NewPCG(1, 2))}
	alive := map[load.Victim][]int{"a": {1}, "b": {2}}
	turns := map[load.Victim]int{}
	for range 30 {
		v, ok := d.draw(alive)
		if !ok {
			t.Fatal("no victim")
		}
		turns[v]++
	}
	if want := map[load.Victim]int{"a": 10, "b": 10, load.Local: 10}; !maps.Equal(turns, want) {
		t.Errorf("turns %v, want %v", turns, want)
	}

	alive["c"] = []int{3}
	if v, _ := d.draw(alive); v != "c" {
		t.Errorf("%s has a turn before c, which waited", v)
	}
}
