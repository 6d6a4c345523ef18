package engine

import (
	"crypto/rand"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"

	"minicloud/shared/cache"
	"minicloud/shared/runtime/engine/compile"
	"minicloud/shared/runtime/engine/realm"
)

//go:embed boot.js
var bootSource string

// Options configure a world.
type Options struct {
	// Main is the source of the prelude: a script whose completion value is install(host).
	Main string
	// Module returns the source of a lazily loaded part of the prelude.
	Module func(name string) (source string, ok bool)
	// Preload names parts that are loaded into the template.
	Preload []string
	// HeapBytes is the largest guest heap a job may ask for; default 256 MB.
	HeapBytes int
}

// gcThreshold is the heap size at which garbage collection first looks for cycles. Reference counting frees
// everything else immediately, so short runs never collect.
const gcThreshold = 16 << 20

// fragmentation is additional heap for free blocks that do not fit a request.
const fragmentation = 64 << 20

// Engine runs and checks functions. It is not safe for concurrent use.
type Engine struct {
	world
	compiler *compiler // compiles the prelude
	cache    cache.Map[string, compile.Program]
	fresh    bool
}

// world is one JavaScript heap with its runtime and realm. All values it refers to are part of the template and
// therefore valid in every run.
type world struct {
	realm.Realm

	hooks struct{ begin, fire, settle, describe, require realm.Value }
	boot  struct{ start, fail, state, wrap, keysOf realm.Value }

	functions []hostFunction // functions of the host object

	options Options
	engine  *Engine
	run     *run // nil outside of a run
}

// doors implements quickjs.Host: the Go functions that the engine calls.
type doors struct{ world *world }

func (d doors) Reserve(end uint32) uint32          { return d.world.Heap.Reserve(end) }
func (d doors) Large(size uint32) uint32           { return d.world.Heap.TakeLarge(size) }
func (d doors) Resize(at, old, size uint32) uint32 { return d.world.Heap.ResizeLarge(at, old, size) }
func (d doors) Release(at, size uint32)            { d.world.Heap.GiveLarge(at, size) }

// New builds the world and its template.
func New(o Options) (*Engine, error) {
	if o.HeapBytes == 0 {
		o.HeapBytes = 256 << 20
	}
	c, err := newCompiler()
	if err != nil {
		return nil, err
	}

	// The prelude is compiled in a heap of its own: see compiler.
	e := &Engine{world: world{options: o}, compiler: c}
	e.engine = e
	if err := e.build(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.fresh = true

	return e, nil
}

// Close frees the memory; the engine cannot be used again.
func (e *Engine) Close() error {
	return errors.Join(e.world.Close(), e.compiler.Close())
}

// Reset restores the template. Run and Check call it if necessary.
func (e *Engine) Reset() {
	if e.fresh {
		return
	}
	if err := e.Heap.Reset(); err != nil {
		panic(err) // the supervisor replaces the process
	}
	e.fresh = true
}

func (w *world) build() error {
	w.Prepare()
	if err := w.Open(doors{w}, w.options.HeapBytes+fragmentation); err != nil {
		return err
	}
	if err := w.furnish(); err != nil {
		return err
	}
	w.VM.Collect()
	w.VM.CollectAt(gcThreshold)

	return w.Heap.Seal()
}

// furnish evaluates the prelude and boot.js and stores their functions.
func (w *world) furnish() error {
	host, err := w.newHost()
	if err != nil {
		return err
	}

	install, err := w.evaluate("prelude:main", w.options.Main)
	if err != nil {
		return err
	}

	hooks := w.Call(install, realm.Undefined, host)
	if realm.IsException(hooks) {
		return fmt.Errorf("engine: install prelude: %s", w.plainError(w.Caught()))
	}

	boot, err := w.evaluate("engine:boot", bootSource)
	if err != nil {
		return err
	}

	api := w.Call(boot, realm.Undefined, host, hooks)
	if realm.IsException(api) {
		return fmt.Errorf("engine: boot: %s", w.plainError(w.Caught()))
	}
	// Load the parts that nearly every run uses into the template.
	if err := w.preload(hooks); err != nil {
		return err
	}

	w.hooks.begin, w.hooks.fire = w.Get(hooks, "begin"), w.Get(hooks, "fire")
	w.hooks.settle, w.hooks.describe = w.Get(hooks, "settle"), w.Get(hooks, "describeError")
	w.hooks.require = w.Get(hooks, "require")
	w.boot.start, w.boot.fail = w.Get(api, "start"), w.Get(api, "fail")
	w.boot.state, w.boot.wrap = w.Get(api, "state"), w.Get(api, "wrap")
	w.boot.keysOf = w.Get(api, "keysOf")

	return w.drain()
}

// preload loads the parts of Options.Preload into the template.
func (w *world) preload(hooks realm.Value) error {
	load := w.Get(hooks, "preload")
	for _, name := range w.options.Preload {
		if v := w.Call(load, realm.Undefined, w.NewString(name)); realm.IsException(v) {
			return fmt.Errorf("engine: preload %s: %s", name, w.plainError(w.Caught()))
		}
	}
	return nil
}

// drain runs the jobs that building the world has queued.
func (w *world) drain() error {
	for {
		switch ran := int32(w.VM.RunJob()); {
		case ran < 0:
			return fmt.Errorf("engine: prelude: %s", w.plainError(w.Caught()))
		case ran == 0:
			return nil
		}
	}
}

// evaluate runs a script of the platform and returns its completion value.
func (w *world) evaluate(file, source string) (realm.Value, error) {
	code, err := w.engine.compiler.script(file, source)
	if err != nil {
		return realm.Undefined, err
	}

	v := realm.Value(w.VM.Evaluate(uint64(compile.Read(&w.Realm, code))))
	if realm.IsException(v) {
		return v, fmt.Errorf("engine: %s: %s", file, w.plainError(w.Caught()))
	}
	return v, nil
}

// plainError returns the message and the stack of an error in the platform's own scripts.
func (w *world) plainError(v realm.Value) string {
	message, _ := w.Text(v)
	stack, _ := w.Text(w.Stack(v))
	return message + "\n" + stack
}

// reseed seeds Math.random for this run; the template's state would repeat.
func (w *world) reseed() {
	var seed [8]byte
	rand.Read(seed[:])
	w.VM.Reseed(binary.LittleEndian.Uint64(seed[:]))
}

// Interrupted is called regularly while JavaScript or a regular expression runs; 1 interrupts it.
func (d doors) Interrupted() uint32 {
	if r := d.world.run; r != nil && r.Late() {
		return 1
	}
	return 0
}
