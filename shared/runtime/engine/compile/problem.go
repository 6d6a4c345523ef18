package compile

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/sandbox"
)

// Problem is the reason why code does not compile. Line and column count from 1 in the
// user's source; line 0 means that there is no place to show.
type Problem struct {
	Kind, Message string
	Line, Column  int
}

// Failed is a problem without a place.
func Failed(kind, message string) *Problem { return &Problem{Kind: kind, Message: message} }

// problem takes the pending exception; shift is what stands before the code on
// its first line.
func problem(w *realm.Realm, shift int) *Problem {
	thrown := w.Caught()
	defer w.Drop(thrown)
	p := &Problem{
		Kind: realm.WellFormed(w.TextOf(thrown, "name")), Message: realm.WellFormed(w.TextOf(thrown, "message")),
	}
	if stack, ok := w.Text(w.Stack(thrown)); ok && p.Kind == "SyntaxError" {
		p.Line, p.Column = firstPlace(stack)
	}
	if p.Line == 1 {
		p.Column = max(p.Column-shift, 1)
	}
	return p
}

// explained says better than the engine what is wrong, where that is known.
func (p *Problem) explained(source string) *Problem {
	if p.Line == 0 {
		p.locateImport(source)
		return p
	}
	if p.Message == "unexpected token in expression: ''" {
		p.Message = "unexpected end of code"
	}

	lines := strings.Split(source, "\n")
	if p.Line > len(lines) {
		return p
	}

	p.Column = Characters(lines[p.Line-1], p.Column)
	before := []rune(lines[p.Line-1])
	before = before[:min(max(p.Column-1, 0), len(before))]
	// QuickJS reads await outside of an async function as a name, and complains about the token after it.
	if word, found := strings.CutSuffix(strings.TrimRight(string(before), " \t"), "await"); found &&
		strings.HasPrefix(p.Message, "expecting ") {
		if last, _ := utf8.DecodeLastRuneInString(word); word == "" || !IsName(last) && last != '.' {
			p.Column = utf8.RuneCountInString(word) + 1
			p.Message = "await is only valid in async functions and at the top level of ES modules"
		}
	}

	return p
}

// Characters turns a column that counts bytes, as the engine does, into one that counts characters.
func Characters(line string, column int) int {
	return utf8.RuneCountInString(line[:min(max(column-1, 0), len(line))]) + 1
}

// locateImport finds where a module is imported that cannot be.
func (p *Problem) locateImport(source string) {
	_, rest, found := strings.Cut(p.Message, "module \"")
	name, _, ended := strings.Cut(rest, "\" is not available")
	if !found || !ended {
		return
	}
	for i, line := range strings.Split(source, "\n") {
		for _, quote := range []string{"'", "\""} {
			if at := strings.Index(line, quote+name+quote); at >= 0 && p.Line == 0 {
				p.Line, p.Column = i+1, utf8.RuneCountInString(line[:at])+1
			}
		}
	}
}

// before reports whether p lies before q in the source.
func (p *Problem) before(q *Problem) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Diagnostic shows the problem in the source.
func (p *Problem) Diagnostic(source string) sandbox.Diagnostic {
	source = WithoutMark(source)
	d := sandbox.Diagnostic{Line: max(p.Line, 1), Column: max(p.Column, 1), Message: p.Message}
	lines := strings.Split(source, "\n")
	if d.Line > len(lines) { // the end of the wrapper: something is not closed
		d.Line = len(lines)
		d.Column = utf8.RuneCountInString(lines[d.Line-1]) + 1
		d.Message = "unexpected end of code"
	}
	d.Excerpt = excerpt(lines[d.Line-1], d.Column)
	return d
}

// places finds line and column at the end of a frame.
var places = regexp.MustCompile(`:(\d+):(\d+)\)?$`)

// firstPlace is the position of the first frame of a stack; 0 for a frame outside of code.
func firstPlace(stack string) (line, column int) {
	first, _, _ := strings.Cut(stack, "\n")
	if at := places.FindStringSubmatch(first); at != nil {
		line, _ = strconv.Atoi(at[1])
		column, _ = strconv.Atoi(at[2])
	}
	return line, column
}

// excerptWidth is how much of a long line an excerpt shows.
const excerptWidth = 120

// excerpt shows the line with a caret below the column, counted in characters.
func excerpt(line string, column int) string {
	runes := []rune(strings.TrimRight(line, "\r"))
	at := min(column-1, len(runes))
	from := max(0, at-excerptWidth/2)
	shown := runes[from:min(len(runes), from+excerptWidth)]
	var indent strings.Builder
	for _, c := range runes[from:at] {
		if c == '\t' {
			indent.WriteByte('\t')
		} else {
			indent.WriteByte(' ')
		}
	}
	return string(shown) + "\n" + indent.String() + "^"
}

// IsName reports whether a character may stand in a name.
func IsName(c rune) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
