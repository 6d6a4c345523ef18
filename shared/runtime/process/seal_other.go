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

// errNotHere is the reason why a wall that only Linux has is missing.
var errNotHere = errors.New("this system has none")

// walls are what every Unix has. The engine itself is the only wall before
// files and network.
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

// watchMemory ends the child when Go's own memory goes over the headroom. The
// guest heap lies outside of it and counts itself. A kernel's limit would stop
// the allocation; this one notices it a little later.
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

// memoryLook is how often a child looks at its own memory.
const memoryLook = 50 * time.Millisecond
