// Package strictjson decodes request bodies as encoding/json does, but takes fields by their exact names ("DATA" is not
// data), refuses duplicates, and names the field in its errors. A lenient decoder could read other values than the
// component that checked the body before.
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

// nullable is a type that takes null as well, such as httpapi.Nullable.
var nullable = reflect.TypeFor[interface{ Inner() reflect.Type }]()

// Decode reads a request body, which must be a JSON object, into dst. Unknown fields are ignored.
//
// Errors: errs.Invalid, which names the field if there is one.
func Decode(body []byte, dst any) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return errs.Invalid("the request body is empty, want a JSON object")
	}
	// encoding/json would put U+FFFD in their place, or leave them in a RawMessage.
	if !utf8.Valid(body) {
		return errs.Invalid("the request body is not valid JSON: it has bytes that are not UTF-8")
	}
	// Checked once here, so that the reader of fields needs no error paths.
	if !json.Valid(body) {
		return malformed(body)
	}
	if bytes.Equal(body, []byte("null")) {
		return errs.Invalid("the request body must be a JSON object")
	}
	return read(body, reflect.ValueOf(dst).Elem(), "")
}

// malformed says what keeps body from being JSON.
func malformed(body []byte) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(body, new(json.RawMessage))); ok {
		return errs.Invalid("the request body is not valid JSON: %s at byte %d", syntax.Error(), syntax.Offset)
	}
	return errs.Invalid("the request body is not valid JSON")
}

// mistyped says what field should have been and is not.
func mistyped(field string, t reflect.Type, wrong *json.UnmarshalTypeError) error {
	if field == "" {
		return errs.Invalid("the request body must be %s, not %s", jsonWord(t), article(wrong.Value))
	}
	// encoding/json means an item then: the field, an array, is not of the wrong type.
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

// jsonWord names a Go type as its JSON callers know it.
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

// article turns encoding/json's "number 1.5", "bool" into words for the caller.
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
