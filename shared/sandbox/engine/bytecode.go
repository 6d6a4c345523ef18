package engine

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"unsafe"

	lib "modernc.org/libquickjs"
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

// bytecodeCache keeps the most recently used programs by digest and file.
type bytecodeCache struct {
	byKey map[string]*list.Element
	order list.List // most recently used first
	bytes int
}

type cacheEntry struct {
	key     string
	program program
}

func (c *bytecodeCache) get(key string) (program, bool) {
	e, ok := c.byKey[key]
	if !ok {
		return program{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(cacheEntry).program, true
}

func (c *bytecodeCache) put(key string, p program) {
	if c.byKey == nil {
		c.byKey = map[string]*list.Element{}
	}
	c.byKey[key] = c.order.PushFront(cacheEntry{key, p})
	c.bytes += len(p.bytecode)
	for c.bytes > cacheBytes && c.order.Len() > 1 {
		last := c.order.Remove(c.order.Back()).(cacheEntry)
		delete(c.byKey, last.key)
		c.bytes -= len(last.program.bytecode)
	}
}

// fileName is the name of the function's file in stacks.
func fileName(function string) string { return function + ".js" }

// program returns the compiled code of the job, from the cache when it can.
// errThrown means a syntax error is pending.
func (e *QuickJS) program(job Job) (program, error) {
	key := job.Digest + "/" + job.Function
	if p, ok := e.cache.get(key); ok {
		return p, nil
	}
	source, err := job.Source()
	if err != nil {
		return program{}, err
	}
	if sum := sha256.Sum256(source); job.Digest != hex.EncodeToString(sum[:]) {
		return program{}, errors.New("the code does not have the digest it was sent with")
	}
	p, err := e.compile(fileName(job.Function), source)
	if err == nil {
		e.cache.put(key, p)
	}
	return p, err
}

// moduleSyntax finds code that may be an ES module.
var moduleSyntax = regexp.MustCompile(`(?m)(^|[;}\s])(import|export)\b`)

// compile compiles code as CommonJS and, when only that fails and the code has
// import or export, as an ES module. The error that stays pending belongs to
// the form the code seems to be written in.
func (w *world) compile(file string, source []byte) (program, error) {
	text := withoutHashbang(string(source))
	if v := w.eval(file, wrapper+text+"\n})", lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY); !isException(v) {
		return w.write(v, false)
	}
	if !moduleSyntax.MatchString(text) || w.run != nil && w.run.interrupted {
		return program{}, errThrown
	}
	first := w.caught()
	v := w.eval(file, text, lib.MJS_EVAL_TYPE_MODULE|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
	if !isException(v) {
		w.drop(first)
		return w.write(v, true)
	}
	if w.unsupportedKeyword(first) {
		w.drop(first)
		return program{module: true}, errThrown
	}
	w.drop(w.caught())
	lib.XJS_Throw(w.tls, w.ctx, first)
	return program{}, errThrown
}

// unsupportedKeyword reports whether compiling as CommonJS failed at import or
// export, which is how ES modules fail there.
func (w *world) unsupportedKeyword(failure value) bool {
	message, _ := w.text(w.get(failure, "message"))
	return strings.Contains(message, "import") || strings.Contains(message, "export")
}

// withoutHashbang turns a first line "#!…" into a comment of the same length.
func withoutHashbang(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(text, "#!") {
		return "//" + text[2:]
	}
	return text
}

// write turns compiled code into bytes.
func (w *world) write(compiled value, module bool) (program, error) {
	size := int(unsafe.Sizeof(lib.Tsize_t(0)))
	length := w.tls.Alloc(size)
	defer w.tls.Free(size)
	p := lib.XJS_WriteObject(w.tls, w.ctx, length, compiled, lib.MJS_WRITE_OBJ_BYTECODE)
	if p == 0 {
		return program{}, errThrown
	}
	code := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Add(nil, p)), int(*word(length)))...)
	lib.Xjs_free(w.tls, w.ctx, p)
	w.drop(compiled)
	return program{bytecode: code, module: module}, nil
}

// read turns bytes that write made back into code.
func (w *world) read(code []byte) value {
	v := lib.XJS_ReadObject(w.tls, w.ctx, uintptr(unsafe.Pointer(unsafe.SliceData(code))), lib.Tsize_t(len(code)), lib.MJS_READ_OBJ_BYTECODE)
	runtime.KeepAlive(code)
	return v
}

// loadPart evaluates a lazy part of the prelude and returns its factory.
func (e *QuickJS) loadPart(name string) (value, error) {
	code, ok := e.parts[name]
	if !ok {
		source, known := e.options.Module(name)
		if !known {
			return undefined, fmt.Errorf("no part %q", name)
		}
		v := e.eval("prelude:"+name, source, lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
		if isException(v) {
			return undefined, errThrown
		}
		p, err := e.write(v, false)
		if err != nil {
			return undefined, err
		}
		code = p.bytecode
		e.parts[name] = code
	}
	part := e.read(code)
	if isException(part) {
		return undefined, errThrown
	}
	factory := lib.XJS_EvalFunction(e.tls, e.ctx, part)
	if isException(factory) {
		return undefined, errThrown
	}
	return factory, nil
}
