package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unsafe"

	"minicloud/shared/sandbox/engine/realm"
)

// wrapper is put in front of CommonJS code, on its first line, so that lines
// keep their numbers; columns of the first line are corrected where shown.
const wrapper = "(function(exports,require,module,__filename,__dirname){"

// cacheBytes bounds the bytecode kept for functions.
const cacheBytes = 16 << 20

// program is compiled code.
type program struct {
	bytecode []byte
	module   bool // an ES module, not wrapped CommonJS
}

// bytecodeCache keeps programs by digest and file. A full one is emptied: a sandbox has few functions, of one tenant.
type bytecodeCache struct {
	programs map[string]program
	bytes    int
}

func (c *bytecodeCache) put(key string, p program) {
	if c.bytes += len(p.bytecode); c.programs == nil || c.bytes > cacheBytes {
		c.programs, c.bytes = map[string]program{}, len(p.bytecode)
	}
	c.programs[key] = p
}

// fileName is the name of the function's file in stacks.
func fileName(function string) string { return function + ".js" }

// program returns the compiled code of the job, from the cache when it can, or
// why it does not compile.
func (e *QuickJS) program(job Job) (program, *problem) {
	key := job.Digest + "/" + job.Function
	if p, ok := e.cache.programs[key]; ok {
		return p, nil
	}

	source, err := job.Source()
	if err != nil {
		return program{}, &problem{kind: "Error", message: err.Error()}
	}
	if sum := sha256.Sum256(source); job.Digest != hex.EncodeToString(sum[:]) {
		return program{}, &problem{kind: "Error", message: "the code does not have the digest it was sent with"}
	}

	p, failure := e.compile(fileName(job.Function), string(source))
	if failure == nil {
		e.cache.put(key, p)
	}

	return p, failure
}

// moduleSyntax finds code that may be an ES module.
var moduleSyntax = regexp.MustCompile(`(?m)(^|[;}\s])(import|export)\b`)

// compile compiles code as CommonJS and, when only that fails and the code has
// import or export, as an ES module. When both fail, the problem is that of the
// form whose reading got further.
func (w *world) compile(file, source string) (program, *problem) {
	text := withoutHashbang(source)
	if v := w.compileOnly(file, wrapper+text+"\n})", evalScript); !realm.IsException(v) {
		return w.write(v, false)
	}

	failure := w.problem(len(wrapper)).explained(text)
	if !moduleSyntax.MatchString(text) || w.stopped() {
		return program{}, w.located(failure, file, text)
	}

	v := w.compileOnly(file, text, evalModule)
	if !realm.IsException(v) {
		return w.write(v, true)
	}
	if module := w.problem(0).explained(text); module.kind != "SyntaxError" || !module.before(failure) {
		return program{module: true}, module
	}

	return program{}, w.located(failure, file, text)
}

func (w *world) compileOnly(file, text string, flags uint32) realm.Value {
	return w.eval(file, text, flags|evalCompileOnly)
}

// located replaces a problem that lies behind the code, in the wrapper's end, by
// what is wrong with the code alone.
func (w *world) located(p *problem, file, text string) *problem {
	if p.line <= strings.Count(text, "\n")+1 || w.stopped() {
		return p
	}
	v := w.compileOnly(file, text, evalScript)
	if realm.IsException(v) {
		return w.problem(0).explained(text)
	}
	w.Drop(v)
	return p
}

// withoutMark removes a byte order mark.
func withoutMark(text string) string { return strings.TrimPrefix(text, "\ufeff") }

// withoutHashbang turns a first line "#!…" into a comment of the same length.
func withoutHashbang(text string) string {
	text = withoutMark(text)
	if strings.HasPrefix(text, "#!") {
		return "//" + text[2:]
	}
	return text
}

// write turns compiled code into bytes.
func (w *world) write(compiled realm.Value, module bool) (program, *problem) {
	p := w.VM.Write(uint64(compiled), w.Scratch, w.writeFlags)
	if p == 0 {
		return program{}, w.problem(0)
	}
	code := append([]byte(nil), w.VM.Memory(p, w.Word(0))...)
	w.VM.JsFree(p)
	w.Drop(compiled)
	return program{bytecode: code, module: module}, nil
}

// read turns bytes that write made back into code.
func (w *world) read(code []byte) realm.Value {
	at, giveBack := w.Lend(unsafe.String(unsafe.SliceData(code), len(code)))
	defer giveBack()
	if at == 0 {
		return w.NoMemory()
	}
	return realm.Value(w.VM.Read(at, uint32(len(code))))
}

// loadPart evaluates a lazy part of the prelude and returns its factory.
func (e *QuickJS) loadPart(name string) (realm.Value, error) {
	source, known := e.options.Module(name)
	if !known {
		return realm.Undefined, fmt.Errorf("no part %q", name)
	}

	code, err := e.compiler.script("prelude:"+name, source)
	if err != nil {
		return realm.Undefined, err
	}

	part := e.read(code)
	if realm.IsException(part) {
		return realm.Undefined, realm.ErrThrown
	}

	factory := realm.Value(e.VM.Evaluate(uint64(part)))
	if realm.IsException(factory) {
		return realm.Undefined, realm.ErrThrown
	}

	return factory, nil
}
