// Package pattern implements the event patterns of EventBridge and of event source filters, as far as template.yaml
// uses them. It refuses AWS's other matchers.
//
//	pattern = {field: pattern | [matcher, …], …}
//	matcher = literal | {"prefix": s} | {"exists": bool} | {"anything-but": [literal, …]}
//
// All fields of a pattern must match. A list of matchers matches if any of them does; an array in the event matches if
// any element does.
package pattern

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Pattern is a compiled event pattern.
type Pattern struct{ fields map[string]node }

// node is the condition on one field: a pattern for an object, or matchers for a value.
type node struct {
	object   *Pattern
	matchers []matcher
}

// matcher tests one value; there is false if the field is missing.
type matcher func(value any, there bool) bool

// Compile compiles a pattern decoded from JSON. Its error names the field.
func Compile(source map[string]any) (*Pattern, error) {
	p, err := compile(source, "")
	if err != nil {
		return nil, fmt.Errorf("event pattern: %w", err)
	}
	return p, nil
}

func compile(source map[string]any, path string) (*Pattern, error) {
	if len(source) == 0 {
		return nil, fmt.Errorf("%s: an empty object matches nothing", path)
	}

	p := &Pattern{fields: map[string]node{}}
	for _, key := range slices.Sorted(maps.Keys(source)) {
		here := strings.TrimPrefix(path+"."+key, ".")
		switch value := source[key].(type) {
		case map[string]any:
			object, err := compile(value, here)
			if err != nil {
				return nil, err
			}
			p.fields[key] = node{object: object}
		case []any:
			// EventBridge defines keys such as $or; as field names they would never match.
			if strings.HasPrefix(key, "$") {
				return nil, fmt.Errorf("%s: is not served by the local cloud", here)
			}
			if len(value) == 0 {
				return nil, fmt.Errorf("%s: an empty list matches nothing", here)
			}
			var n node
			for _, v := range value {
				m, err := compileMatcher(v)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", here, err)
				}
				n.matchers = append(n.matchers, m)
			}
			p.fields[key] = n
		default:
			return nil, fmt.Errorf("%s: must be an object or a list", here)
		}
	}

	return p, nil
}

// Filters are patterns of which an event must match one. Without patterns, every event matches.
type Filters []*Pattern

// CompileFilters compiles the FilterCriteria of an event source.
func CompileFilters(sources []map[string]any) (out Filters, err error) {
	for _, source := range sources {
		p, err := Compile(source)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// Match reports whether an event decoded from JSON matches.
func (f Filters) Match(event any) bool {
	return len(f) == 0 || slices.ContainsFunc(f, func(p *Pattern) bool { return p.Match(event) })
}

// Match reports whether an event decoded from JSON matches.
func (p *Pattern) Match(event any) bool {
	if list, ok := event.([]any); ok {
		return slices.ContainsFunc(list, p.Match)
	}
	object, _ := event.(map[string]any)
	for key, n := range p.fields {
		value, there := object[key]
		if !n.match(value, there) {
			return false
		}
	}
	return true
}

func (n node) match(value any, there bool) bool {
	if n.object != nil {
		return n.object.Match(value)
	}
	values := []any{value}
	if list, ok := value.([]any); ok && len(list) > 0 {
		values = list
	}
	return slices.ContainsFunc(n.matchers, func(m matcher) bool {
		return slices.ContainsFunc(values, func(v any) bool { return m(v, there) })
	})
}

func compileMatcher(v any) (matcher, error) {
	object, ok := v.(map[string]any)
	if !ok {
		if _, isList := v.([]any); isList {
			return nil, fmt.Errorf("a list inside a list is not a matcher")
		}
		return func(value any, there bool) bool { return there && value == v }, nil
	}
	if len(object) != 1 {
		return nil, fmt.Errorf("a matcher has one key")
	}

	if prefix, ok := object["prefix"].(string); ok {
		return func(value any, _ bool) bool {
			s, ok := value.(string)
			return ok && strings.HasPrefix(s, prefix)
		}, nil
	}
	// exists is the only matcher that may match a missing field.
	if want, ok := object["exists"].(bool); ok {
		return func(_ any, there bool) bool { return there == want }, nil
	}
	if refused, ok := object["anything-but"].([]any); ok && len(refused) > 0 {
		for _, literal := range refused {
			switch literal.(type) {
			case map[string]any, []any:
				return nil, fmt.Errorf("anything-but wants literals")
			}
		}
		return func(value any, there bool) bool { return there && !slices.Contains(refused, value) }, nil
	}
	kind := slices.Collect(maps.Keys(object))[0]
	return nil, fmt.Errorf("the matcher %q is not known, or not with this argument", kind)
}
