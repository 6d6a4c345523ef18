package compile

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"minicloud/shared/runtime/engine/realm"
	"minicloud/shared/sandbox"
)

// Problem is the reason why code does not compile. Line and Column count from 1 in the user's source; Line 0 means
// that the position is unknown.
type Problem struct {
	Kind, Message string
	Line, Column  int
}

// Failed returns a Problem without a position.
func Failed(kind, message string) *Problem { return &Problem{Kind: kind, Message: message} }

// problem returns the pending exception as a Problem; shift is the length of the text before the code on its first
// line.
func problem(w *realm.Realm, shift int) *Problem {
	thrown := w.Caught()
	defer w.Drop(thrown)
	p := &Problem{
		Kind: realm.WellFormed(w.TextOf(thrown, "name")), Message: realm.WellFormed(w.TextOf(thrown, "message")),
	}
	if stack, err := w.Text(w.Stack(thrown)); err == nil && p.Kind == "SyntaxError" {
		p.Line, p.Column = firstPlace(stack)
	}
	if p.Line == 1 {
		p.Column = max(p.Column-shift, 1)
	}
	return p
}

// explained replaces unclear messages and positions of the engine by better ones.
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
	// QuickJS parses await outside of an async function as a name and reports the token after it.
	if word, found := strings.CutSuffix(strings.TrimRight(string(before), " \t"), "await"); found &&
		strings.HasPrefix(p.Message, "expecting ") {
		if last, _ := utf8.DecodeLastRuneInString(word); word == "" || !IsName(last) && last != '.' {
			p.Column = utf8.RuneCountInString(word) + 1
			p.Message = "await is only valid in async functions and at the top level of ES modules"
		}
	}

	return p
}

// Characters converts a column in bytes, as the engine counts, to a column in characters.
func Characters(line string, column int) int {
	return utf8.RuneCountInString(line[:min(max(column-1, 0), len(line))]) + 1
}

// locateImport finds the position of the import of an unavailable module.
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

// before reports whether p is before q in the source.
func (p *Problem) before(q *Problem) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Diagnostic returns the problem with an excerpt of the source.
func (p *Problem) Diagnostic(source string) sandbox.Diagnostic {
	source = WithoutMark(source)
	d := sandbox.Diagnostic{Line: max(p.Line, 1), Column: max(p.Column, 1), Message: p.Message}
	lines := strings.Split(source, "\n")
	if d.Line > len(lines) { // the end of the wrapper: the code has an unclosed block
		d.Line = len(lines)
		d.Column = utf8.RuneCountInString(lines[d.Line-1]) + 1
		d.Message = "unexpected end of code"
	}
	d.Excerpt = excerpt(lines[d.Line-1], d.Column)
	return d
}

// places matches the line and column at the end of a frame.
var places = regexp.MustCompile(`:(\d+):(\d+)\)?$`)

// firstPlace returns the position of a stack's first frame, 0 for a frame without a position.
func firstPlace(stack string) (line, column int) {
	first, _, _ := strings.Cut(stack, "\n")
	if at := places.FindStringSubmatch(first); at != nil {
		line, _ = strconv.Atoi(at[1])
		column, _ = strconv.Atoi(at[2])
	}
	return line, column
}

// excerptWidth is the maximum width of an excerpt, in characters.
const excerptWidth = 120

// excerpt returns the line with a caret below the column, which is counted in characters.
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

// IsName reports whether a character can be part of a name.
func IsName(c rune) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
