package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"reflect"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
)

// read decodes valid JSON into dst. Struct fields need a json tag; a json.RawMessage is not checked for duplicates.
// path is the name of dst in errors, "" for the body.
func read(text []byte, dst reflect.Value, path string) error {
	t := dst.Type()
	if own, ok := dst.Addr().Interface().(memberReader); ok {
		return own.ReadMember(path, text)
	}
	switch {
	case t == rawMessage:
		dst.SetBytes(text)
		return nil
	case reflect.PointerTo(t).Implements(unmarshaler): // decoded below by its own UnmarshalJSON
	case text[0] == '{' && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		dst.Set(reflect.New(t.Elem()))
		return readObject(text, dst.Elem(), path)
	case text[0] == '{' && t.Kind() == reflect.Struct:
		return readObject(text, dst, path)
	case text[0] == '[' && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return readList(text, dst, path)
	}

	err := json.Unmarshal(text, dst.Addr().Interface())
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return mistyped(path, t, wrong)
	}
	return err
}

// memberReader is implemented by types that decode their own JSON. Its error names the field.
type memberReader interface {
	ReadMember(field string, text []byte) error
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

var rawMessage = reflect.TypeFor[json.RawMessage]()

func readObject(text []byte, dst reflect.Value, path string) error {
	if path != "" {
		path += "."
	}

	given := make(map[string][]byte)
	for name, value := range parts(text) {
		if _, twice := given[name]; twice {
			return errs.Invalid("%s is given twice", path+clip.Text(name, clip.Name))
		}
		given[name] = value
	}

	return fill(given, dst, path)
}

// fill sets the fields of a struct and of its embedded structs.
func fill(given map[string][]byte, dst reflect.Value, path string) error {
	for i := range dst.NumField() {
		f := dst.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		// Fields of an embedded struct are members of the outer object.
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			if err := fill(given, dst.Field(i), path); err != nil {
				return err
			}
			continue
		}
		value, ok := given[name]
		if !ok || name == "" {
			continue
		}
		if err := read(value, dst.Field(i), path+name); err != nil {
			return err
		}
	}

	return nil
}

func readList(text []byte, dst reflect.Value, path string) error {
	list := reflect.MakeSlice(dst.Type(), 0, 0)
	for _, value := range parts(text) {
		item := reflect.New(dst.Type().Elem()).Elem()
		if err := read(value, item, path); err != nil {
			return err
		}
		list = reflect.Append(list, item)
	}
	dst.Set(list)
	return nil
}

// blank is the white space of JSON.
const blank = " \t\r\n"

// parts yields the members of a JSON object, or the items of an array with empty names, in order. The text must be
// valid.
func parts(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		rest := bytes.TrimLeft(text[1:], blank)
		for rest[0] != '}' && rest[0] != ']' {
			var name string
			if text[0] == '{' {
				n := length(rest)
				_ = json.Unmarshal(rest[:n], &name) // the string is valid
				rest = bytes.TrimLeft(rest[n:], blank+":")
			}

			n := length(rest)
			if !yield(name, rest[:n:n]) {
				return
			}

			rest = bytes.TrimLeft(rest[n:], blank+",")
		}
	}
}

// length returns the length of the value at the start of a valid text.
func length(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 { // end of the enclosing value
				return i
			}
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}

	return len(text)
}
