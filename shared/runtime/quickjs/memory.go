// Package quickjs is the JavaScript engine QuickJS-ng, compiled to wasm and from
// there to Go by infra/lab/quickjs. A VM is one JavaScript world. All it can ever
// read or write lies in one reserved stretch of address space that is its own:
// an index has 32 bits, and beyond what was mapped nothing can be reached.
//
// Every loop of the translated code asks whether Stop was called, so whatever
// the engine does ends.
package quickjs

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// space is the address space of a VM: what an index can reach, and the constant
// that some accesses add to it.
const space = 1<<32 + 16<<20

// pageSize is the unit of wasm's memory.
const pageSize = 64 << 10

// VM is one JavaScript world. It is not safe for concurrent use, Stop excepted.
type VM struct {
	Host Host

	memory unsafe.Pointer // of index 0
	bytes  []byte         // the whole space
	stop   uint32
	sp     uint32 // wasm's own stack grows down from firstStack
	lowest uint32 // the least sp was since ResetStack
}

type segment struct {
	at    uint32
	bytes string
}

// New reserves the space of a VM and fills in what the module begins with.
func New(host Host) (*VM, error) {
	// PROT_NONE pages cost no memory until Map opens them, so a VM can grow without moving.
	bytes, err := unix.Mmap(-1, 0, space, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve the engine's memory: %w", err)
	}

	vm := &VM{Host: host, bytes: bytes, memory: unsafe.Pointer(&bytes[0]), sp: firstStack, lowest: firstStack}
	if err := vm.Map(0, firstPages*pageSize); err != nil {
		return nil, err
	}
	for _, s := range segments {
		copy(bytes[s.at:], s.bytes)
	}
	vm.Initialize()

	return vm, nil
}

// Close gives the memory back; the VM cannot be used again.
func (vm *VM) Close() error { return unix.Munmap(vm.bytes) }

// Mapped is how much memory New mapped; what lies above is the caller's to map.
const Mapped = firstPages * pageSize

// Map makes a stretch of memory usable; it is zero at first.
func (vm *VM) Map(from, to uint32) error {
	return unix.Mprotect(vm.bytes[from:to], unix.PROT_READ|unix.PROT_WRITE)
}

// Unmap gives a stretch of memory back to the kernel.
func (vm *VM) Unmap(from, to uint32) error {
	// A new mapping in the old place: what MADV_DONTNEED leaves is not the same on every kernel.
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&vm.bytes[from]), uintptr(to-from), unix.PROT_NONE,
		unix.MAP_FIXED|unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	return err
}

// SealConstants makes the engine's constants read-only, so that not even a fault
// of the engine can change them between runs.
func (vm *VM) SealConstants() error {
	constants := segments[0]
	end := (constants.at + uint32(len(constants.bytes))) &^ 4095
	return unix.Mprotect(vm.bytes[constants.at:end], unix.PROT_READ)
}

// Variables is the first address that the engine writes to, stack excepted.
func (vm *VM) Variables() uint32 {
	constants := segments[0]
	return (constants.at + uint32(len(constants.bytes))) &^ 4095
}

// Memory is a stretch of memory, valid until it is unmapped.
func (vm *VM) Memory(from, size uint32) []byte {
	return vm.bytes[from : uint64(from)+uint64(size)]
}

// ResetStack clears what was used of wasm's stack and empties it.
func (vm *VM) ResetStack() {
	clear(vm.bytes[vm.lowest&^15 : firstStack])
	vm.sp, vm.lowest = firstStack, firstStack
}

// Stopped is what the engine panics with after Stop. The world is in no
// particular state then; nothing but putting back its memory makes it usable.
type Stopped struct{}

// Stop ends whatever the engine does, soon. It may be called from anywhere.
func (vm *VM) Stop() { atomic.StoreUint32(&vm.stop, 1) }

// Go takes Stop back.
func (vm *VM) Go() { atomic.StoreUint32(&vm.stop, 0) }

// loop is asked by every loop of the translated code.
func (vm *VM) loop() {
	if atomic.LoadUint32(&vm.stop) != 0 {
		panic(Stopped{})
	}
}

func (vm *VM) setStack(sp uint32) {
	vm.sp = sp
	if sp < vm.lowest {
		vm.lowest = sp
	}
}

func (vm *VM) copy(to, from, n uint32) {
	copy(vm.Memory(to, n), vm.Memory(from, n))
}

func (vm *VM) fill(to, value, n uint32) {
	memory := vm.Memory(to, n)
	if byte(value) == 0 {
		clear(memory)
		return
	}
	for i := range memory {
		memory[i] = byte(value)
	}
}
