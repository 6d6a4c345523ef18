package memdb

import (
	"maps"
	"slices"
)

// step is one element of a path: a name, or an index into a list.
type step struct {
	name  string
	index int // where name is ""
}

// path leads to a value within an item.
type path []step

// get returns the value at the path, nil when there is none.
func (p path) get(item Item) any {
	var at any = Value{"M": map[string]any(item)}
	for _, s := range p {
		kind, content := kindOf(at)
		switch {
		case s.name != "" && kind == "M":
			at = content.(map[string]any)[s.name]
		case s.name == "" && kind == "L":
			list := content.([]any)
			if s.index >= len(list) {
				return nil
			}
			at = list[s.index]
		default:
			return nil
		}

		if at == nil {
			return nil
		}
	}

	return at
}

// errPath is that of an update whose path leads through nothing.
var errPath = invalid("The document path provided in the update expression is invalid for update")

// set returns the item with a value at the path; nil removes what is there.
func (p path) set(item Item, v any) (Item, error) {
	changed, err := p.setIn(Value{"M": map[string]any(item)}, v)
	if err != nil {
		return nil, err
	}
	_, content := kindOf(changed)
	return content.(map[string]any), nil
}

func (p path) setIn(at, v any) (any, error) {
	if len(p) == 0 {
		return v, nil
	}

	kind, content := kindOf(at)
	s := p[0]
	switch {
	case s.name != "" && kind == "M":
		// Items are shared with readers and stream records, so a change copies each level of its path.
		object := maps.Clone(content.(map[string]any))
		return s.setMember(object, p[1:], v)
	case s.name == "" && kind == "L":
		return s.setElement(content.([]any), p[1:], v)
	}
	return nil, errPath
}

func (s step) setMember(object map[string]any, rest path, v any) (any, error) {
	if object == nil {
		object = map[string]any{}
	}
	// DynamoDB does not create parents: SET a.b fails when there is no a.
	if len(rest) > 0 && object[s.name] == nil {
		return nil, errPath
	}

	next, err := rest.setIn(object[s.name], v)
	if err != nil {
		return nil, err
	}
	if next == nil {
		delete(object, s.name)
	} else {
		object[s.name] = next
	}
	return Value{"M": object}, nil
}

func (s step) setElement(list []any, rest path, v any) (any, error) {
	out := append([]any{}, list...)
	if s.index >= len(out) {
		switch {
		case len(rest) > 0:
			return nil, errPath
		// DynamoDB appends an element whose index is beyond the end, without a gap.
		case v != nil:
			out = append(out, v)
		}
		return Value{"L": out}, nil
	}

	next, err := rest.setIn(out[s.index], v)
	if err != nil {
		return nil, err
	}
	if next == nil {
		out = append(out[:s.index], out[s.index+1:]...)
	} else {
		out[s.index] = next
	}
	return Value{"L": out}, nil
}

// project returns those parts of an item that the paths name.
func project(item Item, paths []path) Item {
	if paths == nil {
		return item
	}

	out := Item{}
	// Elements of a list come in the order of the list.
	paths = slices.Clone(paths)
	slices.SortStableFunc(paths, func(a, b path) int { return a[len(a)-1].index - b[len(b)-1].index })
	for _, p := range paths {
		if v := p.get(item); v != nil {
			place(out, p, v)
		}
	}
	return out
}

// place puts a value at a path of names; elements of lists are gathered in a list of their own.
func place(into map[string]any, p path, v any) {
	if len(p) == 1 {
		into[p[0].name] = v
		return
	}
	if p[1].name == "" {
		kind, content := kindOf(into[p[0].name])
		list := []any{}
		if kind == "L" {
			list = content.([]any)
		}
		into[p[0].name] = Value{"L": append(list, v)}
		return
	}

	kind, content := kindOf(into[p[0].name])
	object := map[string]any{}
	if kind == "M" {
		object = maps.Clone(content.(map[string]any))
	}
	place(object, p[1:], v)
	into[p[0].name] = Value{"M": object}
}
