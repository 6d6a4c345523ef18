package engine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Geometry of the heap. QuickJS packs objects up to 512 bytes into arenas of
// its own, so this allocator mostly sees those arenas and larger blocks.
const (
	heapGrain  = 16        // block sizes are multiples of it
	heapHeader = 8         // the class of a block, below it
	smallMax   = 256 << 10 // larger blocks are mappings of their own
	growStep   = 1 << 20   // the region becomes writable in steps of this
	clearMax   = 4 << 20   // a dirtier heap is given back to the kernel instead of cleared
)

// heap is the memory of one JavaScript world: a reserved region handed out from
// the bottom, with a free list per size class, and separate mappings for large
// blocks. It counts what is in use and refuses to go over its limit.
type heap struct {
	region  []byte // reserved; writable up to mapped
	base    uintptr
	mapped  int
	next    int // first byte never handed out
	free    [len(classSizes)]uintptr
	large   map[uintptr]int
	used    int64
	peak    int64
	limit   int64
	refused bool // an allocation was refused since the last reset
	// collectAt is QuickJS's threshold of garbage collection, inside the region.
	collectAt *lib.Tsize_t

	template     []byte
	templateFree [len(classSizes)]uintptr
	templateUsed int64
}

// classSizes are the block sizes without header: eight steps per doubling, and
// one for QuickJS's own arenas.
var classSizes = makeClassSizes()

// classOf maps a size, in grains rounded up, to its class.
var classOf = makeClassIndex()

func makeClassSizes() (sizes [96]int) {
	n := 0
	add := func(size int) { sizes[n] = size; n++ }
	for size := heapGrain; size <= 128; size += heapGrain {
		add(size)
	}
	for base := 128; base < smallMax; base *= 2 {
		for step := 1; step <= 8; step++ {
			add(base + step*base/8)
		}
	}
	return sizes
}

func makeClassIndex() (index [smallMax/heapGrain + 1]uint8) {
	class := 0
	for grains := range index {
		for classSizes[class] < grains*heapGrain {
			class++
		}
		index[grains] = uint8(class)
	}
	return index
}

// newHeap reserves address space for size bytes of small blocks.
func newHeap(size int) (*heap, error) {
	region, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve heap: %w", err)
	}
	return &heap{
		region: region, base: uintptr(unsafe.Pointer(&region[0])), large: map[uintptr]int{}, limit: 64 << 20,
	}, nil
}

func (h *heap) close() error {
	h.freeLarge()
	return unix.Munmap(h.region)
}

// alloc returns the address of size bytes, 0 when the limit forbids it.
func (h *heap) alloc(size int) uintptr {
	if size > smallMax {
		return h.allocLarge(size)
	}

	class := classOf[(size+heapGrain-1)/heapGrain]
	real := classSizes[class]
	if h.used+int64(real) > h.limit {
		return h.refuse()
	}

	p := h.free[class]
	if p != 0 {
		h.free[class] = *word(p)
	} else if p = h.carve(real); p == 0 {
		return h.refuse()
	} else {
		*word(p - heapHeader) = uintptr(class)
	}

	h.grown(real)

	return p
}

// carve takes a block that was never used from the region.
func (h *heap) carve(size int) uintptr {
	end := h.next + heapHeader + size
	if end > h.mapped {
		grown := min((end+growStep-1)/growStep*growStep, len(h.region))
		if end > grown || unix.Mprotect(h.region[h.mapped:grown], unix.PROT_READ|unix.PROT_WRITE) != nil {
			return 0
		}
		h.mapped = grown
	}
	p := h.base + uintptr(h.next) + heapHeader
	h.next = end
	return p
}

func (h *heap) allocLarge(size int) uintptr {
	if size < 0 || int64(size) > h.limit || h.used+int64(pages(size)) > h.limit {
		return h.refuse()
	}
	size = pages(size)
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return h.refuse()
	}
	h.large[uintptr(p)] = size
	h.grown(size)
	return uintptr(p)
}

func (h *heap) release(p uintptr) {
	if !h.small(p) {
		h.releaseLarge(p)
		return
	}
	class := *word(p - heapHeader)
	h.used -= int64(classSizes[class])
	*word(p) = h.free[class]
	h.free[class] = p
}

func (h *heap) releaseLarge(p uintptr) {
	size, ok := h.large[p]
	if !ok {
		panic("engine: release of a block that is not there")
	}
	delete(h.large, p)
	h.used -= int64(size)
	unix.MunmapPtr(unsafe.Add(nil, p), uintptr(size))
}

func (h *heap) realloc(p uintptr, size int) uintptr {
	old := h.usable(p)
	if size <= old && (size > old/2 || old <= 512) {
		return p
	}
	if !h.small(p) && size > smallMax {
		return h.remap(p, old, pages(size))
	}
	moved := h.alloc(size)
	if moved == 0 {
		return 0
	}
	n := min(old, size)
	copy(unsafe.Slice((*byte)(unsafe.Add(nil, moved)), n), unsafe.Slice((*byte)(unsafe.Add(nil, p)), n))
	h.release(p)
	return moved
}

func (h *heap) remap(p uintptr, old, size int) uintptr {
	if h.used-int64(old)+int64(size) > h.limit {
		return h.refuse()
	}
	moved, err := resizeMapping(p, old, size)
	if err != nil {
		return h.refuse()
	}
	delete(h.large, p)
	h.large[moved] = size
	h.grown(size - old)
	return moved
}

func (h *heap) usable(p uintptr) int {
	if h.small(p) {
		return classSizes[*word(p - heapHeader)]
	}
	return h.large[p]
}

func (h *heap) small(p uintptr) bool { return p-h.base < uintptr(len(h.region)) }

func (h *heap) grown(n int) {
	h.used += int64(n)
	h.peak = max(h.peak, h.used)
	if h.collectAt != nil && *h.collectAt > lib.Tsize_t(h.limit) {
		h.collectEarlier()
	}
}

// collectEarlier moves the next garbage collection below the limit. QuickJS puts
// it at one and a half times what was in use; beyond the limit it would never
// come, and cycles would count as memory that the function needs.
func (h *heap) collectEarlier() {
	gap := max((h.limit-h.used)/2, h.limit/8)
	*h.collectAt = lib.Tsize_t(h.used + gap)
}

func (h *heap) refuse() uintptr {
	h.refused = true
	return 0
}

// seal makes the heap as it is now the template of every later reset.
func (h *heap) seal() error {
	if len(h.large) > 0 {
		return errors.New("engine: the template holds a large block")
	}
	h.template = append([]byte(nil), h.region[:h.next]...)
	h.templateFree = h.free
	h.templateUsed = h.used
	return nil
}

// reset puts the template back and leaves no byte of anything else.
func (h *heap) reset() error {
	h.freeLarge()
	top := len(h.template)
	if h.next-top <= clearMax {
		clear(h.region[top:h.next])
	} else if err := h.shrink(top); err != nil {
		return err
	}
	copy(h.region, h.template)
	h.next, h.free = top, h.templateFree
	h.used, h.peak, h.refused = h.templateUsed, h.templateUsed, false
	return nil
}

// shrink clears the last part page and gives whole pages back to the kernel,
// which hands them out zeroed when they are needed again.
func (h *heap) shrink(top int) error {
	edge := min((top+growStep-1)/growStep*growStep, h.mapped)
	clear(h.region[top:edge])
	if edge == h.mapped {
		return nil
	}

	// New pages in the old place: what MADV_DONTNEED leaves in them is not the
	// same on every kernel, a new mapping is zero on all.
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&h.region[edge]), uintptr(h.mapped-edge), unix.PROT_NONE,
		unix.MAP_FIXED|unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("give heap back: %w", err)
	}
	h.mapped = edge
	return nil
}

func (h *heap) freeLarge() {
	for p, size := range h.large {
		unix.MunmapPtr(unsafe.Add(nil, p), uintptr(size))
	}
	clear(h.large)
}

func pages(n int) int { return (n + 4095) &^ 4095 }

func word(p uintptr) *uintptr { return (*uintptr)(unsafe.Add(nil, p)) }

// The functions below are what QuickJS calls. It reads malloc_size to decide
// when to collect garbage, so they keep it up to date.

func heapOf(state uintptr) (*heap, *lib.TJSMallocState) {
	s := (*lib.TJSMallocState)(unsafe.Add(nil, state))
	return (*heap)(unsafe.Add(nil, s.Fopaque)), s
}

func jsMalloc(_ *libc.TLS, state uintptr, size lib.Tsize_t) uintptr {
	h, s := heapOf(state)
	if size > 1<<40 {
		return h.refuse()
	}
	p := h.alloc(int(size))
	s.Fmalloc_size = lib.Tsize_t(h.used)
	return p
}

func jsFree(_ *libc.TLS, state, p uintptr) {
	if p == 0 {
		return
	}
	h, s := heapOf(state)
	h.release(p)
	s.Fmalloc_size = lib.Tsize_t(h.used)
}

func jsRealloc(tls *libc.TLS, state, p uintptr, size lib.Tsize_t) uintptr {
	if p == 0 {
		return jsMalloc(tls, state, size)
	}
	if size == 0 {
		jsFree(tls, state, p)
		return 0
	}
	h, s := heapOf(state)
	if size > 1<<40 {
		return h.refuse()
	}
	moved := h.realloc(p, int(size))
	s.Fmalloc_size = lib.Tsize_t(h.used)
	return moved
}
