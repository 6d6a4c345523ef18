package sim

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"runtime"
	"sync"
	"unsafe"
)

// family is a goroutine since its last call, with those that it has started since. It has a random source of its own, which
// follows from the call: from one source for all, two goroutines that are awake at the same instant would draw in the
// order that the scheduler gives them, and that follows from the load of the machine.
type family struct {
	name   string
	mu     sync.Mutex
	random *mathrand.ChaCha8
}

// The pointer that runtime/pprof keeps for a goroutine, and which its children get, is that to its family: nobody takes
// profiles by label here.

//go:linkname setFamily runtime/pprof.runtime_setProfLabel
func setFamily(*family)

//go:linkname ownFamily runtime/pprof.runtime_getProfLabel
func ownFamily() unsafe.Pointer

// found makes the goroutine one of a new family, whose random source is that of the name, and returns the former one.
func (w *World) found(name string) (former *family) {
	former = (*family)(ownFamily())
	source, seed := w.Random(name), [32]byte{}
	for i := range seed {
		seed[i] = byte(source.Uint32())
	}
	setFamily(&family{name: name, random: mathrand.NewChaCha8(seed)})
	return former
}

// familyName is the name of the goroutine's family, "" of none.
func familyName() string {
	if own := (*family)(ownFamily()); own != nil {
		return own.name
	}
	return ""
}

// goroutine is the number of the goroutine: on one thread, goroutines have numbers in the order in which they are started.
func goroutine() (n int) {
	var head [32]byte
	_, _ = fmt.Sscanf(string(head[:runtime.Stack(head[:], false)]), "goroutine %d ", &n)
	return n
}

// families is rand.Reader while a world is there. Goroutines without a family draw from the source behind it.
type families struct{ io.Reader }

// Read implements io.Reader.
func (f families) Read(b []byte) (int, error) {
	own := (*family)(ownFamily())
	if own == nil {
		return f.Reader.Read(b)
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	return own.random.Read(b)
}

// jitter is retry.Jitter.
func jitter(n int64) int64 { return mathrand.New(readerSource{}).Int64N(n) }

// readerSource draws from rand.Reader.
type readerSource struct{}

// Uint64 implements rand.Source.
func (readerSource) Uint64() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint64(b[:])
}
