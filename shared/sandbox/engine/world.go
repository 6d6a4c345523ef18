package engine

import (
	"crypto/rand"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"minicloud/shared/sandbox/quickjs"
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

// stackBytes bounds the depth of calls, within the stack that the engine is linked with.
const stackBytes = 1900 << 10

// fragmentation is room that free blocks of other sizes may hold.
const fragmentation = 64 << 20

// How code is compiled, as QuickJS numbers it.
const (
	evalScript      = 0
	evalModule      = 1
	evalCompileOnly = 1 << 5

	writeCode     = 1
	writeNoSource = 1 << 4
)

// QuickJS is an Engine on package quickjs.
type QuickJS struct {
	world
	compiler *compiler // of the prelude
	cache    bytecodeCache
	fresh    bool
}

// world is one JavaScript heap with its runtime and realm. Everything it points
// to inside the heap is part of the template and therefore valid in every run.
type world struct {
	vm      *quickjs.VM
	heap    *heap
	scratch uint32 // memory for results of calls

	hooks struct{ begin, fire, settle, describe, require value }
	boot  struct{ start, fail, state, wrap, keysOf value }

	functions  []hostFunction // of the host object
	writeFlags uint32         // of bytecode
	collators  collators

	options Options
	engine  *QuickJS
	run     *run // nil outside of a run
}

// doors is what the engine calls of a world.
type doors struct{ world *world }

var _ quickjs.Host = doors{}

func (d doors) Reserve(end uint32) uint32          { return d.world.heap.reserve(end) }
func (d doors) Large(size uint32) uint32           { return d.world.heap.takeLarge(size) }
func (d doors) Resize(at, old, size uint32) uint32 { return d.world.heap.resizeLarge(at, old, size) }
func (d doors) Release(at, size uint32)            { d.world.heap.giveLarge(at, size) }

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

	e := &QuickJS{world: world{options: o, writeFlags: writeCode}, compiler: c}
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
func (w *world) open(heapBytes int) error {
	w.heap = &heap{
		mapped: quickjs.Mapped, large: map[uint32]uint32{}, gaps: map[uint32]uint32{}, frontier: largeStart,
	}
	vm, err := quickjs.New(doors{w})
	if err != nil {
		return err
	}
	w.vm, w.heap.vm = vm, vm
	w.heap.attach()
	if vm.Open(uint32(heapBytes), stackBytes) == 0 {
		return errors.New("engine: no world")
	}
	if w.scratch = vm.Take(2 * valueSize); w.scratch == 0 {
		return errors.New("engine: no memory")
	}

	return nil
}

func (w *world) close() error {
	if w.vm == nil {
		return nil
	}
	return w.vm.Close()
}

func (w *world) build() error {
	if err := w.open(w.options.HeapBytes + fragmentation); err != nil {
		return err
	}
	if err := w.furnish(); err != nil {
		return err
	}
	w.vm.Collect()
	w.vm.CollectAt(gcThreshold)

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
		switch ran := int32(w.vm.RunJob()); {
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

	v := value(w.vm.Evaluate(uint64(w.read(code))))
	if isException(v) {
		return v, fmt.Errorf("engine: %s: %s", file, w.plainError(w.caught()))
	}
	return v, nil
}

func (w *world) eval(file, source string, flags uint32) value {
	name, giveBackName := w.lend(file)
	defer giveBackName()
	text, giveBack := w.lend(source)
	defer giveBack()
	if name == 0 || text == 0 {
		return w.noMemory()
	}
	return value(w.vm.Eval(text, uint32(len(source)), name, flags))
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
	w.vm.Reseed(binary.LittleEndian.Uint64(seed[:]))
}

// Interrupted is asked regularly while JavaScript or a regular expression runs.
func (d doors) Interrupted() uint32 {
	r := d.world.run
	if r == nil || time.Now().Before(r.deadline) {
		return 0
	}
	r.interrupted = true
	return 1
}
