package value

import (
	"encoding/json"
	"maps"
	"math"
	"slices"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// Plain returns decoded JSON with all numbers as float64, as in records. A number that is too large becomes the
// largest float64, because an infinity cannot be stored and its event would be retried forever. See CheckNumbers.
func Plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return min(max(f, -math.MaxFloat64), math.MaxFloat64)
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			out[name] = Plain(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = Plain(item)
		}
		return out
	}
	return v
}

// CheckNumbers returns errs.Invalid for decoded JSON with a number that is too large to store. what names the value
// in the error.
func CheckNumbers(what string, v any) error {
	switch v := v.(type) {
	case json.Number:
		if _, err := v.Float64(); err != nil {
			return errs.Invalid("%s holds the number %s, which is too large", what, clip.Text(v.String(), clip.Name))
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := CheckNumbers(what, v[name]); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := CheckNumbers(what, item); err != nil {
				return err
			}
		}
	}
	return nil
}
