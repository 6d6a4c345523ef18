package value

import "math"

// MaxNumber is the largest number that the store can hold.
const MaxNumber = 1e120

// Storable reports whether the store can hold the number: 0, or an absolute value between 1e-120 and MaxNumber.
func Storable(f float64) bool {
	size := math.Abs(f)
	return f == 0 || 1e-120 <= size && size <= MaxNumber
}
