// Package realm gives Go access to one JavaScript world: its memory and its values. Package engine runs functions
// in it.
package realm

import (
	"errors"

	"minicloud/shared/runtime/quickjs"
)

// ErrThrown means that a JavaScript exception is pending.
var ErrThrown = errors.New("exception pending")

// Realm is one JavaScript world. Open it before use.
type Realm struct {
	VM      *quickjs.VM
	Heap    *Heap
	Scratch uint32 // memory for the results of calls, the size of two values
}

// Prepare creates the heap of the realm, which a quickjs.Host needs before Open.
func (r *Realm) Prepare() {
	r.Heap = &Heap{
		Mapped: quickjs.Mapped, large: map[uint32]uint32{}, gaps: map[uint32]uint32{}, frontier: largeStart,
	}
}

// stackBytes limits the stack of JavaScript calls; it is below the stack size that the engine is linked with.
const stackBytes = 1900 << 10

// Open creates the runtime and the realm. host has the Go functions that the engine calls; heapBytes is the memory
// limit.
func (r *Realm) Open(host quickjs.Host, heapBytes int) error {
	vm, err := quickjs.New(host)
	if err != nil {
		return err
	}
	r.VM, r.Heap.vm = vm, vm
	r.Heap.attach()
	if vm.Open(uint32(heapBytes), stackBytes) == 0 {
		return errors.New("engine: no world")
	}
	if r.Scratch = vm.Take(2 * ValueSize); r.Scratch == 0 {
		return errors.New("engine: no memory")
	}
	return nil
}

// Close frees the memory.
func (r *Realm) Close() error {
	if r.VM == nil {
		return nil
	}
	return r.VM.Close()
}
