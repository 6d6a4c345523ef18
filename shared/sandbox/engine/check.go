package engine

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"minicloud/shared/sandbox"
	"minicloud/shared/sandbox/engine/realm"
)

// Bounds of a check.
const (
	checkTime   = 5 * time.Second
	checkMemory = 128 << 20
)

// Check compiles without running.
func (e *QuickJS) Check(function string, source []byte) []sandbox.Diagnostic {
	e.Reset()
	e.fresh = false
	e.Heap.SetLimit(checkMemory)
	now := time.Now()
	r := &run{
		world: &e.world, host: nobody{}, file: fileName(function), started: now, deadline: now.Add(checkTime),
		loading: realm.Undefined,
	}
	e.world.run = r
	defer func() { e.world.run = nil }()
	_, failure := e.compile(fileName(function), string(source))
	switch {
	case failure == nil:
		return nil
	case r.interrupted:
		failure = &problem{message: "the code takes too long to compile"}
	case e.Heap.Refused != 0:
		failure = &problem{message: "the code takes too much memory to compile"}
	}

	return []sandbox.Diagnostic{failure.diagnostic(withoutMark(string(source)))}
}

// nobody is the Host of a check, in which no user code runs.
type nobody struct{}

func (nobody) Log(string, string)         {}
func (nobody) Settled(Settlement)         {}
func (nobody) Call(int32, string, string) {}
func (nobody) Replies() <-chan Reply      { return nil }

// problem is why code does not compile. Line and column count from 1 in the
// user's source; line 0 means that there is no place to show.
type problem struct {
	kind, message string
	line, column  int
}

// problem takes the pending exception; shift is what stands before the code on
// its first line.
func (w *world) problem(shift int) *problem {
	thrown := w.Caught()
	defer w.Drop(thrown)
	p := &problem{
		kind: wellFormed(w.TextOf(thrown, "name")), message: wellFormed(w.TextOf(thrown, "message")),
	}
	if stack, ok := w.Text(w.stack(thrown)); ok && p.kind == "SyntaxError" {
		p.line, p.column = firstPlace(stack)
	}
	if p.line == 1 {
		p.column = max(p.column-shift, 1)
	}
	return p
}

// explained says better than the engine what is wrong, where that is known.
func (p *problem) explained(source string) *problem {
	if p.line == 0 {
		p.locateImport(source)
		return p
	}
	if p.message == "unexpected token in expression: ''" {
		p.message = "unexpected end of code"
	}

	lines := strings.Split(source, "\n")
	if p.line > len(lines) {
		return p
	}

	p.column = characters(lines[p.line-1], p.column)
	before := []rune(lines[p.line-1])
	before = before[:min(max(p.column-1, 0), len(before))]
	if word, found := strings.CutSuffix(strings.TrimRight(string(before), " \t"), "await"); found &&
		strings.HasPrefix(p.message, "expecting ") {
		if last, _ := utf8.DecodeLastRuneInString(word); word == "" || !isName(last) && last != '.' {
			p.column = utf8.RuneCountInString(word) + 1
			p.message = "await is only valid in async functions and at the top level of ES modules"
		}
	}

	return p
}

// characters turns a column that counts bytes, as the engine does, into one that counts characters.
func characters(line string, column int) int {
	return utf8.RuneCountInString(line[:min(max(column-1, 0), len(line))]) + 1
}

// locateImport finds where a module is imported that cannot be.
func (p *problem) locateImport(source string) {
	_, rest, found := strings.Cut(p.message, "module \"")
	name, _, ended := strings.Cut(rest, "\" is not available")
	if !found || !ended {
		return
	}
	for i, line := range strings.Split(source, "\n") {
		for _, quote := range []string{"'", "\""} {
			if at := strings.Index(line, quote+name+quote); at >= 0 && p.line == 0 {
				p.line, p.column = i+1, utf8.RuneCountInString(line[:at])+1
			}
		}
	}
}

// before reports whether p lies before q in the source.
func (p *problem) before(q *problem) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

func (p *problem) diagnostic(source string) sandbox.Diagnostic {
	d := sandbox.Diagnostic{Line: max(p.line, 1), Column: max(p.column, 1), Message: p.message}
	lines := strings.Split(source, "\n")
	if d.Line > len(lines) { // the end of the wrapper: something is not closed
		d.Line = len(lines)
		d.Column = utf8.RuneCountInString(lines[d.Line-1]) + 1
		d.Message = "unexpected end of code"
	}
	d.Excerpt = excerpt(lines[d.Line-1], d.Column)
	return d
}

// stopped reports whether the run is over its time or memory.
func (w *world) stopped() bool {
	return w.Heap.Refused != 0 || w.run != nil && w.run.interrupted
}

// places finds line and column at the end of a frame.
var places = regexp.MustCompile(`:(\d+):(\d+)\)?$`)

// firstPlace is where the first frame of a stack lies; 0 when that is no code.
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
