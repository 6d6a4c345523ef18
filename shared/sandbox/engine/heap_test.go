package engine

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func newTestHeap(t testing.TB, limit int64) *heap {
	h, err := newHeap(32 << 20)
	if err != nil {
		t.Fatal(err)
	}
	h.limit = limit
	return h
}

func at(p uintptr, n int) []byte { return unsafe.Slice((*byte)(unsafe.Add(nil, p)), n) }

// TestHeapKeepsBlocksApart drives the allocator at random against a model: every
// block keeps its bytes, the count is that of the blocks, the limit holds.
func TestHeapKeepsBlocksApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, err := newHeap(32 << 20)
		if err != nil {
			t.Fatal(err)
		}
		defer h.close()
		h.limit = 8 << 20
		type block struct {
			size int
			mark byte
		}
		blocks := map[uintptr]block{}
		fill := func(p uintptr, size int) {
			mark := byte(rapid.IntRange(1, 255).Draw(t, "mark"))
			copy(at(p, size), bytes.Repeat([]byte{mark}, size))
			blocks[p] = block{size, mark}
		}
		pick := func() uintptr {
			for p := range blocks {
				return p
			}
			return 0
		}
		size := rapid.OneOf(rapid.IntRange(1, 600), rapid.IntRange(600, 70_000), rapid.IntRange(200_000, 1_500_000))
		intact := func(p uintptr, n int) {
			b := blocks[p]
			if !bytes.Equal(at(p, min(n, b.size)), bytes.Repeat([]byte{b.mark}, min(n, b.size))) {
				t.Fatalf("block of %d bytes was overwritten", b.size)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"alloc": func(t *rapid.T) {
				n := size.Draw(t, "size")
				if p := h.alloc(n); p != 0 {
					if _, twice := blocks[p]; twice || p%8 != 0 {
						t.Fatalf("block at %x given twice or not aligned", p)
					}
					fill(p, n)
				}
			},
			"free": func(t *rapid.T) {
				if p := pick(); p != 0 {
					intact(p, blocks[p].size)
					h.release(p)
					delete(blocks, p)
				}
			},
			"realloc": func(t *rapid.T) {
				p := pick()
				if p == 0 {
					return
				}
				n := size.Draw(t, "size")
				old := blocks[p]
				q := h.realloc(p, n)
				if q == 0 {
					intact(p, old.size) // refused: the old block stays
					return
				}
				delete(blocks, p)
				blocks[q] = old
				intact(q, n)
				fill(q, n)
			},
			"": func(t *rapid.T) {
				total := int64(0)
				for p, b := range blocks {
					intact(p, b.size)
					total += int64(h.usable(p))
				}
				if h.used != total || h.used > h.limit || h.peak < h.used {
					t.Fatalf("used %d, blocks %d, peak %d, limit %d", h.used, total, h.peak, h.limit)
				}
			},
		})
	})
}

// TestResetLeavesNothing fills the heap beyond its template in every way and
// finds the region as it was.
func TestResetLeavesNothing(t *testing.T) {
	h := newTestHeap(t, 24<<20)
	defer h.close()
	kept := h.alloc(1000)
	copy(at(kept, 1000), bytes.Repeat([]byte("template"), 125))
	if err := h.seal(); err != nil {
		t.Fatal(err)
	}
	for round, blocks := range []int{10, 400, 3} { // clear, give back, clear
		for range blocks {
			n := 1 + rand.IntN(smallMax/5)
			if p := h.alloc(n); p != 0 {
				copy(at(p, n), bytes.Repeat([]byte{0xAB}, n))
			}
		}
		h.alloc(3 << 20)
		copy(at(kept, 8), "pollute!")
		if err := h.reset(); err != nil {
			t.Fatal(err)
		}
		if string(at(kept, 8)) != "template" || h.used != h.templateUsed || len(h.large) != 0 || h.refused {
			t.Fatalf("round %d: %q, used %d, %d large", round, at(kept, 8), h.used, len(h.large))
		}
		if bytes.IndexByte(h.region[:h.mapped], 0xAB) >= 0 {
			t.Fatalf("round %d: bytes are left", round)
		}
		if given := untouched(h, 20<<20); bytes.IndexByte(given, 0xAB) >= 0 {
			t.Fatalf("round %d: pages given back come with what was in them", round)
		}
	}
}

// untouched makes the region writable up to size, as further blocks would.
func untouched(h *heap, size int) []byte {
	next := h.next
	h.carve(size - next - heapHeader)
	h.next = next
	return h.region[next:h.mapped]
}

func TestResetErasesWhatARunHeld(t *testing.T) {
	e := newEngine(t)
	r := e.Run(
		job(
			`const keep = []; for (let i = 0; i < 5000; i++) keep.push('se' + 'cret-' + i); exports.main = async (e) => keep.length`,
		),
		newRecorder(),
	)
	if string(r.Data) != "5000" || !bytes.Contains(e.heap.region[:e.heap.mapped], []byte("secret-4999")) {
		t.Fatalf("the run left %s %+v", r.Data, r.Error)
	}
	e.Reset()
	if bytes.Contains(e.heap.region[:e.heap.mapped], []byte("secret-")) {
		t.Error("bytes of the last run are still there")
	}
	if !bytes.Equal(e.heap.region[:len(e.heap.template)], e.heap.template) {
		t.Error("the heap is not its template")
	}
}

// TestCyclesAreCollectedNearTheLimit keeps 48 of 64 MB and makes 200 MB of
// cyclic garbage, which reference counting alone never frees.
func TestCyclesAreCollectedNearTheLimit(t *testing.T) {
	e := newEngine(t)
	j := job(`exports.main = async () => {
  const keep = []; for (let i = 0; i < 48; i++) keep.push(new Uint8Array(1 << 20));
  for (let i = 0; i < 2000; i++) { const a = { d: new Uint8Array(100000) }; a.self = a }
  return keep.length }`)
	if r := e.Run(j, newRecorder()); string(r.Data) != "48" {
		t.Errorf("gave %s %+v", r.Data, r.Error)
	}
}
