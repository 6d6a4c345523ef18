package value

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"minicloud/shared/errs"
)

// Convert turns decoded JSON (numbers as float64, json.Number or a Go integer)
// into the canonical value of the column. nil stays nil unless the column is
// required. It returns an errs.Invalid naming the column. The input is not
// kept: the result shares no map or slice with it.
func (c Column) Convert(v any) (any, error) {
	// A client clears a pointer with an empty string, which no row has as its id.
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

// convert returns nil and, where there is more to say than the type, a reason.
func (c Column) convert(v any) (value any, reason string) {
	if c.Type == Array { // of the items' type
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
		// Items have the type of the column, and a null has none.
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

	// The other keys are optional, but a client that reads them relies on their type.
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

// identifier returns a table's or row's id: a string or an int64, nil when it
// is neither.
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

// maxDepth is how many levels of objects and lists an object may have, itself
// counted. DynamoDB stores 32 in an item, of which a row's item, its fields and
// the list of an array column are three.
const maxDepth = 29

// plainObject copies free JSON with numbers as float64. An operator in the
// place of a value is always a mistake or an attack: $ keys are refused at
// every depth.
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

	// ToFloat refuses numbers beyond float64; rounding them to infinity would not survive JSON.
	if f, ok := ToFloat(v); ok {
		return f, ""
	}

	return nil, "it holds a number that is too large"
}

// ToFloat reads any of the Go forms a JSON number takes; ok is false for other
// values and for numbers that are not finite.
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
	// JSON has no infinity and no NaN, so neither may be stored.
	return f, !math.IsInf(f, 0) && !math.IsNaN(f)
}
