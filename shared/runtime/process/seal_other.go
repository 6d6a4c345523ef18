//go:build !linux || portable

package process

import (
	"errors"
	"fmt"
	"os"
	"runtime/metrics"
	"time"

	"golang.org/x/sys/unix"
)

// errNotHere is the error of walls that exist only on Linux.
var errNotHere = errors.New("this system has none")

// walls returns the restrictions that every Unix supports. Without a system call filter, only the engine itself
// keeps user code from files and the network.
func walls(int) []wall {
	absent := func() error { return errNotHere }
	return []wall{
		{"core limit", false, func() error { return setLimit(unix.RLIMIT_CORE, 0) }},
		{"file limit", false, func() error { return setLimit(unix.RLIMIT_FSIZE, 0) }},
		{"descriptor limit", false, func() error { return setLimit(unix.RLIMIT_NOFILE, maxDescriptors) }},
		{"data limit", false, watchMemory},
		{"not dumpable", true, absent},
		{"file system filter", true, absent},
		{"system call filter", true, absent},
	}
}

// watchMemory exits the child if Go's memory exceeds the headroom. The guest heap is not part of Go's memory and
// has its own limit. A kernel limit would refuse the allocation; this check notices it a little later.
func watchMemory() error {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	inUse := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64() - sample[1].Value.Uint64()
	}

	most := inUse() + headroom
	go func() {
		for range time.Tick(memoryLook) {
			if inUse() > most {
				fmt.Fprintln(os.Stderr, "engine child: out of memory")
				os.Exit(2)
			}
		}
	}()
	return nil
}

// memoryLook is how often watchMemory checks.
const memoryLook = 50 * time.Millisecond
