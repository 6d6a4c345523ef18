package scale

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		per := rapid.IntRange(2, 9).Draw(t, "per")
		for _, weight := range []int{0, 1, 4} { // all of them: whether a mutant is noticed is no matter of chance
			if got, err := Price(weight, per); got != weight*per || (err != nil) != (weight == 0) {
				t.Errorf("%d costs %d, %v", weight, got, err)
			}
		}
	})
}

func TestDiscount(*testing.T) { Discount(50) }
