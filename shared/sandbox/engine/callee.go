package engine

import (
	"slices"
	"strings"
)

// callee reads backwards from the arguments of a call what is called, and writes it as V8 does in its messages:
// a.b, a[0], a(...).b, (intermediate value).b. constructed says that `new` stands before it.
func callee(source []rune) (name string, constructed bool) {
	s := &backwards{source: source}
	s.trim()
	s.skip("?.") // f?.()

	head, calls := s.chain()
	if head == "" {
		return "", false
	}

	s.trim()
	constructed = s.word() == "new"
	if constructed && calls > 0 {
		// new C().m(): the first call made the object.
		_, rest, _ := strings.Cut(head, "(...)")
		return intermediate + rest, false
	}

	return head, constructed
}

const (
	intermediate = "(intermediate value)"
	maxInner     = 40 // characters of a literal that are shown
)

// backwards reads source from its end. It knows strings and brackets, not comments.
type backwards struct {
	source []rune
}

func (s *backwards) last() rune {
	if len(s.source) == 0 {
		return 0
	}
	return s.source[len(s.source)-1]
}

func (s *backwards) trim() {
	for c := s.last(); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = s.last() {
		s.source = s.source[:len(s.source)-1]
	}
}

func (s *backwards) skip(text string) bool {
	n := len(s.source) - len(text)
	if n < 0 || string(s.source[n:]) != text {
		return false
	}
	s.source = s.source[:n]
	s.trim()

	return true
}

// word takes the name at the end.
func (s *backwards) word() string {
	n := len(s.source)
	for n > 0 && isName(s.source[n-1]) {
		n--
	}
	word := string(s.source[n:])
	s.source = s.source[:n]

	return word
}

// chain takes a chain of members, indexes and calls, and returns how many calls are in it.
func (s *backwards) chain() (text string, calls int) {
	for {
		s.trim()
		switch c := s.last(); {
		case isName(c):
			text = s.word() + text
			if !s.member(&text) {
				return text, calls
			}
		case c == ']':
			inner, ok := s.bracket('[')
			if !ok {
				return intermediate + text, calls
			}
			if !s.value() {
				return shown("["+inner+"]") + text, calls
			}

			text = index(inner) + text
		case c == ')':
			inner, ok := s.bracket('(')
			if !ok {
				return intermediate + text, calls
			}
			if s.value() {
				text, calls = "(...)"+text, calls+1
				continue
			}

			return parenthesised(inner) + text, calls
		case c == '"' || c == '\'':
			return shown(`"`+s.quoted()+`"`) + text, calls
		default:
			if c == 0 && text == "" {
				return "", calls
			}
			return intermediate + text, calls
		}
	}
}

// member takes the dot before a member.
func (s *backwards) member(text *string) bool {
	s.trim()
	switch {
	case s.skip("?."):
		*text = "?." + *text
	case s.skip("."):
		*text = "." + *text
	default:
		return false
	}
	return true
}

// value reports whether the end can be called or indexed: a name that is no keyword, or something closed.
func (s *backwards) value() bool {
	s.trim()
	switch c := s.last(); {
	case c == ')' || c == ']' || c == '"' || c == '\'' || c == '`':
		return true
	case isName(c):
		look := backwards{s.source}
		return !slices.Contains(keywords, look.word())
	}

	return s.skip("?.")
}

// keywords may stand before a parenthesis or a bracket that does not belong to them.
var keywords = []string{
	"return", "await", "typeof", "void", "delete", "new", "in", "of", "case", "do", "else", "throw", "yield", "if",
	"while", "for", "instanceof",
}

// bracket takes from the closing bracket at the end to the one that opens it, and returns what is inside.
func (s *backwards) bracket(open rune) (inner string, ok bool) {
	depth, quote := 0, rune(0)
	for n := len(s.source) - 1; n >= 0; n-- {
		c := s.source[n]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == ')' || c == ']' || c == '}':
			depth++
		case c == '(' || c == '[' || c == '{':
			if depth--; depth == 0 {
				inner = string(s.source[n+1 : len(s.source)-1])
				s.source = s.source[:n]
				return inner, c == open
			}
		}
	}

	return "", false
}

// quoted takes the string at the end.
func (s *backwards) quoted() string {
	quote, n := s.last(), len(s.source)-1
	start := n
	for start > 0 && s.source[start-1] != quote {
		start--
	}
	text := string(s.source[start:n])
	s.source = s.source[:max(start-1, 0)]

	return text
}

// index writes what is in brackets behind a value: a name as a member.
func index(inner string) string {
	inner = strings.TrimSpace(inner)
	if name, ok := strings.CutPrefix(inner, inner[:min(1, len(inner))]); ok && len(inner) > 2 &&
		strings.ContainsAny(inner[:1], `'"`) {
		return "." + strings.TrimRight(name, `'"`)
	}

	return shown("[" + inner + "]")
}

// parenthesised writes what stands in parentheses of its own: a chain as it is.
func parenthesised(inner string) string {
	s := &backwards{source: []rune(inner)}
	if text, _ := s.chain(); text != "" && len(s.source) == 0 && !strings.Contains(text, "(") {
		return text
	}

	return intermediate
}

// shown is a literal, if it is short.
func shown(literal string) string {
	if len(literal) > maxInner || strings.ContainsAny(literal, "\n{}") {
		return intermediate
	}
	return literal
}
