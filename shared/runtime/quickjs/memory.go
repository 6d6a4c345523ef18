// Package quickjs is the JavaScript engine QuickJS-ng, compiled to wasm and from wasm to Go by infra/lab/quickjs. A
// VM is one JavaScript world. It can only read and write its own reserved range of address space: an index has 32
// bits, and pages that are not mapped cannot be accessed.
//
// Every loop of the translated code checks whether Stop was called, so the engine can always be stopped.
package quickjs

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// space is the size of a VM's address space: the range of an index plus the largest constant offset of an access.
const space = 1<<32 + 16<<20

// pageSize is the page size of wasm in bytes.
const pageSize = 64 << 10

// VM is one JavaScript world. It is not safe for concurrent use, except for Stop.
type VM struct {
	Host Host

	memory unsafe.Pointer // address of index 0
	bytes  []byte         // the whole address space
	stop   uint32
	sp     uint32 // wasm's stack pointer; the stack grows down from firstStack
	lowest uint32 // lowest sp since ResetStack
}

type segment struct {
	at    uint32
	bytes string
}

// New reserves the address space of a VM and writes the module's initial data.
func New(host Host) (*VM, error) {
	// PROT_NONE pages use no memory until Map opens them, so a VM can grow without moving.
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

// Close frees the memory; the VM cannot be used again.
func (vm *VM) Close() error { return unix.Munmap(vm.bytes) }

// Mapped is the number of bytes that New maps; the caller maps memory above it.
const Mapped = firstPages * pageSize

// Map makes a range of memory accessible; it is zero at first.
func (vm *VM) Map(from, to uint32) error {
	return unix.Mprotect(vm.bytes[from:to], unix.PROT_READ|unix.PROT_WRITE)
}

// Unmap returns a range of memory to the kernel.
func (vm *VM) Unmap(from, to uint32) error {
	// Map the range again: the effect of MADV_DONTNEED differs between kernels.
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&vm.bytes[from]), uintptr(to-from), unix.PROT_NONE,
		unix.MAP_FIXED|unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	return err
}

// SealConstants makes the engine's constants read-only, so that not even a bug of the engine can change them
// between runs.
func (vm *VM) SealConstants() error {
	constants := segments[0]
	end := (constants.at + uint32(len(constants.bytes))) &^ 4095
	return unix.Mprotect(vm.bytes[constants.at:end], unix.PROT_READ)
}

// Variables is the first address that the engine writes to, except for the stack.
func (vm *VM) Variables() uint32 {
	constants := segments[0]
	return (constants.at + uint32(len(constants.bytes))) &^ 4095
}

// Memory returns a range of memory, valid until it is unmapped.
func (vm *VM) Memory(from, size uint32) []byte {
	return vm.bytes[from : uint64(from)+uint64(size)]
}

// ResetStack clears the used part of wasm's stack and empties the stack.
func (vm *VM) ResetStack() {
	clear(vm.bytes[vm.lowest&^15 : firstStack])
	vm.sp, vm.lowest = firstStack, firstStack
}

// Stopped is the panic value of the engine after Stop. The world is then in an undefined state and unusable until
// its memory is restored.
type Stopped struct{}

// Stop makes the engine panic with Stopped at the next loop check. It is safe for concurrent use.
func (vm *VM) Stop() { atomic.StoreUint32(&vm.stop, 1) }

// Go cancels Stop.
func (vm *VM) Go() { atomic.StoreUint32(&vm.stop, 0) }

// loop is called in every loop of the translated code.
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
