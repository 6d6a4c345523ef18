package value

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"minicloud/shared/language/value/geo"
)

// Type is the type of a column, spelled as on the wire. kinds defines the types.
type Type string

// The column types.
const (
	String  Type = "string"
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
	Array   Type = "array"
	Object  Type = "object"
	File    Type = "file"
	Date    Type = "date"
	Pointer Type = "pointer"
	Geojson Type = "geojson"
)

// kind defines the properties of one type. A nil function means the default behavior.
type kind struct {
	name    Type
	article string // description of valid values in an error
	needs   string // short description of valid values
	// convert converts decoded JSON that is not null to the canonical value. For an invalid value it returns nil and a
	// reason; the reason is "" if the type alone explains the error.
	convert func(c Column, v any) (value any, reason string)
	// holds reports whether a non-nil Go value has this type.
	holds   func(v any) bool
	compare func(a, b any) int                          // for Compare; nil = compareAny
	literal func(field, text string) (v any, err error) // parses a query string; nil = the text itself

	ordered bool               // supports <, sorting and indexes
	mark    string             // first character of index keys, for ordered types
	key     func(v any) string // rest of an index key
	item    bool               // allowed as array item
	object  bool               // a literal is a JSON object

	where  []string // operators of where besides those of all types and of ordered types
	pushed []string // operators that the row store evaluates as Compare does
	update []string // operators of update bodies
	rules  []string // operators of trigger conditions (contract, Data table; D32)
	assign []string // operators of table operations in triggers (contract, Data-table operation; G22)
	// payload returns a value as in event records; nil = unchanged.
	payload func(v any) any
	// sample is a valid value as decoded JSON, with numbers as float64.
	sample any
}

var (
	equality     = []string{"$eq"}
	order        = []string{"$eq", "$lt", "$lte", "$gt", "$gte"}
	orderedRules = []string{"=", "!=", ">", ">=", "<", "<=", "isempty", "range", "changed"}
	set          = []string{"="}
)

// kinds lists the types in the order in which they are shown.
var kinds = []kind{
	{
		name: String, article: "a string", needs: "a string", convert: convertAs[string], holds: isA[string],
		ordered: true, mark: "3", key: func(v any) string { return KeyText(v.(string)) }, item: true,
		where: []string{"$contains", "$icontains", "$regex"}, pushed: order,
		rules: []string{"regex", "=", "!=", "isempty", "changed"}, assign: set, sample: "sample",
	},
	{
		name: Integer, article: "an integer between -(2^53-1) and 2^53-1", needs: "an integer",
		convert: convertInteger, holds: isNumber, literal: numberLiteral,
		ordered: true, mark: "2", key: keyOfNumber, item: true,
		pushed: order, update: []string{"$incr_by"}, rules: orderedRules, assign: []string{"=", "inc_by"}, sample: 1.0,
	},
	{
		name: Number, article: "a number", needs: "a number", convert: convertNumber, holds: isNumber,
		literal: numberLiteral, ordered: true, mark: "2", key: keyOfNumber, item: true,
		pushed: order, update: []string{"$incr_by"}, rules: orderedRules, assign: []string{"=", "inc_by"}, sample: 0.5,
	},
	{
		name: Boolean, article: "true or false", needs: "true or false", convert: convertAs[bool], holds: isA[bool],
		literal: booleanLiteral, ordered: true, mark: "1", key: keyOfBoolean, item: true,
		pushed: equality, rules: []string{"=", "!=", "isempty", "changed"}, assign: set, sample: true,
	},
	{
		name: Array, article: "an array", needs: "an array", holds: isA[[]any], literal: decodeLiteral,
		where: []string{"$all"}, update: []string{"$append", "$append_unique", "$remove", "$pop"},
		rules:  []string{"contains", "isempty", "changed"},
		assign: []string{"=", "append", "append_unique", "remove"},
	},
	{
		name: Object, article: "an object", needs: "an object", convert: convertObject, holds: isA[map[string]any],
		literal: decodeLiteral, item: true, object: true, where: []string{"$has_key"}, update: []string{"$update"},
		rules: []string{"has_key", "isempty", "changed"}, assign: set, sample: map[string]any{"key": "sample"},
	},
	{
		name: File, article: "a file object with an id", needs: "a file", convert: convertFile, holds: isA[map[string]any],
		literal: decodeLiteral, item: true, object: true, rules: []string{"isempty", "changed"}, assign: set,
		sample: map[string]any{
			"id": "5f3e5f3e5f3e5f3e5f3e5f3f", "name": "sample.png", "mime_type": "image/png", "size": 1024.0,
			"cdn_path": "sample.png", "path": "https://files.example.com/sample.png", "created_at": 1732190400.0,
		},
	},
	{
		name: Date, article: `an ISO 8601 date with an offset, such as "2026-11-21T08:00:00+08:00"`, needs: "a date",
		convert: convertDate, holds: isDate, compare: compareDates, ordered: true, mark: "4", key: keyOfDate, item: true,
		rules: orderedRules, assign: set, sample: "2026-01-01T08:00:00+08:00",
	},
	{
		name: Pointer, article: `an object with "_table" and "id"`, needs: "a pointer", convert: Column.convertPointer,
		holds: isA[map[string]any], literal: pointerLiteral, object: true,
		rules: []string{"=", "!=", "changed"}, assign: set,
		sample: map[string]any{"_table": "sample", "id": "000000000000000000000001"},
	},
	{
		name: Geojson, article: "a GeoJSON Point or Polygon", needs: "a GeoJSON shape", convert: convertGeojson,
		holds: isA[map[string]any], literal: decodeLiteral, item: true, object: true,
		where: []string{"$intersects", "$within", "$center", "$nearsphere"},
		rules: []string{"isempty", "changed"}, assign: set, payload: geometryText,
		sample: map[string]any{"type": "Point", "coordinates": []any{120.0, 30.0}},
	},
}

// kind returns the properties of the type, or a zero kind for an unknown type.
func (t Type) kind() *kind {
	for i := range kinds {
		if kinds[i].name == t {
			return &kinds[i]
		}
	}
	return &kind{}
}

// Types returns all column types.
func Types() []Type { return typesWith(func(kind) bool { return true }) }

func typesWith(has func(kind) bool) (list []Type) {
	for _, k := range kinds {
		if has(k) {
			list = append(list, k.name)
		}
	}
	return list
}

// Ordered reports whether values of the type support <, sorting and indexes.
func (t Type) Ordered() bool { return t.kind().ordered }

// Operators returns the operators of where that the type supports besides those of all types.
func (t Type) Operators() []string {
	k := t.kind()
	if k.ordered {
		return append([]string{"$lt", "$lte", "$gt", "$gte", "$range"}, k.where...)
	}
	return k.where
}

// Pushes reports whether a row store may evaluate the operator of where itself.
func (t Type) Pushes(operator string) bool { return slices.Contains(t.kind().pushed, operator) }

// Updates returns the operators of update bodies that the type supports (D28).
func (t Type) Updates() []string { return t.kind().update }

// Rules returns the operators of trigger conditions that the type supports.
func (t Type) Rules() []string { return t.kind().rules }

// Assignments returns the operators with which a trigger's table operation can assign to the type.
func (t Type) Assignments() []string { return t.kind().assign }

// TakesObject reports whether a literal of the type is a JSON object.
func (t Type) TakesObject() bool { return t.kind().object }

// Key returns the index key of a canonical value. String comparison of keys gives the order of Compare. The first
// character is Mark; the key of null is "0". Only ordered types have keys.
func (t Type) Key(v any) string {
	if v == nil {
		return "0"
	}
	k := t.kind()
	return k.mark + k.key(v)
}

// Mark returns the first character of all keys except the key of null.
func (t Type) Mark() string { return t.kind().mark }

// Literal parses a value in a query string by the column's type. It returns text that does not fit the type
// unchanged; Convert then refuses it.
func (c Column) Literal(text string) (any, error) {
	if read := c.Type.kind().literal; read != nil {
		return read(c.Name, text)
	}
	return text, nil
}

// Sample returns a valid value of the column as decoded JSON.
func (c Column) Sample() any {
	if c.Type == Array {
		return []any{c.Item().Sample()}
	}
	return c.Type.kind().sample
}

// Payload returns a value as in event records: geometries are JSON text.
func (c Column) Payload(v any) any {
	payload := c.Type.kind().payload
	items, isList := v.([]any)
	switch {
	case v == nil:
		return nil
	case payload != nil:
		return payload(v)
	case c.Type == Array && isList && c.Items.kind().payload != nil:
		texts := make([]any, len(items))
		for i, item := range items {
			texts[i] = c.Item().Payload(item)
		}
		return texts
	}
	return v
}

// geometryText returns the JSON text of a geometry; a string stays unchanged.
func geometryText(v any) any {
	if isA[string](v) {
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return string(text)
}

func isA[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func isNumber(v any) bool {
	_, ok := ToFloat(v)
	return ok
}

func isDate(v any) bool {
	text, isText := v.(string)
	_, ok := Instant(text)
	return isText && ok
}

func convertAs[T any](_ Column, v any) (any, string) {
	if isA[T](v) {
		return v, ""
	}
	return nil, ""
}

func convertInteger(_ Column, v any) (any, string) {
	if f, ok := ToFloat(v); ok && f == math.Trunc(f) && math.Abs(f) <= MaxInteger {
		return int64(f), ""
	}
	return nil, ""
}

func convertNumber(_ Column, v any) (any, string) {
	if f, ok := ToFloat(v); ok {
		return f, ""
	}
	return nil, ""
}

func convertDate(_ Column, v any) (any, string) {
	text, _ := v.(string)
	if at, ok := Instant(text); ok {
		return FormatDate(at), ""
	}
	return nil, ""
}

// convertObject copies a JSON object.
func convertObject(_ Column, v any) (any, string) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, ""
	}
	plain, reason := plainObject(object, 1)
	if plain == nil { // an untyped nil means "no value"
		return nil, reason
	}
	return plain, ""
}

func convertGeojson(c Column, v any) (any, string) {
	// Some clients send GeoJSON as a JSON string; both forms have the same canonical value.
	if text, ok := v.(string); ok {
		decoded, err := Decode("value", []byte(text))
		if err != nil {
			return nil, "the string is not JSON"
		}
		v = decoded
	}
	object, reason := convertObject(c, v)
	if object == nil {
		return nil, reason
	}
	shape, err := geo.Parse(object.(map[string]any))
	if err != nil {
		return nil, err.Error()
	}
	return shape.JSON(), ""
}

func numberLiteral(_, text string) (any, error) {
	if json.Valid([]byte(text)) {
		return json.Number(text), nil
	}
	return text, nil
}

func booleanLiteral(_, text string) (any, error) {
	switch text {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return text, nil
}

func decodeLiteral(field, text string) (any, error) { return Decode("field "+field, []byte(text)) }

// pointerLiteral parses a pointer or the id of its row: row ids have 24 characters, user ids at most 16 digits.
func pointerLiteral(field, text string) (any, error) {
	switch {
	case strings.HasPrefix(text, "{"):
		return decodeLiteral(field, text)
	case len(text) <= 16 && strings.Trim(text, "0123456789") == "":
		return json.Number(text), nil
	}
	return text, nil
}
