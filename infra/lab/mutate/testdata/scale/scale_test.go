package scale

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPrice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weight := rapid.SampledFrom([]int{0, 1, 4}).Draw(t, "weight")
		want := map[int]int{0: 0, 1: 3, 4: 12}[weight]
		if got, err := Price(weight, 3); got != want || (err != nil) != (weight == 0) {
			t.Errorf("%d costs %d, %v", weight, got, err)
		}
	})
}

func TestDiscount(*testing.T) { Discount(50) }
