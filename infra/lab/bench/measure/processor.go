package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc, the same on every Linux.
const tick = 10 * time.Millisecond

// Processor is the processor time that this process and everything below it used
// so far, 0 where there is no /proc. Where a program is named, only its processes
// count: those whose executable has that name somewhere in its path.
func Processor(program string) time.Duration {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	parents, used := map[int]int{}, map[int]time.Duration{}
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}

		var state string
		var parent, skip, user, system int
		// After the name: state, parent, nine others, then the two times.
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

// runs reports whether a process runs a program, "" is any.
func runs(pid int, program string) bool {
	if program == "" {
		return true
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && strings.Contains(path+"/", "/"+program+"/")
}
