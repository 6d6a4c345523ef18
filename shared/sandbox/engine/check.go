package engine

import (
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	lib "modernc.org/libquickjs"

	"minicloud/shared/sandbox"
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
	e.heap.limit = checkMemory
	now := time.Now()
	r := &run{world: &e.world, started: now, deadline: now.Add(checkTime), loading: undefined}
	e.world.run = r
	defer func() { e.world.run = nil }()
	p, err := e.compile(fileName(function), source)
	if err == nil {
		return nil
	}
	thrown := e.caught()
	switch {
	case r.interrupted:
		return []sandbox.Diagnostic{{Line: 1, Column: 1, Message: "the code takes too long to compile"}}
	case e.heap.refused:
		return []sandbox.Diagnostic{{Line: 1, Column: 1, Message: "the code takes too much memory to compile"}}
	}
	return []sandbox.Diagnostic{e.diagnostic(thrown, string(source), !p.module)}
}

func (w *world) diagnostic(thrown value, source string, wrapped bool) sandbox.Diagnostic {
	message, _ := w.text(w.get(thrown, "message"))
	d := sandbox.Diagnostic{
		Line: w.integer(thrown, "lineNumber"), Column: w.integer(thrown, "columnNumber"), Message: wellFormed(message),
	}
	if wrapped && d.Line == 1 {
		d.Column -= len(wrapper)
	}
	lines := strings.Split(source, "\n")
	if d.Line > len(lines) || d.Line < 1 { // the end of the wrapper: something is not closed
		d.Line = len(lines)
		d.Column = utf8.RuneCountInString(lines[d.Line-1]) + 1
		d.Message = "unexpected end of code"
	}
	d.Column = max(d.Column, 1)
	d.Excerpt = excerpt(lines[d.Line-1], d.Column)
	return d
}

func (w *world) integer(object value, name string) int {
	p := w.tls.Alloc(4)
	defer w.tls.Free(4)
	if lib.XJS_ToInt32(w.tls, w.ctx, p, w.get(object, name)) != 0 {
		w.drop(w.caught())
		return 0
	}
	return int(*(*int32)(unsafe.Add(nil, p)))
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
