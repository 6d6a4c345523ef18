package value

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"minicloud/shared/errs"
)

// Decode parses one JSON text with numbers as json.Number. Unlike encoding/json, it refuses duplicate keys: some
// parsers use the first and some the last value, so a filter could check a different value than the one used. It
// returns errs.Invalid, in which what names the text.
func Decode(what string, text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errs.Invalid("%s is not valid JSON: it has bytes that are not UTF-8", what)
	}

	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	v, err := decode(decoder, 0)
	// A decoder stops after the first value: without this check, "{} {}" would be accepted.
	if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = fmt.Errorf("there is more after the first value")
		}
	}

	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("it ends too early")
	}
	if err != nil {
		return nil, errs.Invalid("%s is not valid JSON: %v", what, err)
	}

	return v, nil
}

// Encode returns v as JSON without the HTML escapes of encoding/json, which turn one byte into six.
func Encode(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// maxNesting is the maximum nesting of a JSON text. Stored values have the stricter limit maxDepth.
const maxNesting = 64

func decode(decoder *json.Decoder, depth int) (any, error) {
	// Without a limit, recursion on a small body could exhaust the stack.
	if depth > maxNesting {
		return nil, fmt.Errorf("it is nested deeper than %d", maxNesting)
	}

	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}

	switch token {
	case json.Delim('{'):
		return decodeObject(decoder, depth)
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			item, err := decode(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}

		_, err := decoder.Token()
		return list, err
	}

	return token, nil
}

func decodeObject(decoder *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}

		key, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("a key is not a string")
		}
		if _, twice := object[key]; twice {
			return nil, fmt.Errorf("key %q is given twice", key)
		}
		if object[key], err = decode(decoder, depth+1); err != nil {
			return nil, err
		}
	}

	// This token is the closing brace, or the error that made More return false.
	_, err := decoder.Token()
	return object, err
}
