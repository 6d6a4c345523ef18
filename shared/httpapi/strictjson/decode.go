// Package strictjson decodes request bodies like encoding/json, but matches field names exactly ("DATA" is not data),
// refuses duplicates, and names the field in its errors. A lenient decoder could read other values than the component
// that checked the body before.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"unicode/utf8"

	"minicloud/shared/errs"
)

// nullable is implemented by types that accept null, such as httpapi.Nullable.
var nullable = reflect.TypeFor[interface{ Inner() reflect.Type }]()

// Decode reads a request body, which must be a JSON object, into dst. Unknown fields are ignored.
//
// Errors: errs.Invalid, which names the field if there is one.
func Decode(body []byte, dst any) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return errs.Invalid("the request body is empty, want a JSON object")
	}
	// Refuse invalid UTF-8: encoding/json would replace it by U+FFFD, or keep it in a RawMessage.
	if !utf8.Valid(body) {
		return errs.Invalid("the request body is not valid JSON: it has bytes that are not UTF-8")
	}
	// Validate once here, so that the reader of fields needs no error paths.
	if !json.Valid(body) {
		return malformed(body)
	}
	if bytes.Equal(body, []byte("null")) {
		return errs.Invalid("the request body must be a JSON object")
	}
	return read(body, reflect.ValueOf(dst).Elem(), "")
}

// malformed returns an error with the position where body is not JSON.
func malformed(body []byte) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(body, new(json.RawMessage))); ok {
		return errs.Invalid("the request body is not valid JSON: %s at byte %d", syntax.Error(), syntax.Offset)
	}
	return errs.Invalid("the request body is not valid JSON")
}

// mistyped returns an error with the expected and the actual type of a field.
func mistyped(field string, t reflect.Type, wrong *json.UnmarshalTypeError) error {
	if field == "" {
		return errs.Invalid("the request body must be %s, not %s", jsonWord(t), article(wrong.Value))
	}
	// Another type here means that encoding/json reports an item: the field itself is an array, as it should be.
	if t.Kind() == reflect.Slice && wrong.Type != t {
		_, items, _ := strings.Cut(jsonWord(wrong.Type), " ")
		return errs.Invalid("%s must be an array of %ss, but holds %s", field, items, article(wrong.Value))
	}
	word := jsonWord(wrong.Type)
	if reflect.PointerTo(t).Implements(nullable) {
		word += " or null"
	}
	return errs.Invalid("%s must be %s, not %s", field, word, article(wrong.Value))
}

// jsonWord returns the JSON name of a Go type.
func jsonWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonWord(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "another type"
}

// article turns the type names of encoding/json, such as "number 1.5" or "bool", into words with an article.
func article(value string) string {
	switch word, _, _ := strings.Cut(value, " "); word {
	case "bool":
		return "a boolean"
	case "array", "object":
		return "an " + word
	case "number":
		return "a " + value
	default:
		return "a " + word
	}
}
