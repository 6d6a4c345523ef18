// Package scale is what the mutation tool is tried on: its tests notice some changes, and not others.
package scale

import "errors"

var errLight = errors.New("too light")

// Price is noticed whole.
func Price(weight, per int) (int, error) {
	if weight < 1 {
		return 0, errLight
	}
	return weight * per, nil
}

// Discount is reached, and nobody looks at what it returns.
func Discount(weight int) (percent int) {
	if weight > 10 && weight <= 100 {
		percent = 5
	}
	return percent
}

// Forgotten is not reached.
func Forgotten(a, b int) int { return min(a, b) }
