// Package node decodes YAML mappings of a template strictly, and replaces intrinsic functions by their values.
package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Reader reads the properties of one resource. Fail hears what is wrong with them.
type Reader struct {
	*yaml.Node
	Fail func(format string, a ...any)
}

// Decode decodes the properties, see the function Decode.
func (r Reader) Decode(out any, irrelevant ...string) {
	if err := Decode(r.Node, out, irrelevant...); err != nil {
		r.Fail("%w", err)
	}
}

// OneOf reports a value that the local cloud does not support.
func (r Reader) OneOf(key, got string, served ...string) {
	if !slices.Contains(served, got) {
		r.Fail("%s: %s is not served by the local cloud, only %s", key, got, strings.Join(served, ", "))
	}
}

// Decode decodes a resolved mapping into the struct that out points to; the struct's present values are the defaults.
// The tag "A.B" of a field is the path of property B in property A. Keys that the struct lacks are errors, except the
// paths in irrelevant, which have no effect locally. Integers with the tag range:"low high" must be in that range.
func Decode(n *yaml.Node, out any, irrelevant ...string) error {
	if n.Kind == 0 {
		n = &yaml.Node{Kind: yaml.MappingNode} // the mapping is absent
	}
	if n.Kind != yaml.MappingNode {
		return Wrong(n, "must be a mapping")
	}

	err := flat(n, reflect.TypeOf(out).Elem(), irrelevant).Load(out, yaml.WithKnownFields())
	if err == nil {
		return inRange(n, reflect.ValueOf(out).Elem())
	}
	refused, ok := errors.AsType[*yaml.LoadErrors](err)
	if !ok {
		return err
	}
	var all []error
	for _, e := range refused.Errors {
		message := unknownField.ReplaceAllString(e.Message, "$1 is not served by the local cloud")
		all = append(all, fmt.Errorf("line %d: %s", e.Mark.Line, message))
	}
	return errors.Join(all...)
}

// flat returns a copy of a value of type t in which the keys of mappings are the paths that the tags of structs name.
func flat(n *yaml.Node, t reflect.Type, irrelevant []string) *yaml.Node {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	out := *n
	out.Content = nil
	switch {
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			out.Content = append(out.Content, flat(item, t.Elem(), nil))
		}
	case t.Kind() == reflect.Struct && t != reflect.TypeFor[yaml.Node]() && n.Kind == yaml.MappingNode:
		out.Content = members(n, "", fields(t), irrelevant)
	default:
		return n
	}
	return &out
}

// members returns the keys and values of a mapping, the keys with a prefix. It replaces a mapping that only paths name
// by its members.
func members(n *yaml.Node, prefix string, known map[string]reflect.Type, irrelevant []string) (out []*yaml.Node) {
	for key, value := range Pairs(n) {
		path := *key
		path.Value = prefix + key.Value
		of, isKnown := known[path.Value]
		switch {
		case slices.Contains(irrelevant, path.Value):
		case of != nil:
			out = append(out, &path, flat(value, of, nil))
		case isKnown && value.Kind == yaml.MappingNode && len(value.Content) > 0:
			out = append(out, members(value, path.Value+".", known, irrelevant)...)
		default: // an unknown key, or an empty mapping, which says nothing: the decoder refuses both
			out = append(out, &path, value)
		}
	}
	return out
}

// fields returns the types of a struct's fields, with those of embedded structs, by the paths in their tags; nil for
// what stands above a path.
func fields(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		path := f.Tag.Get("yaml")
		out[path] = f.Type
		for i, c := range path {
			if c == '.' {
				out[path[:i]] = nil
			}
		}
	}
	return out
}

// unknownField matches package yaml's error for a key that a struct lacks.
var unknownField = regexp.MustCompile(`^field (\S+) not found in type .*`)

// inRange checks the integers of a decoded struct and its nested structs against their range tags.
func inRange(n *yaml.Node, v reflect.Value) error {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				continue // the property is absent
			}
			value = value.Elem()
		}
		if value.Kind() == reflect.Struct && field.Type != reflect.TypeFor[yaml.Node]() {
			if err := inRange(n, value); err != nil {
				return err
			}
		}

		var low, high int64
		if _, err := fmt.Sscan(field.Tag.Get("range"), &low, &high); err != nil {
			continue
		}
		if got := value.Int(); got < low || got > high {
			return Wrong(n, "%s must be an integer from %d to %d", field.Tag.Get("yaml"), low, high)
		}
	}
	return nil
}

// Pairs yields the keys and values of a mapping, in file order, and nothing for other nodes.
func Pairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		if n == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// Get returns the value of a key, or nil if the node is not a mapping with that key.
func Get(n *yaml.Node, name string) *yaml.Node {
	for key, value := range Pairs(n) {
		if key.Value == name {
			return value
		}
	}
	return nil
}

// Wrong returns an error that names the line of the node.
func Wrong(n *yaml.Node, format string, a ...any) error {
	return fmt.Errorf("line %d: %s", n.Line, fmt.Sprintf(format, a...))
}

// Texts is a list of strings; in YAML a single string may replace a list of one.
type Texts []string

// UnmarshalYAML implements the interface of package yaml.
func (t *Texts) UnmarshalYAML(construct func(any) error) error {
	var one string
	if construct(&one) == nil {
		*t = Texts{one}
		return nil
	}
	return construct((*[]string)(t))
}

// Object is a JSON object, written as JSON text or as YAML. Its numbers are float64, as in encoding/json.
type Object map[string]any

// UnmarshalYAML implements the interface of package yaml.
func (o *Object) UnmarshalYAML(construct func(any) error) error {
	var text string
	if construct(&text) != nil {
		var plain map[string]any
		if err := construct(&plain); err != nil {
			return err
		}
		// Convert through JSON: patterns compare numbers as float64, but YAML also has integers.
		encoded, err := json.Marshal(plain)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	if err := json.Unmarshal([]byte(text), (*map[string]any)(o)); err != nil {
		return errors.New("must be a JSON object: " + strconv.Quote(text))
	}
	return nil
}

// NameIn returns the name in an ARN of a service: the part after prefix, up to the next slash. It returns "" for any
// other string.
func NameIn(arn, service, prefix string) string {
	parts := strings.SplitN(arn, ":", 6)
	if len(parts) != 6 || parts[2] != service || !strings.HasPrefix(parts[5], prefix) {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(parts[5], prefix), "/")
	return name
}
