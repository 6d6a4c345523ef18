package bench

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"minicloud/infra/local/child"
)

// series holds the durations of a repeated operation.
type series []time.Duration

// p returns the q-quantile, 0 ≤ q ≤ 1; p(0.5) is the median.
func (s series) p(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// median returns p(0.5).
func (s series) median() time.Duration { return s.p(0.5) }

// ms converts a duration to milliseconds.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// tick is the unit of processor times in /proc, equal on every Linux.
const tick = 10 * time.Millisecond

// processor returns the processor time used so far by this process and all its descendants, or 0 on systems without
// /proc. If a program is named, only processes count whose path contains that name.
func processor(program string) (sum time.Duration) {
	below, _ := child.Below(os.Getpid())
	for _, p := range append(below, child.Info{Pid: os.Getpid()}) {
		if !strings.Contains(p.Program+"/", "/"+program+"/") && program != "" {
			continue
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid))
		// Fields after the name, which is in parentheses: state, parent, nine others, then the two times.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 13 {
			continue // the process has ended
		}
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		sum += time.Duration(user+system) * tick
	}
	return sum
}

func TestQuantiles(t *testing.T) {
	s := series{5, 1, 4, 2, 3}
	if s.median() != 3 || s.p(0) != 1 || s.p(1) != 5 || (series)(nil).median() != 0 {
		t.Errorf("median %d, min %d, max %d", s.median(), s.p(0), s.p(1))
	}
}

func TestProcessor(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		if got := processor(""); got != 0 {
			t.Errorf("%v without /proc", got)
		}
		return
	}

	before := processor("")
	for start := time.Now(); processor("") < before+50*time.Millisecond; {
		if time.Since(start) > time.Minute {
			t.Fatal("a minute of work takes no processor time")
		}
	}
	if got := processor("no-such-program"); got != 0 {
		t.Errorf("a program that does not run took %v", got)
	}
}
