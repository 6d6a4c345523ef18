package fault

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// patient is how long to wait for what takes d on a quiet machine: as many times longer as more processes wanted a
// processor during the last minute than there are processors. Where the kernel does not say, it is d.
func patient(d time.Duration) time.Duration {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return d
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return d
	}
	return time.Duration(float64(d) * max(1, load/float64(runtime.NumCPU())))
}
