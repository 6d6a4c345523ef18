package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// Decode reads the JSON object of the request body into dst.
//
// Unknown fields are ignored (D4), those that are spelled in another case are
// unknown, and none may come twice. Errors: errs.TooLarge over MaxBody,
// errs.MediaType for a body that is declared as something else, errs.Invalid
// naming the field whose type is wrong (D2).
func Decode(r *http.Request, dst any) error {
	body, err := Body(r)
	if err != nil {
		return err
	}
	if err := jsonType(r); err != nil {
		return err
	}
	return decode(body, dst)
}

// Body returns the request body, errs.TooLarge over MaxBody and errs.MediaType
// when it is compressed. It can be called again: the middleware and the handler
// both look at it.
func Body(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	if err := plainEncoding(r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, errs.Invalid("the request body could not be read")
	}
	if len(body) > MaxBody {
		return nil, errs.TooLarge("the request body is over %d MB", MaxBody>>20)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// plainEncoding refuses a compressed body: a few bytes could become gigabytes,
// and read as JSON they would only be called malformed.
func plainEncoding(r *http.Request) error {
	for _, sent := range r.Header.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(sent, ",") {
			coding = strings.TrimSpace(coding)
			if coding != "" && !strings.EqualFold(coding, "identity") {
				return errs.MediaType("Content-Encoding %q is not accepted, send the body as it is", clip.Text(coding, clip.Name))
			}
		}
	}
	return nil
}

func jsonType(r *http.Request) error {
	declared := r.Header.Get("Content-Type")
	if declared == "" {
		return nil
	}
	media, _, err := mime.ParseMediaType(declared)
	if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return errs.MediaType("the request body must be JSON (Content-Type: application/json)")
	}
	return nil
}

func decode(body []byte, dst any) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return errs.Invalid("the request body is empty, want a JSON object")
	}
	// encoding/json would put U+FFFD in their place, or leave them in a RawMessage.
	if !utf8.Valid(body) {
		return errs.Invalid("the request body is not valid JSON: it has bytes that are not UTF-8")
	}
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
