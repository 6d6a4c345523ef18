package process

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// maxMemoryMB is the largest guest heap a request may ask for.
const maxMemoryMB = 256

// headroom is what the child may use beyond the guest heap before its own
// memory limit stops it: Go's heap and stacks, frames in flight, and blocks
// that free lists hold.
const headroom = 128 << 20

// maxDescriptors is how many descriptors the child may have: the standard ones,
// two pipes, and what the Go runtime waits on them with.
const maxDescriptors = 16

// wall is one thing a child gives up. Which there are is the kernel's: walls.
type wall struct {
	name  string
	build func() error
}

// seal, called with the largest guest heap in MB, gives up everything the child
// does not need and returns the names of walls this kernel does not offer. Each
// stands alone; none is required.
func seal(memoryMB int) (absent []string) {
	os.Clearenv()
	for _, w := range walls(memoryMB) {
		if err := w.build(); err != nil {
			absent = append(absent, fmt.Sprintf("%s: %v", w.name, err))
		}
	}
	return absent
}

func setLimit(resource int, n uint64) error {
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
}
