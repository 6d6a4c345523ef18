package engine

import (
	"strings"
)

// What the engine says of values that cannot be iterated over or taken apart. It knows the value; V8 names the source.
const (
	notIterable      = " is not iterable (cannot read property Symbol(Symbol.iterator))"
	notAsyncIterable = " is not async iterable"
	notTakenApart    = "Cannot destructure '"
	returnsNone      = " is not a function or its return value is not iterable"
)

// iterable says what is not iterable: what a loop goes through, what is spread, or what a pattern of an array takes
// apart. V8 names the last only where it is one name, a literal or a call.
func (r *run) iterable(said string, s source) string {
	suffix := " is not iterable"
	if strings.HasSuffix(said, notAsyncIterable) {
		suffix = notAsyncIterable
	}

	switch {
	case s.before("of"), s.before("...") && s.enclosing() == '[':
		return s.notIterable(said, suffix, true)
	case s.before("..."):
		return s.notSpread(said)
	case s.peek() != '[' || !s.declares():
		return said
	}

	s.bracket()
	s.space()
	switch {
	case s.take("of"):
		return ".for" + suffix
	case s.take("="):
		return s.notIterable(said, suffix, false)
	}

	return said
}

func (s source) declares() bool { return s.before("const") || s.before("let") || s.before("var") }

func (s source) notIterable(said, suffix string, members bool) string {
	s.space()
	start := s
	name, whole, calls, n := s.expression()
	called, isCall := strings.CutSuffix(name, "(...)")
	switch {
	case start.take("await "):
		return intermediate + suffix
	case start.take("new "):
		class := start.word()
		return class + returnsNone
	case !whole || strings.HasPrefix(name, intermediate) || !members && (n > 0 || calls > 1):
		return said
	case isCall:
		return called + returnsNone
	}

	return name + suffix
}

// notSpread is V8's message for the last of some arguments.
func (s source) notSpread(said string) string {
	name, whole, _, _ := s.expression()
	s.space()
	switch {
	case !whole || s.peek() != ')':
		return said
	case strings.HasPrefix(said, "undefined") || strings.HasPrefix(said, "object null"):
		return name + " is not iterable (cannot read property undefined)"
	}

	return "Spread syntax requires ...iterable[Symbol.iterator] to be a function"
}

// takenApart says what a pattern cannot take apart, and which property it wants first.
func (r *run) takenApart(said string, s source) string {
	value, is, _ := strings.Cut(strings.TrimPrefix(said, notTakenApart), "' as it is ")
	is = strings.TrimSuffix(is, ".")
	if s.peek() != '{' {
		return said
	}

	outside := s.enclosing()
	nested := s.before(":") || s.before("[") || outside == '['
	caught, declared := s.before("catch ("), s.declares()
	key, simple := firstKey(source{text: []rune(s.bracket())})
	s.space()
	switch {
	case caught:
		value = ".catch"
	case s.take("of"):
		value = ".for"
		simple = simple && declared
	case s.take("="):
		name, whole, _, _ := s.expression()
		if !whole {
			name = intermediate
		}
		if s.space(); s.take(")") && !declared {
			if s.space(); s.take("=>") || s.peek() == '{' {
				break // the default of a parameter
			}
		}
		value = name
	case nested:
		simple = false
	}

	switch {
	case key != "" && !simple:
		return "Cannot read properties of " + is + " (reading '" + key + "')"
	case key != "":
		return "Cannot destructure property '" + key + "' of '" + value + "' as it is " + is + "."
	}

	return notTakenApart + value + "' as it is " + is + "."
}

// firstKey is the name of the first property of a pattern, "" when it has none. It is simple when it is neither taken
// apart itself nor has a default.
func firstKey(s source) (key string, simple bool) {
	s.space()
	switch c := s.peek(); {
	case c == '"' || c == '\'':
		key = s.quoted()
	case isName(c):
		key = s.word()
	default:
		return "", true
	}

	s.space()
	if s.take(":") {
		s.space()
		if c := s.peek(); c == '{' || c == '[' {
			return key, false
		}
		s.expression()
		s.space()
	}

	return key, s.peek() != '='
}
