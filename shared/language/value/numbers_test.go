package value_test

import (
	"encoding/json"
	"math"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/language/value"
)

// TestPlainNumbers checks that numbers become float64, and that a number that is too large becomes the largest
// float64 and is refused by CheckNumbers.
func TestPlainNumbers(t *testing.T) {
	for text, want := range map[json.Number]float64{"1e999": math.MaxFloat64, "-1e999": -math.MaxFloat64, "-7": -7} {
		if got := value.Plain(text); got != want {
			t.Errorf("%s is %v", text, got)
		}

		tooLarge := math.Abs(want) == math.MaxFloat64
		err := value.CheckNumbers("the body", map[string]any{"list": []any{"1e999", text}})
		if errs.Is(err, errs.KindInvalid) != tooLarge {
			t.Errorf("%s: %v", text, err)
		}
	}
}
