package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
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
// /proc. If a program is named, only processes count whose executable path contains that name.
func processor(program string) time.Duration {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	parents, used := map[int]int{}, map[int]time.Duration{}
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		text, err := os.ReadFile(path)
		if err != nil {
			continue // the process has ended
		}

		var state string
		var parent, skip, user, system int
		// Fields after the name: state, parent, nine others, then the two times.
		_, err = fmt.Sscan(string(text[bytes.LastIndexByte(text, ')')+1:]), &state, &parent,
			&skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &skip, &user, &system)
		if err != nil {
			continue
		}
		parents[pid] = parent
		if runs(pid, program) {
			used[pid] = time.Duration(user+system) * tick
		}
	}

	var sum time.Duration
	for pid := range parents {
		for at := pid; at > 1; at = parents[at] {
			if at == os.Getpid() {
				sum += used[pid]
				break
			}
		}
	}
	return sum
}

// runs reports whether a process runs the program; "" matches any.
func runs(pid int, program string) bool {
	if program == "" {
		return true
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && strings.Contains(path+"/", "/"+program+"/")
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
