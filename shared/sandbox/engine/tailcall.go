package engine

import "strings"

// tailCall returns the column of the parenthesis of the call that a return statement ends with, and the statement's
// own column where it ends with none. QuickJS gives up the frame of a function that ends with `return f(x)`, and then
// points to the return; what is called, and where, is what a reader looks for.
func (r *run) tailCall(line, column int) (int, int) {
	text := []rune(r.line(line))
	if at := column - 1; at < 0 || at >= len(text) || !strings.HasPrefix(string(text[at:]), "return") {
		return line, column
	}

	var source []rune
	start := column - 1 + len("return")
	for n := line; n < line+chainLines; n++ {
		source = append(source, []rune(r.line(n)+"\n")...)
	}
	if start < len(source) && isName(source[start]) {
		return line, column // returned = 1
	}

	at, ok := lastCall(source[start:])
	if !ok {
		return line, column
	}

	before := string(source[:start+at])
	newline := strings.LastIndex(before, "\n")
	return line + strings.Count(before, "\n"), len([]rune(before[newline+1:])) + 1
}

// lastCall returns where the arguments, or the template, of the last call of an expression begin. ok is false when
// there is none, or when the expression has what cannot be told from something else without parsing it: comments,
// patterns, templates with values.
func lastCall(source []rune) (at int, ok bool) {
	depth := 0
	for n := 0; n < len(source); n++ {
		switch c := source[n]; c {
		case '"', '\'', '`':
			if c == '`' && depth == 0 && called(source[:n]) {
				at, ok = n, true
			}
			end := literalEnd(source, n)
			if end < 0 {
				return 0, false
			}
			n = end
		case '(', '[', '{':
			if c == '(' && depth == 0 && called(source[:n]) {
				at, ok = n, true
			}
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return at, ok
			}
		case ';':
			if depth == 0 {
				return at, ok
			}
		case '\n':
			if depth == 0 && !continues(source[:n], source[n:]) {
				return at, ok
			}
		case '/':
			if !called(source[:n]) || source[min(n+1, len(source)-1)] == '/' || source[min(n+1, len(source)-1)] == '*' {
				return 0, false
			}
		}
	}

	return 0, false // the statement is longer than what was looked at
}

// called reports whether a parenthesis behind this source holds arguments.
func called(source []rune) bool {
	s := backwards{source}
	s.trim()
	return len(s.source) > 0 && s.value()
}

// literalEnd returns where the string that begins at n ends, negative where it does not, or is a template with values.
func literalEnd(source []rune, n int) int {
	quote := source[n]
	for n++; n < len(source); n++ {
		switch c := source[n]; {
		case c == '\\':
			n++
		case c == quote:
			return n
		case c == '$' && quote == '`', c == '\n' && quote != '`':
			return -1
		}
	}

	return -1
}

// continues reports whether an expression goes on behind the end of a line.
func continues(before, after []rune) bool {
	const operators = ".,?:+-*/%&|^<>=!(["
	left, right := strings.TrimSpace(string(before)), strings.TrimSpace(string(after))

	return left != "" && strings.ContainsRune(operators, rune(left[len(left)-1])) ||
		right != "" && strings.ContainsRune(operators, rune(right[0]))
}
