// Package realm is one JavaScript world as Go sees it: its memory, and the values in it. Package engine runs functions
// in it.
package realm

import (
	"errors"

	"minicloud/shared/runtime/quickjs"
)

// ErrThrown says that a JavaScript exception is pending.
var ErrThrown = errors.New("exception pending")

// Realm is one JavaScript world. Open it before use.
type Realm struct {
	VM      *quickjs.VM
	Heap    *Heap
	Scratch uint32 // memory for the results of calls, two values long
}

// Prepare makes the memory of the realm, which a quickjs.Host needs before Open.
func (r *Realm) Prepare() {
	r.Heap = &Heap{
		Mapped: quickjs.Mapped, large: map[uint32]uint32{}, gaps: map[uint32]uint32{}, frontier: largeStart,
	}
}

// stackBytes bounds the depth of calls, within the stack that the engine is linked with.
const stackBytes = 1900 << 10

// Open makes runtime and realm. host is what the engine calls of Go; at most heapBytes are in use at once.
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

// Close gives the memory back.
func (r *Realm) Close() error {
	if r.VM == nil {
		return nil
	}
	return r.VM.Close()
}
