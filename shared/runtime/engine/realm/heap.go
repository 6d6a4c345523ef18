package realm

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"minicloud/shared/runtime/quickjs"
)

// Layout of a world's memory: the engine's own variables come first, then the heap with blocks of up to 256 KB,
// allocated from the bottom. Larger blocks are whole pages in the upper half.
const (
	growStep   = 1 << 20 // the heap is mapped in steps of this size
	clearMax   = 4 << 20 // a larger used part is unmapped instead of cleared
	largeStart = 1 << 31
	pageSize   = 4096
)

// counters are the first fields of the heap structure in glue.c.
type counters struct {
	Used           uint32 // bytes
	Peak           uint32 // maximum of Used
	Limit          uint32 // of Used
	Refused        uint32 // 1 after a block was refused because of Limit
	next, reserved uint32
}

// Heap is the memory of one JavaScript world. The engine allocates and counts the blocks; Heap maps memory for it,
// keeps the template, and restores it.
type Heap struct {
	*counters
	vm     *quickjs.VM
	Mapped uint32 // end of the mapped lower part

	large    map[uint32]uint32 // sizes of the blocks in the upper half
	gaps     map[uint32]uint32 // sizes of the free ranges between them
	frontier uint32            // start of the part that was never used

	Template     []byte // a copy of the memory, starting at the engine's variables
	TemplateNext uint32 // end of the memory in the template
}

// attach finds the counters, which exist once the world is open.
func (h *Heap) attach() {
	h.counters = (*counters)(unsafe.Pointer(unsafe.SliceData(h.vm.Memory(h.vm.HeapAt(), uint32(unsafe.Sizeof(counters{}))))))
}

// SetLimit sets the limit of used memory.
func (h *Heap) SetLimit(bytes int64) { h.Limit = uint32(min(bytes, math.MaxInt32)) }

// Holds reports whether size more bytes fit below the limit.
func (h *Heap) Holds(size int) bool { return uint64(h.Used)+uint64(size) <= uint64(h.Limit) }

// Reserve maps the lower part up to end and returns the end of the mapped part; 0 is a refusal.
func (h *Heap) Reserve(end uint32) uint32 {
	if end > largeStart-growStep {
		return 0
	}
	grown := (end + growStep - 1) / growStep * growStep
	if grown > h.Mapped {
		if h.vm.Map(h.Mapped, grown) != nil {
			return 0
		}
		h.Mapped = grown
	}
	return h.Mapped
}

// TakeLarge maps a block of whole pages; 0 is a refusal. It reserves twice the size if there is room, so that an
// array can grow in place.
func (h *Heap) TakeLarge(size uint32) uint32 {
	for at, gap := range h.gaps {
		if gap >= size {
			return h.mapLarge(at, size)
		}
	}
	at := h.frontier
	if uint64(at)+uint64(size) > math.MaxUint32-pageSize {
		return 0
	}
	// Reserve twice the size: a growing array is extended in place instead of copied.
	stretch := min(2*uint64(size), math.MaxUint32-pageSize-uint64(at))
	h.frontier = at + uint32(stretch)
	h.gaps[at] = uint32(stretch)

	return h.mapLarge(at, size)
}

// mapLarge maps a block at the start of a gap.
func (h *Heap) mapLarge(at, size uint32) uint32 {
	if h.vm.Map(at, at+size) != nil {
		return 0
	}
	gap := h.gaps[at]
	delete(h.gaps, at)
	if gap > size {
		h.gaps[at+size] = gap - size
	}
	h.large[at] = size

	return at
}

// ResizeLarge changes the size of a block and moves it if necessary; 0 is a refusal.
func (h *Heap) ResizeLarge(at, old, size uint32) uint32 {
	switch {
	case size == old:
		return at
	case size < old:
		h.GiveLarge(at+size, old-size)
		h.large[at] = size
		return at
	case h.gaps[at+old] >= size-old:
		if h.mapLarge(at+old, size-old) == 0 {
			return 0
		}
		delete(h.large, at+old)
		h.large[at] = size
		return at
	}

	// There is no room behind the block, so copy it.
	moved := h.TakeLarge(size)
	if moved != 0 {
		copy(h.vm.Memory(moved, old), h.vm.Memory(at, old))
		h.GiveLarge(at, old)
	}
	return moved
}

// GiveLarge unmaps a block and merges it with the gap behind it.
func (h *Heap) GiveLarge(at, size uint32) {
	if err := h.vm.Unmap(at, at+size); err != nil {
		panic(err) // the supervisor replaces the process
	}
	delete(h.large, at)
	if gap, ok := h.gaps[at+size]; ok {
		delete(h.gaps, at+size)
		size += gap
	}
	h.gaps[at] = size
}

// Seal makes the current memory the template of all later resets.
func (h *Heap) Seal() error {
	if len(h.large) > 0 {
		return errors.New("engine: the template holds a large block")
	}
	if err := h.vm.SealConstants(); err != nil {
		return err
	}
	h.TemplateNext = h.next
	h.Template = append([]byte(nil), h.Lower(h.next)...)
	return nil
}

// Lower returns the memory from the engine's variables to end.
func (h *Heap) Lower(end uint32) []byte {
	from := h.vm.Variables()
	return h.vm.Memory(from, end-from)
}

// Reset restores the template and clears everything else.
func (h *Heap) Reset() error {
	if err := h.freeLarge(); err != nil {
		return err
	}
	top := h.TemplateNext
	// Clearing a small part is faster than unmapping it; for a large part unmapping is faster.
	if used := h.next - top; used <= clearMax {
		clear(h.vm.Memory(top, used))
	} else if err := h.shrink(top); err != nil {
		return err
	}
	copy(h.Lower(top), h.Template)
	h.vm.ResetStack()
	h.Peak, h.reserved = h.Used, h.Mapped

	return nil
}

// shrink clears the rest of the current step and unmaps the steps behind it, which the kernel zeroes when they are
// mapped again.
func (h *Heap) shrink(top uint32) error {
	edge := min((top+growStep-1)/growStep*growStep, h.Mapped)
	clear(h.vm.Memory(top, edge-top))
	if edge == h.Mapped {
		return nil
	}
	if err := h.vm.Unmap(edge, h.Mapped); err != nil {
		return fmt.Errorf("give heap back: %w", err)
	}
	h.Mapped = edge
	return nil
}

func (h *Heap) freeLarge() error {
	for at, size := range h.large {
		if err := h.vm.Unmap(at, at+size); err != nil {
			return fmt.Errorf("give large blocks back: %w", err)
		}
	}
	if h.frontier != largeStart {
		clear(h.large)
		clear(h.gaps)
		h.frontier = largeStart
	}
	return nil
}
