package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
)

// object is a JSON object that keeps the order of its members.
type object struct {
	names  []string
	values map[string]any
}

func newObject() *object { return &object{values: map[string]any{}} }

// objectOf returns an object of alternating names and values.
func objectOf(members ...any) *object {
	o := newObject()
	for i := 0; i < len(members); i += 2 {
		o.set(members[i].(string), members[i+1])
	}
	return o
}

// set adds a member, or replaces its value in place.
func (o *object) set(name string, v any) {
	if _, there := o.values[name]; !there {
		o.names = append(o.names, name)
	}
	o.values[name] = v
}

func (o *object) has(name string) bool {
	_, there := o.values[name]
	return there
}

// take removes a member and returns its value, or nil.
func (o *object) take(name string) any {
	v := o.values[name]
	delete(o.values, name)
	o.names = slices.DeleteFunc(o.names, func(other string) bool { return other == name })
	return v
}

// object returns the object with that name; it adds an empty one if there is none.
func (o *object) object(name string) *object {
	if inner, ok := o.values[name].(*object); ok {
		return inner
	}
	inner := newObject()
	o.set(name, inner)
	return inner
}

// text returns the string with that name, or "".
func (o *object) text(name string) string {
	s, _ := o.values[name].(string)
	return s
}

// copied returns a deep copy of o.
func (o *object) copied() *object {
	out := newObject()
	for _, name := range o.names {
		out.set(name, copied(o.values[name]))
	}
	return out
}

func copied(v any) any {
	switch v := v.(type) {
	case *object:
		return v.copied()
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = copied(item)
		}
		return out
	}
	return v
}

// MarshalJSON implements json.Marshaler and keeps the order of the members.
func (o *object) MarshalJSON() ([]byte, error) {
	out := bytes.NewBufferString("{")
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false) // as for the whole document
	for i, name := range o.names {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := encoder.Encode(name); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := encoder.Encode(o.values[name]); err != nil {
			return nil, err
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// parse reads YAML into objects, lists and scalars; it resolves aliases and merges ("<<").
func parse(text []byte) (*object, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return newObject(), nil
	}
	v, err := read(document.Content[0])
	if err != nil {
		return nil, err
	}
	o, ok := v.(*object)
	if !ok {
		return nil, fmt.Errorf("line %d: want a mapping", document.Content[0].Line)
	}
	return o, nil
}

func read(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.AliasNode:
		// JSON has no aliases, so they are expanded.
		return read(n.Alias)
	case yaml.MappingNode:
		return readObject(n)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := read(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}

	var v any
	if err := n.Decode(&v); err != nil {
		return nil, fmt.Errorf("line %d: %w", n.Line, err)
	}
	return v, nil
}

func readObject(n *yaml.Node) (*object, error) {
	o := newObject()
	own := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		// {description: Yes, always} has a member "always" without a value.
		if value := n.Content[i+1]; value.Tag == "!!null" && value.Value == "" {
			return nil, fmt.Errorf("line %d: %q has no value; a text with a comma needs quotes", n.Content[i].Line, name)
		}

		v, err := read(n.Content[i+1])
		if err != nil {
			return nil, err
		}

		if merged, ok := v.(*object); ok && name == "<<" {
			for _, inner := range merged.names {
				if !own[inner] {
					o.set(inner, copied(merged.values[inner]))
				}
			}
			continue
		}
		if own[name] {
			return nil, fmt.Errorf("line %d: %q is given twice", n.Content[i].Line, name)
		}
		own[name] = true
		o.set(name, v)
	}
	return o, nil
}
