package fault

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// slowness is how many times longer this machine takes than a quiet one: as many processes wanted a processor during
// the last minute for each that there is. Where the kernel does not say, it is 1.
func slowness() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 1
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return 1
	}
	return max(1, load/float64(runtime.NumCPU()))
}

// patient is how long to wait for what takes d on a quiet machine.
func patient(d time.Duration) time.Duration { return time.Duration(float64(d) * slowness()) }
