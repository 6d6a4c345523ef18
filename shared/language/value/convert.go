package value

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/language/value/geo"
)

// article spells a type in a sentence.
var article = map[Type]string{
	String: "a string", Integer: "an integer between -(2^53-1) and 2^53-1", Number: "a number", Boolean: "true or false",
	Array: "an array", Object: "an object", File: "a file object with an id",
	Date:    `an ISO 8601 date with an offset, such as "2026-11-21T08:00:00+08:00"`,
	Pointer: `an object with "_table" and "id"`, Geojson: "a GeoJSON Point or Polygon",
}

// Convert turns decoded JSON (numbers as float64, json.Number or a Go integer)
// into the canonical value of the column. nil stays nil unless the column is
// required. It returns an errs.Invalid naming the column. The input is not
// kept: the result shares no map or slice with it.
func (c Column) Convert(v any) (any, error) {
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
		return nil, errs.Invalid("field %q must be %s%s", c.Name, article[c.Type], reason)
	}
	return value, nil
}

// convert returns nil and, where there is more to say than the type, a reason.
func (c Column) convert(v any) (value any, reason string) {
	switch c.Type {
	case String:
		if s, ok := v.(string); ok {
			return s, ""
		}
	case Integer:
		if f, ok := ToFloat(v); ok && f == math.Trunc(f) && math.Abs(f) <= MaxInteger {
			return int64(f), ""
		}
	case Number:
		if f, ok := ToFloat(v); ok {
			return f, ""
		}
	case Boolean:
		if b, ok := v.(bool); ok {
			return b, ""
		}
	case Date:
		if s, ok := v.(string); ok {
			if at, ok := Instant(s); ok {
				return FormatDate(at), ""
			}
		}
	case Array:
		return c.convertArray(v)
	case Pointer:
		return c.convertPointer(v)
	default:
		return c.convertStructured(v)
	}
	return nil, ""
}

func (c Column) convertArray(v any) (any, string) {
	list, ok := v.([]any)
	if !ok {
		return nil, ""
	}

	items := make([]any, len(list))
	for i, item := range list {
		if item == nil {
			return nil, fmt.Sprintf("item %d is null", i)
		}

		value, reason := c.Item().convert(item)
		if value == nil {
			return nil, strings.TrimSuffix(fmt.Sprintf("item %d must be %s: %s", i, article[c.Items], reason), ": ")
		}

		items[i] = value
	}

	return items, ""
}

func (c Column) convertStructured(v any) (any, string) {
	if text, ok := v.(string); ok && c.Type == Geojson {
		decoded, err := Decode("value", []byte(text))
		if err != nil {
			return nil, "the string is not JSON"
		}
		v = decoded
	}

	object, ok := v.(map[string]any)
	if !ok {
		return nil, ""
	}

	plain, reason := plainObject(object, 1)
	if plain == nil {
		return nil, reason
	}

	switch c.Type {
	case File:
		return file(plain)
	case Geojson:
		shape, err := geo.Parse(plain)
		if err != nil {
			return nil, err.Error()
		}
		return shape.JSON(), ""
	}

	return plain, ""
}

func file(object map[string]any) (any, string) {
	if id, ok := object["id"].(string); !ok || id == "" {
		return nil, ""
	}

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
	return f, !math.IsInf(f, 0) && !math.IsNaN(f)
}
