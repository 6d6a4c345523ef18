package value

import "math"

// Storable reports whether the store can hold the number: 0, or an absolute value between 1e-120 and 1e+120.
func Storable(f float64) bool {
	size := math.Abs(f)
	return f == 0 || 1e-120 <= size && size <= 1e120
}
