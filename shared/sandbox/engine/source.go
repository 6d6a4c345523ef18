package engine

import (
	"slices"
	"strings"
)

// source is the text around a place, read forwards and backwards, with strings and brackets as units.
type source struct {
	text []rune
	at   int
}

// around returns the source up to some lines before and behind a place.
func (r *run) around(line, column int) source {
	before, _ := r.sourceBefore(line, column)
	rest := []rune(r.line(line))
	text := append(slices.Clone(before), rest[min(max(column-1, 0), len(rest)):]...)
	for n := line + 1; n <= line+chainLines; n++ {
		text = append(text, []rune("\n"+r.line(n))...)
	}

	return source{text, len(before)}
}

// before reports whether some text stands before the place; a word stands alone.
func (s source) before(word string) bool {
	text := strings.TrimRight(string(s.text[:s.at]), " \t\n")
	rest, found := strings.CutSuffix(text, word)
	return found && (!isName([]rune(word)[0]) || rest == "" || !isName([]rune(rest[len(rest)-1:])[0]))
}

// enclosing is the bracket that is open at the place, 0 when there is none.
func (s source) enclosing() rune {
	depth := 0
	for i := s.at - 1; i >= 0; i-- {
		switch c := s.text[i]; c {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				return c
			}
		case ';':
			if depth == 0 {
				return 0
			}
		}
	}

	return 0
}

// space skips what is blank.
func (s *source) space() {
	for s.at < len(s.text) && strings.ContainsRune(" \t\r\n", s.text[s.at]) {
		s.at++
	}
}

func (s *source) peek() rune {
	if s.at >= len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// take takes a text if it comes next.
func (s *source) take(text string) bool {
	if !strings.HasPrefix(string(s.text[s.at:min(len(s.text), s.at+len(text))]), text) {
		return false
	}
	s.at += len([]rune(text))
	return true
}

// word takes a name or a number.
func (s *source) word() string {
	start := s.at
	for s.at < len(s.text) && isName(s.text[s.at]) {
		s.at++
	}
	return string(s.text[start:s.at])
}

// quoted takes a string.
func (s *source) quoted() string {
	quote, start := s.peek(), s.at+1
	for s.at++; s.at < len(s.text) && s.text[s.at] != quote; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	end := min(s.at, len(s.text))
	s.at++
	return string(s.text[start:end])
}

// bracket takes what is in brackets.
func (s *source) bracket() string {
	start, depth := s.at+1, 0
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case '\'', '"', '`':
			s.quoted()
			s.at--
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				s.at++
				return string(s.text[start : s.at-1])
			}
		}
	}
	return string(s.text[min(start, len(s.text)):])
}

// expression takes what begins at the place as far as it is a chain, and writes it as V8 does. whole says that
// nothing else belongs to it; calls is how many calls are in it, members how many members.
func (s *source) expression() (text string, whole bool, calls, members int) {
	s.space()
	switch c := s.peek(); {
	case c == '(':
		inner := source{text: []rune(s.bracket())}
		var complete bool
		if text, complete, calls, members = inner.expression(); !complete || inner.unread() {
			text = intermediate
		}
	case c == '{':
		if text = "{}"; strings.TrimSpace(s.bracket()) != "" {
			text = intermediate
		}
	case c == '[':
		text = "[" + strings.ReplaceAll(s.bracket(), " ", "") + "]"
	case c == '"' || c == '\'':
		text = `"` + s.quoted() + `"`
	case isName(c):
		start := s.at
		if text = s.word(); slices.Contains([]string{"await", "new", "function", "async", "class", "typeof", "yield"}, text) {
			s.at = start
			return intermediate, false, 0, 0
		}
	default:
		return intermediate, false, 0, 0
	}

	for s.more(&text, &calls, &members) {
	}

	return text, s.ends(), calls, members
}

func (s *source) unread() bool { s.space(); return s.peek() != 0 }

// more takes a member, an index or a call.
func (s *source) more(text *string, calls, members *int) bool {
	mark := s.at
	s.space()
	switch c := s.peek(); {
	case s.take("?."):
		*text = intermediate
		if s.peek() != '(' && s.peek() != '[' {
			s.word()
		}
	case c == '.':
		s.at++
		*text += "." + s.word()
		*members++
	case c == '[' && !strings.Contains(string(s.text[mark:s.at]), "\n"):
		*text += index(s.bracket())
		*members++
	case c == '(' && !strings.Contains(string(s.text[mark:s.at]), "\n"):
		s.bracket()
		*text += "(...)"
		*calls++
	default:
		s.at = mark
		return false
	}

	return true
}

// ends reports whether an expression is over: no operator follows.
func (s *source) ends() bool {
	mark := s.at
	s.space()
	line := strings.Contains(string(s.text[mark:s.at]), "\n")
	c := s.peek()
	return c == 0 || strings.ContainsRune(";,)]}", c) || line && (isName(c) || c == '/')
}
