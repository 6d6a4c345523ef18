// Package compile compiles the code of a function to bytecode, or reports why it does not compile.
package compile

import (
	"regexp"
	"strings"
	"unsafe"

	"minicloud/shared/runtime/engine/realm"
)

// Flags of QuickJS for compiling code and writing bytecode.
const (
	evalScript      = 0
	evalModule      = 1
	evalCompileOnly = 1 << 5

	writeCode     = 1
	writeNoSource = 1 << 4
)

// Wrapper is prepended to the first line of CommonJS code, so that line numbers stay the same; displayed columns of
// the first line are corrected.
const Wrapper = "(function(exports,require,module,__filename,__dirname){"

// Program is compiled code.
type Program struct {
	Bytecode []byte
	Module   bool // an ES module; otherwise wrapped CommonJS
}

// moduleSyntax matches code that may be an ES module.
var moduleSyntax = regexp.MustCompile(`(?m)(^|[;}\s])(import|export)\b`)

// Function compiles code as CommonJS. If that fails and the code contains import or export, it compiles the code as
// an ES module. If both fail, it returns the problem that is further into the source.
func Function(r *realm.Realm, file, source string, stopped func() bool) (Program, *Problem) {
	text := withoutHashbang(source)
	if v := compileOnly(r, file, Wrapper+text+"\n})", evalScript); !realm.IsException(v) {
		return write(r, v, false, 0)
	}

	// Most functions are CommonJS, so try that first. Code without import or export cannot be a module.
	failure := problem(r, len(Wrapper)).explained(text)
	if !moduleSyntax.MatchString(text) || stopped() {
		return Program{}, located(r, failure, file, text, stopped)
	}

	v := compileOnly(r, file, text, evalModule)
	if !realm.IsException(v) {
		return write(r, v, true, 0)
	}
	if module := problem(r, 0).explained(text); module.Kind != "SyntaxError" || !module.before(failure) {
		return Program{Module: true}, module
	}

	return Program{}, located(r, failure, file, text, stopped)
}

func compileOnly(r *realm.Realm, file, text string, flags uint32) realm.Value {
	name, giveBackName := r.Lend(file)
	defer giveBackName()
	source, giveBack := r.Lend(text)
	defer giveBack()
	if name == 0 || source == 0 {
		return r.NoMemory()
	}
	return realm.Value(r.VM.Eval(source, uint32(len(text)), name, flags|evalCompileOnly))
}

// located replaces a problem behind the code, in the end of the wrapper, by the problem of the code without the
// wrapper.
func located(r *realm.Realm, p *Problem, file, text string, stopped func() bool) *Problem {
	if p.Line <= strings.Count(text, "\n")+1 || stopped() {
		return p
	}
	v := compileOnly(r, file, text, evalScript)
	if realm.IsException(v) {
		return problem(r, 0).explained(text)
	}
	r.Drop(v)
	return p
}

// WithoutMark removes a byte order mark.
func WithoutMark(text string) string { return strings.TrimPrefix(text, "\ufeff") }

// withoutHashbang turns a first line "#!…" into a comment of the same length.
func withoutHashbang(text string) string {
	text = WithoutMark(text)
	if strings.HasPrefix(text, "#!") {
		return "//" + text[2:]
	}
	return text
}

// write serializes compiled code to bytecode.
func write(r *realm.Realm, compiled realm.Value, module bool, flags uint32) (Program, *Problem) {
	p := r.VM.Write(uint64(compiled), r.Scratch, writeCode|flags)
	if p == 0 {
		return Program{}, problem(r, 0)
	}
	code := append([]byte(nil), r.VM.Memory(p, r.Word(0))...)
	r.VM.JsFree(p)
	r.Drop(compiled)
	return Program{Bytecode: code, Module: module}, nil
}

// Read loads bytecode.
func Read(r *realm.Realm, code []byte) realm.Value {
	at, giveBack := r.Lend(unsafe.String(unsafe.SliceData(code), len(code)))
	defer giveBack()
	if at == 0 {
		return r.NoMemory()
	}
	return realm.Value(r.VM.Read(at, uint32(len(code))))
}

// Script compiles a script of the platform. Its bytecode omits the source: it is not needed, and every reset would
// copy it.
func Script(r *realm.Realm, file, source string) ([]byte, *Problem) {
	v := compileOnly(r, file, source, evalScript)
	if realm.IsException(v) {
		return nil, problem(r, 0)
	}
	p, failure := write(r, v, false, writeNoSource)
	return p.Bytecode, failure
}
