package engine

import (
	"crypto/rand"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

//go:embed boot.js
var bootSource string

// Options say what a world is built from.
type Options struct {
	// Main is the prelude: a script whose completion value is install(host).
	Main string
	// Module returns the source of a lazily loaded part of the prelude.
	Module func(name string) (source string, ok bool)
	// Preload names parts that are loaded once, into the template.
	Preload []string
	// HeapBytes is the largest guest heap a job may ask for; default 256 MB.
	HeapBytes int
}

// gcThreshold is where garbage collection first looks for cycles. Counted
// references free everything else at once, so short runs never collect.
const gcThreshold = 16 << 20

// stackSlots bounds the depth of calls, well before Go's own stack limit.
const stackSlots = 4000

// fragmentation is room in the region that free lists of other sizes may hold.
const fragmentation = 64 << 20

// QuickJS is an Engine on modernc.org/libquickjs.
type QuickJS struct {
	world
	compiler *compiler // of the prelude
	cache    bytecodeCache
	fresh    bool
}

// world is one JavaScript heap with its runtime and realm. Everything it points
// to inside the heap is part of the template and therefore valid in every run.
type world struct {
	tls  *libc.TLS
	heap *heap
	rt   uintptr
	ctx  uintptr

	hooks struct{ begin, fire, settle, describe, require value }
	boot  struct{ start, fail, state, wrap, keysOf value }

	functions []hostFunction // of the host object

	options Options
	engine  *QuickJS
	run     *run // nil outside of a run

	errors lib.TJSClassExoticMethods // of the class of errors
}

var _ Engine = (*QuickJS)(nil)

// New builds the world and its template.
func New(o Options) (*QuickJS, error) {
	if o.HeapBytes == 0 {
		o.HeapBytes = 256 << 20
	}
	c, err := newCompiler()
	if err != nil {
		return nil, err
	}

	h, err := newHeap(o.HeapBytes + fragmentation)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}

	e := &QuickJS{world: world{tls: libc.NewTLS(), heap: h, options: o}, compiler: c}
	e.engine = e
	if err := e.build(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.fresh = true

	return e, nil
}

// Close gives the memory back; the engine cannot be used again.
func (e *QuickJS) Close() error {
	return errors.Join(e.close(), e.compiler.close())
}

// Reset puts the template back.
func (e *QuickJS) Reset() {
	if e.fresh {
		return
	}
	if err := e.heap.reset(); err != nil {
		panic(err) // the process is replaced
	}
	e.fresh = true
}

// open makes runtime and realm.
func (w *world) open() error {
	// The functions live in Go memory that does not move and w keeps alive.
	functions := lib.TJSMallocFunctions{
		Fjs_malloc:  functionPointer(jsMalloc),
		Fjs_free:    functionPointer(jsFree),
		Fjs_realloc: functionPointer(jsRealloc),
	}
	pinned := &functions
	w.rt = lib.XJS_NewRuntime2(w.tls, uintptr(unsafe.Pointer(pinned)), uintptr(unsafe.Pointer(w.heap)))
	runtime.KeepAlive(pinned)
	if w.rt == 0 {
		return errors.New("engine: no runtime")
	}
	if w.ctx = lib.XJS_NewContext(w.tls, w.rt); w.ctx == 0 {
		return errors.New("engine: no context")
	}

	return w.hideStack()
}

func (w *world) close() error {
	w.tls.Close()
	return w.heap.close()
}

func (w *world) build() error {
	if err := w.open(); err != nil {
		return err
	}

	lib.XJS_SetContextOpaque(w.tls, w.ctx, uintptr(unsafe.Pointer(w)))
	w.watchErrors()
	lib.XJS_SetMaxStackSize(w.tls, w.rt, stackSlots)
	lib.XJS_SetInterruptHandler(w.tls, w.rt, functionPointer(onInterrupt), uintptr(unsafe.Pointer(w)))
	lib.XJS_SetHostPromiseRejectionTracker(w.tls, w.rt, functionPointer(onRejection), uintptr(unsafe.Pointer(w)))
	lib.XJS_SetModuleLoaderFunc(
		w.tls, w.rt, functionPointer(onImportName), functionPointer(onImport), uintptr(unsafe.Pointer(w)),
	)
	if err := errors.Join(w.addHandleClass(), w.furnish()); err != nil {
		return err
	}

	lib.XJS_RunGC(w.tls, w.rt)
	lib.XJS_SetGCThreshold(w.tls, w.rt, gcThreshold)
	w.heap.collectAt = &(*lib.TJSRuntime)(unsafe.Add(nil, w.rt)).Fmalloc_gc_threshold

	return w.heap.seal()
}

// furnish evaluates prelude and boot code and remembers their functions.
func (w *world) furnish() error {
	host, err := w.newHost()
	if err != nil {
		return err
	}

	install, err := w.evaluate("prelude:main", w.options.Main)
	if err != nil {
		return err
	}

	hooks := w.call(install, undefined, host)
	if isException(hooks) {
		return fmt.Errorf("engine: install prelude: %s", w.plainError(w.caught()))
	}

	boot, err := w.evaluate("engine:boot", bootSource)
	if err != nil {
		return err
	}

	api := w.call(boot, undefined, host, hooks)
	if isException(api) {
		return fmt.Errorf("engine: boot: %s", w.plainError(w.caught()))
	}
	if err := w.preload(hooks); err != nil {
		return err
	}

	w.hooks.begin, w.hooks.fire = w.get(hooks, "begin"), w.get(hooks, "fire")
	w.hooks.settle, w.hooks.describe = w.get(hooks, "settle"), w.get(hooks, "describeError")
	w.hooks.require = w.get(hooks, "require")
	w.boot.start, w.boot.fail = w.get(api, "start"), w.get(api, "fail")
	w.boot.state, w.boot.wrap = w.get(api, "state"), w.get(api, "wrap")
	w.boot.keysOf = w.get(api, "keysOf")

	return w.drain()
}

// preload loads the parts that nearly every run uses into the template, if the
// prelude offers that.
func (w *world) preload(hooks value) error {
	load := w.get(hooks, "preload")
	for _, name := range w.options.Preload {
		if v := w.call(load, undefined, w.newString(name)); isException(v) {
			return fmt.Errorf("engine: preload %s: %s", name, w.plainError(w.caught()))
		}
	}
	return nil
}

// drain runs the jobs that building left behind.
func (w *world) drain() error {
	for {
		switch ran := lib.XJS_ExecutePendingJob(w.tls, w.rt, 0); {
		case ran < 0:
			return fmt.Errorf("engine: prelude: %s", w.plainError(w.caught()))
		case ran == 0:
			return nil
		}
	}
}

// evaluate runs a script of ours and returns its completion value.
func (w *world) evaluate(file, source string) (value, error) {
	code, err := w.engine.compiler.script(file, source)
	if err != nil {
		return undefined, err
	}

	v := lib.XJS_EvalFunction(w.tls, w.ctx, w.read(code))
	if isException(v) {
		return v, fmt.Errorf("engine: %s: %s", file, w.plainError(w.caught()))
	}
	return v, nil
}

func (w *world) eval(file, source string, flags int32) value {
	name, keepName := cstring(file)
	text, keepText := cstring(source)
	v := lib.XJS_Eval(w.tls, w.ctx, text, lib.Tsize_t(len(source)), name, flags)
	runtime.KeepAlive(keepName)
	runtime.KeepAlive(keepText)
	return v
}

// plainError reads message and stack of an error of our own code.
func (w *world) plainError(v value) string {
	message, _ := w.text(v)
	stack, _ := w.text(w.stack(v))
	return message + "\n" + stack
}

// reseed gives Math.random a state of this run; the template's would repeat.
func (w *world) reseed() {
	var seed [8]byte
	rand.Read(seed[:])
	context := (*lib.TJSContext)(unsafe.Add(nil, w.ctx))
	context.Frandom_state = binary.LittleEndian.Uint64(seed[:]) | 1
}

// functionPointer is how translated C code holds a function.
func functionPointer(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

func worldAt(opaque uintptr) *world { return (*world)(unsafe.Add(nil, opaque)) }

func worldOf(ctx uintptr, tls *libc.TLS) *world {
	return worldAt(lib.XJS_GetContextOpaque(tls, ctx))
}

// onInterrupt is asked regularly while JavaScript or a regular expression runs.
func onInterrupt(_ *libc.TLS, _, opaque uintptr) int32 {
	r := worldAt(opaque).run
	if r == nil || time.Now().Before(r.deadline) {
		return 0
	}
	r.interrupted = true
	return 1
}
