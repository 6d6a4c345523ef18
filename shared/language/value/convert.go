package value

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"minicloud/shared/errs"
)

// Convert converts decoded JSON (numbers as float64, json.Number or a Go integer) to the canonical value of the
// column. nil stays nil unless the column is required. It returns an errs.Invalid that names the column. The result
// shares no map or slice with the input.
func (c Column) Convert(v any) (any, error) {
	// Clients clear a pointer with an empty string, which is not a valid id.
	if v == nil || v == "" && c.Type == Pointer {
		if c.Required {
			return nil, errs.Invalid("field %q is required", c.Name)
		}
		return nil, nil
	}
	value, reason := c.convert(v)
	if value == nil {
		if reason != "" {
			reason = ": " + reason
		}
		return nil, errs.Invalid("field %q must be %s%s", c.Name, c.Type.kind().article, reason)
	}
	return value, nil
}

// convert returns nil for an invalid value, with a reason if the type alone does not explain the error.
func (c Column) convert(v any) (value any, reason string) {
	if c.Type == Array { // converts by item type
		return c.convertArray(v)
	}
	convert := c.Type.kind().convert
	if convert == nil {
		return nil, ""
	}
	return convert(c, v)
}

func (c Column) convertArray(v any) (any, string) {
	list, ok := v.([]any)
	if !ok {
		return nil, ""
	}

	items := make([]any, len(list))
	for i, item := range list {
		// A null item does not have the item type.
		if item == nil {
			return nil, fmt.Sprintf("item %d is null", i)
		}

		value, reason := c.Item().convert(item)
		if value == nil {
			return nil, strings.TrimSuffix(fmt.Sprintf("item %d must be %s: %s", i, c.Items.kind().article, reason), ": ")
		}

		items[i] = value
	}

	return items, ""
}

func convertFile(c Column, v any) (any, string) {
	converted, reason := convertObject(c, v)
	object, ok := converted.(map[string]any)
	if !ok {
		return nil, reason
	}
	if id, ok := object["id"].(string); !ok || id == "" {
		return nil, ""
	}

	// The other keys are optional, but clients rely on their types.
	for _, name := range []string{"name", "path", "cdn_path", "mime_type"} {
		if v := object[name]; v != nil {
			if _, ok := v.(string); !ok {
				return nil, fmt.Sprintf("%q is not a string", name)
			}
		}
	}

	for _, name := range []string{"size", "created_at"} {
		if v := object[name]; v != nil {
			if _, ok := v.(float64); !ok {
				return nil, fmt.Sprintf("%q is not a number", name)
			}
		}
	}

	return object, ""
}

// identifier returns a table or row id as a string or int64, or nil if v is neither.
func identifier(v any) any {
	if text, ok := v.(string); ok {
		if text != "" && len(text) <= 64 {
			return text
		}
		return nil
	}
	if f, ok := ToFloat(v); ok && f == math.Trunc(f) && 0 < f && f <= MaxInteger {
		return int64(f)
	}
	return nil
}

// maxDepth is the maximum number of levels of objects and arrays in an object, including itself. DynamoDB allows 32
// levels in an item; the item, its fields and the list of an array column use three.
const maxDepth = 29

// plainObject copies a JSON object with numbers as float64. It refuses $ keys at every depth: an operator in place of
// a value is an error or an attack.
func plainObject(object map[string]any, depth int) (map[string]any, string) {
	if depth > maxDepth {
		return nil, fmt.Sprintf("it is nested deeper than %d", maxDepth)
	}
	out := make(map[string]any, len(object))
	for name, v := range object {
		if strings.HasPrefix(name, "$") {
			return nil, fmt.Sprintf("key %q may not start with $", name)
		}
		value, reason := plain(v, depth+1)
		if reason != "" {
			return nil, reason
		}
		out[name] = value
	}
	return out, ""
}

func plain(v any, depth int) (any, string) {
	switch v := v.(type) {
	case nil, bool, string:
		return v, ""
	case map[string]any:
		return plainObject(v, depth)
	case []any:
		if depth > maxDepth {
			return nil, fmt.Sprintf("it is nested deeper than %d", maxDepth)
		}

		out := make([]any, len(v))
		for i, item := range v {
			value, reason := plain(item, depth+1)
			if reason != "" {
				return nil, reason
			}
			out[i] = value
		}

		return out, ""
	}

	// ToFloat refuses numbers outside the range of float64, because JSON cannot represent infinity.
	if f, ok := ToFloat(v); ok {
		return f, ""
	}

	return nil, "it holds a number that is too large"
}

// ToFloat converts any Go type of a JSON number; ok is false for other values and for numbers that are not finite.
func ToFloat(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		f = float64(v)
	case int:
		f = float64(v)
	case json.Number:
		parsed, err := v.Float64()
		if err != nil {
			return 0, false
		}
		f = parsed
	default:
		return 0, false
	}
	// JSON cannot represent infinity and NaN, so they must not be stored.
	return f, !math.IsInf(f, 0) && !math.IsNaN(f)
}
