package scale

import "testing"

func TestPrice(t *testing.T) {
	for weight, want := range map[int]int{0: 0, 1: 3, 4: 12} {
		if got, err := Price(weight, 3); got != want || (err != nil) != (weight == 0) {
			t.Errorf("%d costs %d, %v", weight, got, err)
		}
	}
}

func TestDiscount(*testing.T) { Discount(50) }
