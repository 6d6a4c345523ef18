package engine

import (
	"regexp"
	"strconv"
	"strings"

	"minicloud/shared/runtime/engine/compile"
)

// positions rewrites every "<file>:line:column" in a text from QuickJS's position to that in the source: it
// subtracts the wrapper from columns of the first line, and moves from the parenthesis of a call to the called
// name, and from the dot of a member to the member.
func (r *run) positions(text string) string {
	if !strings.Contains(text, r.file+":") {
		return text
	}
	if r.places == nil {
		r.places = regexp.MustCompile(regexp.QuoteMeta(r.file) + `:(\d+):(\d+)`)
	}
	return r.places.ReplaceAllStringFunc(text, func(place string) string {
		line, column, ok := r.place(place)
		if !ok {
			return place
		}
		return r.file + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(pointed(r.line(line), column))
	})
}

// place returns the first "<file>:line:column" of a text as a position in the source.
func (r *run) place(text string) (line, column int, ok bool) {
	if r.places == nil {
		r.places = regexp.MustCompile(regexp.QuoteMeta(r.file) + `:(\d+):(\d+)`)
	}

	numbers := r.places.FindStringSubmatch(text)
	if numbers == nil {
		return 0, 0, false
	}
	line, err := strconv.Atoi(numbers[1])
	column, err2 := strconv.Atoi(numbers[2])
	if err != nil || err2 != nil {
		return 0, 0, false
	}

	// CommonJS code has the wrapper in front of its first line.
	if line == 1 && r.wrapped && column > len(compile.Wrapper) {
		column -= len(compile.Wrapper)
	}

	return line, compile.Characters(r.line(line), column), true
}

// line returns a line of the source, "" if there is none.
func (r *run) line(n int) string {
	if r.lines == nil {
		source, err := r.job.Source()
		if err != nil {
			return ""
		}
		r.lines = strings.Split(compile.WithoutMark(string(source)), "\n")
	}
	if n < 1 || n > len(r.lines) {
		return ""
	}
	return r.lines[n-1]
}

// pointed moves a column, counted in characters from 1, from punctuation to the name it belongs to.
func pointed(line string, column int) int {
	runes := []rune(line)
	at := column - 1
	if at < 0 || at >= len(runes) {
		return column
	}

	switch runes[at] {
	case '.':
		if at+1 < len(runes) && compile.IsName(runes[at+1]) {
			return column + 1
		}
	case '(':
		start := at
		for start > 0 && compile.IsName(runes[start-1]) {
			start--
		}

		if start == at {
			return column
		}

		// Node reports the position of "new", not of the class.
		if before, found := strings.CutSuffix(strings.TrimRight(string(runes[:start]), " "), "new"); found {
			if b := []rune(before); len(b) == 0 || !compile.IsName(b[len(b)-1]) {
				return len(b) + 1
			}
		}

		return start + 1
	}

	return column
}
