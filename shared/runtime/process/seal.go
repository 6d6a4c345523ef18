package process

import (
	"fmt"
	"os"
	"strconv"

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
	name     string
	optional bool // the child runs without it where the kernel does not offer it
	build    func() error
}

// seal, called with the largest guest heap in MB, gives up everything the child
// does not need. It returns the optional walls this kernel does not offer, and
// an error for the first required one: then no user code may run.
func seal(memoryMB int) (absent []string, err error) {
	os.Clearenv()
	for _, w := range walls(memoryMB) {
		if err := w.build(); err != nil && !w.optional {
			return absent, fmt.Errorf("required wall is missing: %s: %w", w.name, err)
		} else if err != nil {
			absent = append(absent, fmt.Sprintf("%s: %v", w.name, err))
		}
	}
	return absent, nil
}

// setLimit lowers a limit of this process to n. A lower limit that is there already stays.
func setLimit(resource int, n uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	// The kernel refuses to raise a hard limit.
	n = min(n, uint64(now.Max))
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
}

// closeOnExec keeps each descriptor that this process inherited from reaching its
// children. folder lists the open descriptors.
func closeOnExec(folder string) error {
	open, err := os.ReadDir(folder)
	if err != nil {
		return err
	}

	for _, entry := range open {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		if fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
