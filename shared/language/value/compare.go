package value

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Compare returns the order of two values of the column: -1, 0 or +1. Nulls sort first. Values that do not have the
// column's type, such as values from before the type changed, also have a place in the order, so sorting never fails.
func (c Column) Compare(a, b any) int {
	if c.Type == Array { // by the item type
		left, leftOK := a.([]any)
		right, rightOK := b.([]any)
		if leftOK && rightOK {
			return slices.CompareFunc(left, right, c.Item().Compare)
		}
	}
	if compare := c.Type.kind().compare; compare != nil {
		return compare(a, b)
	}
	return compareAny(a, b)
}

// Equal reports whether two values of the column are equal: dates as instants, numbers by value, arrays by items,
// objects by keys and values. In an object, a null key differs from a missing key. nil equals only nil.
func (c Column) Equal(a, b any) bool { return c.Compare(a, b) == 0 }

// Holds reports whether v is a value of the column's type; nil is not.
func (c Column) Holds(v any) bool {
	holds := c.Type.kind().holds
	return v != nil && holds != nil && holds(v)
}

// Against returns a function that compares values with bound. Its ok result is false for a value that does not have
// the column's type.
func (c Column) Against(bound any) func(v any) (order int, ok bool) {
	// Parse the bound once rather than for each comparison.
	if text, isText := bound.(string); isText && c.Type == Date {
		if at, ok := Instant(text); ok {
			return func(v any) (int, bool) {
				stored, _ := v.(string)
				instant, ok := Instant(stored)
				return instant.Compare(at), ok
			}
		}
	}
	return func(v any) (int, bool) {
		if !c.Holds(v) {
			return 0, false
		}
		return c.Compare(v, bound), true
	}
}

func compareDates(a, b any) int {
	left, leftIsText := a.(string)
	right, rightIsText := b.(string)
	if leftIsText && rightIsText {
		if left == right {
			return 0
		}

		x, xOK := Instant(left)
		y, yOK := Instant(right)
		switch {
		case xOK && yOK:
			return x.Compare(y)
		case xOK != yOK: // texts that are not dates sort before all dates
			return compareBool(xOK, yOK)
		}
	}

	return compareAny(a, b)
}

// rank returns the position of a value's Go type in the order of mixed types.
func rank(v any) int {
	switch v.(type) {
	case nil:
		return 0
	case bool:
		return 1
	case string:
		return 3
	case []any:
		return 4
	case map[string]any:
		return 5
	}
	return 2
}

func compareAny(a, b any) int {
	// Values of different ranks are ordered here, so the type assertions below cannot panic.
	if x, y := rank(a), rank(b); x != y {
		return cmp.Compare(x, y)
	}

	switch a := a.(type) {
	case nil:
		return 0
	case bool:
		return compareBool(a, b.(bool))
	case string:
		return strings.Compare(a, b.(string))
	case []any:
		return slices.CompareFunc(a, b.([]any), compareAny)
	case map[string]any:
		return compareObjects(a, b.(map[string]any))
	}

	x, _ := ToFloat(a)
	y, _ := ToFloat(b)
	return cmp.Compare(x, y)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func compareObjects(a, b map[string]any) int {
	left, right := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	if order := slices.Compare(left, right); order != 0 {
		return order
	}
	for _, key := range left {
		if order := compareAny(a[key], b[key]); order != 0 {
			return order
		}
	}
	return 0
}
