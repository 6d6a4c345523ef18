package process

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// maxMemoryMB is the largest guest heap of a request, in MB.
const maxMemoryMB = 256

// headroom is the memory in bytes that the child may use beyond the guest heap: Go's heap and stacks, frames being
// sent, and freed blocks that allocators keep.
const headroom = 128 << 20

// maxDescriptors is the descriptor limit of the child: the standard ones, two pipes, and those of the Go runtime's
// poller.
const maxDescriptors = 16

// wall is one restriction that a child applies to itself, such as a system call filter. The function walls lists
// the walls of the operating system.
type wall struct {
	name     string
	optional bool // the child also runs without it if the kernel does not support it
	build    func() error
}

// seal removes the permissions that the child does not need; memoryMB is its largest guest heap. It returns the
// optional walls that this kernel does not support, and an error if a required wall fails: then no user code may
// run.
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

// setLimit lowers a resource limit of this process to n. It keeps a limit that is already lower.
func setLimit(resource int, n uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	// The kernel refuses to raise a hard limit.
	n = min(n, uint64(now.Max))
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
}

// closeOnExec marks each inherited descriptor of this process as close-on-exec, so that children do not get it.
// folder is the directory that lists the open descriptors.
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
