// Package pattern is the language of EventBridge event patterns, which event
// source filters speak too.
//
//	pattern = {field: pattern | [matcher, …], …, "$or": [pattern, …]}
//	matcher = literal | {"prefix": s} | {"suffix": s} | {"equals-ignore-case": s}
//	        | {"wildcard": s} | {"numeric": [op, n, …]} | {"cidr": s}
//	        | {"exists": bool} | {"anything-but": literal | [literal, …] | matcher}
//
// All fields of a pattern must match; of a list any matcher; of a field that is
// an array in the event any element.
package pattern

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// Pattern says which events match.
type Pattern struct {
	fields map[string]node
	or     []*Pattern
}

// node is what a pattern says of one field: a pattern for an object, or
// matchers for a value.
type node struct {
	object   *Pattern
	matchers []matcher
}

// matcher tests one value; there is false when the field is missing.
type matcher func(value any, there bool) bool

// Compile understands a pattern decoded from JSON. The error names the field.
func Compile(source map[string]any) (*Pattern, error) {
	p, err := compile(source, "")
	if err != nil {
		return nil, fmt.Errorf("event pattern: %w", err)
	}
	return p, nil
}

func compile(source map[string]any, path string) (*Pattern, error) {
	if len(source) == 0 {
		return nil, fmt.Errorf("%s: an empty object matches nothing", at(path))
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
			if err := p.list(key, value, here); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("%s: must be an object or a list", here)
		}
	}

	return p, nil
}

func at(path string) string {
	if path == "" {
		return "the whole"
	}
	return path
}

func (p *Pattern) list(key string, values []any, path string) error {
	if len(values) == 0 {
		return fmt.Errorf("%s: an empty list matches nothing", path)
	}

	if key == "$or" {
		for _, v := range values {
			alternative, ok := v.(map[string]any)
			if !ok {
				return fmt.Errorf("%s: must be a list of objects", path)
			}

			compiled, err := compile(alternative, path)
			if err != nil {
				return err
			}

			p.or = append(p.or, compiled)
		}
		return nil
	}

	var n node
	for _, v := range values {
		m, err := compileMatcher(v)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		n.matchers = append(n.matchers, m)
	}

	p.fields[key] = n
	return nil
}

// Match says whether the event, decoded from JSON, matches.
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
	return len(p.or) == 0 || slices.ContainsFunc(p.or, func(o *Pattern) bool { return o.Match(event) })
}

func (n node) match(value any, there bool) bool {
	if n.object != nil {
		return n.object.Match(value)
	}
	values := []any{value}
	if list, ok := value.([]any); ok && len(list) > 0 {
		values = list
	}
	for _, m := range n.matchers {
		for _, v := range values {
			if m(v, there) {
				return true
			}
		}
	}
	return false
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
	for kind, argument := range object {
		return compileKind(kind, argument)
	}
	panic("unreachable: the object has one key")
}

func compileKind(kind string, argument any) (matcher, error) {
	switch kind {
	case "prefix":
		return affix(argument, strings.HasPrefix)
	case "suffix":
		return affix(argument, strings.HasSuffix)
	case "equals-ignore-case":
		return texts(kind, argument, strings.EqualFold)
	case "wildcard":
		return texts(kind, argument, wildcard)
	case "cidr":
		return cidr(argument)
	case "exists":
		return exists(argument)
	case "numeric":
		return numeric(argument)
	case "anything-but":
		return anythingBut(argument)
	}
	return nil, fmt.Errorf("the matcher %q is not known", kind)
}

// texts makes a matcher of strings out of a test; its argument is a string.
func texts(kind string, argument any, test func(value, argument string) bool) (matcher, error) {
	want, ok := argument.(string)
	if !ok {
		return nil, fmt.Errorf("%s wants a text", kind)
	}
	return func(value any, _ bool) bool {
		s, ok := value.(string)
		return ok && test(s, want)
	}, nil
}

// affix is prefix and suffix, which also take {"equals-ignore-case": s}.
func affix(argument any, test func(s, part string) bool) (matcher, error) {
	if object, ok := argument.(map[string]any); ok && len(object) == 1 && object["equals-ignore-case"] != nil {
		return texts("equals-ignore-case", object["equals-ignore-case"], func(s, part string) bool {
			return test(strings.ToLower(s), strings.ToLower(part))
		})
	}
	return texts("prefix or suffix", argument, test)
}

// wildcard matches with * for any characters; \* and \\ are literal.
func wildcard(s, pattern string) bool {
	if pattern == "" {
		return s == ""
	}

	if pattern[0] == '*' {
		rest := strings.TrimLeft(pattern, "*")
		for i := 0; i <= len(s); i++ {
			if wildcard(s[i:], rest) {
				return true
			}
		}
		return false
	}

	want := pattern[0]
	pattern = pattern[1:]
	if want == '\\' && pattern != "" {
		want, pattern = pattern[0], pattern[1:]
	}

	return s != "" && s[0] == want && wildcard(s[1:], pattern)
}

func cidr(argument any) (matcher, error) {
	text, _ := argument.(string)
	block, err := netip.ParsePrefix(text)
	if err != nil {
		return nil, fmt.Errorf("cidr wants an address block")
	}
	return func(value any, _ bool) bool {
		s, _ := value.(string)
		address, err := netip.ParseAddr(s)
		return err == nil && block.Contains(address)
	}, nil
}

func exists(argument any) (matcher, error) {
	want, ok := argument.(bool)
	if !ok {
		return nil, fmt.Errorf("exists wants true or false")
	}
	return func(_ any, there bool) bool { return there == want }, nil
}

// numeric takes one or two comparisons: [">", 0, "<=", 5].
func numeric(argument any) (matcher, error) {
	list, _ := argument.([]any)
	if len(list) != 2 && len(list) != 4 {
		return nil, fmt.Errorf("numeric wants one or two comparisons")
	}

	var tests []func(float64) bool
	for i := 0; i < len(list); i += 2 {
		operator, _ := list[i].(string)
		limit, ok := list[i+1].(float64)
		compare := map[string]func(float64) bool{
			"=": func(n float64) bool { return n == limit }, ">": func(n float64) bool { return n > limit },
			">=": func(n float64) bool { return n >= limit }, "<": func(n float64) bool { return n < limit },
			"<=": func(n float64) bool { return n <= limit },
		}[operator]
		if !ok || compare == nil {
			return nil, fmt.Errorf("numeric: %v %v is not a comparison", list[i], list[i+1])
		}

		tests = append(tests, compare)
	}

	return func(value any, _ bool) bool {
		n, ok := value.(float64)
		return ok && !slices.ContainsFunc(tests, func(test func(float64) bool) bool { return !test(n) })
	}, nil
}

// anythingBut matches what is there and matches none of its argument.
func anythingBut(argument any) (matcher, error) {
	list, ok := argument.([]any)
	if !ok {
		list = []any{argument}
	}
	if object, isObject := argument.(map[string]any); isObject {
		list = spread(object)
	}

	var refused []matcher
	for _, v := range list {
		m, err := compileMatcher(v)
		if err != nil {
			return nil, fmt.Errorf("anything-but: %w", err)
		}
		refused = append(refused, m)
	}

	if len(refused) == 0 {
		return nil, fmt.Errorf("anything-but an empty list")
	}

	return func(value any, there bool) bool {
		return there && !slices.ContainsFunc(refused, func(m matcher) bool { return m(value, true) })
	}, nil
}

// spread turns {"prefix": [a, b]} into [{"prefix": a}, {"prefix": b}].
func spread(object map[string]any) []any {
	var out []any
	for kind, argument := range object {
		list, ok := argument.([]any)
		if !ok {
			return []any{object}
		}
		for _, v := range list {
			out = append(out, map[string]any{kind: v})
		}
	}
	return out
}
