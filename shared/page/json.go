package page

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
)

// objectType is the type of rows, of which each group of endpoints has a type of its own.
var objectType = reflect.TypeFor[map[string]any]()

// AppendJSON appends a value as encoding/json writes it in a response, rows and what they contain in a third of its time.
// It panics for a value that has no JSON, which is a mistake of the program.
func AppendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case string:
		if Wire(v) == len(v)+len(`""`) { // it needs no escapes
			return append(append(append(b, '"'), v...), '"')
		}
	case []any:
		return AppendList(b, v)
	case map[string]any:
		return appendObject(b, v)
	default:
		of := reflect.ValueOf(value)
		if _, own := value.(json.Marshaler); !own && of.Kind() == reflect.Map && of.CanConvert(objectType) {
			return appendObject(b, of.Convert(objectType).Interface().(map[string]any))
		}
	}

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

func appendObject(b []byte, object map[string]any) []byte {
	if object == nil {
		return append(b, "null"...)
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(AppendJSON(b, name), ':')
		b = AppendJSON(b, object[name])
	}
	return append(b, '}')
}

// AppendList appends a list as AppendJSON does.
func AppendList[T any](b []byte, list []T) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, item := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendJSON(b, item)
	}
	return append(b, ']')
}
