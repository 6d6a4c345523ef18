package memdb

import (
	"strconv"
	"strings"
	"unicode"
)

// parser reads the expressions of one request.
type parser struct {
	tokens []string
	at     int
	names  map[string]any
	values map[string]any
}

// newParser takes an expression apart.
func newParser(text string, names, values map[string]any) *parser {
	return &parser{tokens: tokens(text), names: names, values: values}
}

// tokens are words, with their # and :, numbers, and signs.
func tokens(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		c := rune(text[i])
		switch {
		case unicode.IsSpace(c):
			i++
		// Signs of two characters come first, or "<=" would be read as "<" and "=".
		case strings.HasPrefix(text[i:], "<>"), strings.HasPrefix(text[i:], "<="), strings.HasPrefix(text[i:], ">="):
			out = append(out, text[i:i+2])
			i += 2
		case strings.ContainsRune("()[],=<>+-.", c):
			out = append(out, text[i:i+1])
			i++
		default:
			j := i
			for j < len(text) && !unicode.IsSpace(rune(text[j])) && !strings.ContainsRune("()[],=<>+-.", rune(text[j])) {
				j++
			}
			out = append(out, text[i:j])
			i = j
		}
	}

	return out
}

func (p *parser) peek() string {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return ""
}

func (p *parser) next() string {
	t := p.peek()
	p.at++
	return t
}

// take takes a word or sign if it comes next, whatever its case.
func (p *parser) take(word string) bool {
	if strings.EqualFold(p.peek(), word) {
		p.at++
		return true
	}
	return false
}

// must is take for what has to come.
func (p *parser) must(word string) {
	if !p.take(word) {
		panic(invalid("Invalid expression: Syntax error; token: %q, want %q", p.peek(), word))
	}
}

// path reads a path.
func (p *parser) path() path {
	out := path{p.name()}
	for {
		switch {
		case p.take("."):
			out = append(out, p.name())
		case p.take("["):
			n, err := strconv.Atoi(p.next())
			if err != nil {
				panic(invalid("Invalid expression: an index must be a number"))
			}
			p.must("]")
			out = append(out, step{index: n})
		default:
			return out
		}
	}
}

func (p *parser) name() step {
	t := p.next()
	if !strings.HasPrefix(t, "#") {
		if t == "" || strings.ContainsAny(t, "()[],=<>+-.:") {
			panic(invalid("Invalid expression: Syntax error; token: %q", t))
		}
		return step{name: t}
	}

	// A placeholder stands for one attribute whose name may contain dots, so it is not split.
	name, ok := p.names[t].(string)
	if !ok {
		panic(invalid(
			"Invalid expression: An expression attribute name used in the document path is not defined; attribute name: %s", t,
		))
	}
	return step{name: name}
}

// value reads a parameter.
func (p *parser) value() any {
	t := p.next()
	v, ok := p.values[t]
	if !ok {
		panic(invalid(
			"Invalid expression: An expression attribute value used in expression is not defined; attribute value: %s", t,
		))
	}
	checked, err := check(v)
	if err != nil {
		panic(err)
	}
	return checked
}

// operand is a value, a path, or size of a path, to be read from an item.
type operand func(Item) any

func (p *parser) operand() operand {
	if strings.HasPrefix(p.peek(), ":") {
		v := p.value()
		return func(Item) any { return v }
	}
	if strings.EqualFold(p.peek(), "size") && p.at+1 < len(p.tokens) && p.tokens[p.at+1] == "(" {
		p.at += 2
		of := p.path()
		p.must(")")
		return func(item Item) any { return lengthOf(of.get(item)) }
	}
	of := p.path()
	return func(item Item) any { return of.get(item) }
}

func lengthOf(v any) any {
	n := 0
	switch kind, content := kindOf(v); kind {
	case "S":
		n = len(content.(string))
	case "B":
		n = valueSize(v)
	case "L":
		n = len(content.([]any))
	case "M":
		n = len(content.(map[string]any))
	case "SS", "NS", "BS":
		n = len(content.([]any))
	default:
		return nil
	}

	return Value{"N": strconv.Itoa(n)}
}

// condition holds of an item or does not; an absent item is nil.
type condition func(Item) bool

func (p *parser) condition() condition {
	left := p.conjunction()
	for p.take("OR") {
		a, b := left, p.conjunction()
		left = func(item Item) bool { return a(item) || b(item) }
	}
	return left
}

func (p *parser) conjunction() condition {
	left := p.negation()
	for p.take("AND") {
		a, b := left, p.negation()
		left = func(item Item) bool { return a(item) && b(item) }
	}
	return left
}

func (p *parser) negation() condition {
	if p.take("NOT") {
		inner := p.negation()
		return func(item Item) bool { return !inner(item) }
	}
	if p.take("(") {
		inner := p.condition()
		p.must(")")
		return inner
	}
	if c := p.function(); c != nil {
		return c
	}
	return p.comparison()
}

// function reads a function that holds or does not, nil when none comes next.
func (p *parser) function() condition {
	if p.at+1 >= len(p.tokens) || p.tokens[p.at+1] != "(" {
		return nil
	}
	name := strings.ToLower(p.peek())
	switch name {
	case "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains":
	default:
		return nil
	}

	p.at += 2
	of := p.path()
	var argument operand
	if p.take(",") {
		argument = p.operand()
	}
	p.must(")")
	return func(item Item) bool {
		v := of.get(item)
		switch name {
		case "attribute_exists":
			return v != nil
		case "attribute_not_exists":
			return v == nil
		}
		// In DynamoDB a function of a missing attribute is false, not an error.
		return v != nil && argument != nil && holds(name, v, argument(item))
	}
}

func holds(name string, v, argument any) bool {
	kind, content := kindOf(v)
	wanted, given := kindOf(argument)
	switch name {
	case "attribute_type":
		return kind == given
	case "begins_with":
		return kind == "S" && wanted == "S" && strings.HasPrefix(content.(string), given.(string))
	}

	switch kind {
	case "S":
		return wanted == "S" && strings.Contains(content.(string), given.(string))
	case "SS", "NS", "BS":
		// The type of an element is the first letter of its set's: "NS" has elements of "N".
		if wanted != kind[:1] {
			return false
		}
		for _, element := range content.([]any) {
			if equal(Value{wanted: element}, argument) {
				return true
			}
		}
	case "L":
		for _, element := range content.([]any) {
			if equal(element, argument) {
				return true
			}
		}
	}
	return false
}

// comparison reads a = b, a BETWEEN b AND c, a IN (b, c).
func (p *parser) comparison() condition {
	left := p.operand()
	switch sign := strings.ToUpper(p.next()); sign {
	case "BETWEEN":
		// The AND of BETWEEN is part of the operator and must be read before a logical AND.
		low := p.operand()
		p.must("AND")
		high := p.operand()
		return func(item Item) bool {
			a, oka := compare(left(item), low(item))
			b, okb := compare(left(item), high(item))
			return oka && okb && a >= 0 && b <= 0
		}
	case "IN":
		p.must("(")
		list := []operand{p.operand()}
		for p.take(",") {
			list = append(list, p.operand())
		}

		p.must(")")
		return func(item Item) bool {
			for _, o := range list {
				if equal(left(item), o(item)) {
					return true
				}
			}
			return false
		}
	case "=", "<>", "<", "<=", ">", ">=":
		right := p.operand()
		return func(item Item) bool { return compared(sign, left(item), right(item)) }
	default:
		panic(invalid("Invalid expression: Syntax error; token: %q", sign))
	}
}

func compared(sign string, a, b any) bool {
	switch sign {
	case "=":
		return equal(a, b)
	case "<>":
		return !equal(a, b)
	}

	// Values of different types, or missing ones, have no order; DynamoDB then answers false for every sign.
	order, ok := compare(a, b)
	if !ok {
		return false
	}

	switch sign {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}

	return order >= 0
}

// parse reads a whole condition; "" is none, which always holds.
func parse(text string, names, values map[string]any) (c condition, err error) {
	if text == "" {
		return func(Item) bool { return true }, nil
	}

	defer recoverInvalid(&err)
	p := newParser(text, names, values)
	c = p.condition()
	if p.peek() != "" {
		return nil, invalid("Invalid expression: Syntax error; token: %q", p.peek())
	}
	return c, nil
}

// parsePaths reads a projection; "" is none.
func parsePaths(text string, names map[string]any) (paths []path, err error) {
	if text == "" {
		return nil, nil
	}

	defer recoverInvalid(&err)
	p := newParser(text, names, nil)
	paths = []path{p.path()}
	for p.take(",") {
		paths = append(paths, p.path())
	}
	return paths, nil
}

func recoverInvalid(err *error) {
	if r := recover(); r != nil {
		failure, ok := r.(error)
		if !ok {
			panic(r)
		}
		*err = failure
	}
}
