package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memory is what one supervisor and its child occupy, in MB.
type memory struct {
	pair    float64 // resident, both
	child   float64 // resident, the child alone
	private float64 // of the pair, what no file backs
}

// occupied returns the memory of a supervisor and its child, on average over all pairs below the process root.
func occupied(root int) (memory, error) {
	var sum memory
	pairs := 0.0
	paths, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return memory{}, err
	}

	parents, status := map[int]int{}, map[int]map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}

		fields := map[string]string{}
		for line := range strings.SplitSeq(string(text), "\n") {
			name, value, _ := strings.Cut(line, ":")
			fields[name] = strings.TrimSpace(value)
		}

		pid, _ := strconv.Atoi(fields["Pid"])
		parents[pid], _ = strconv.Atoi(fields["PPid"])
		status[pid] = fields
	}

	for pid := range parents {
		if !descends(parents, pid, root) || pid == root {
			continue
		}

		if command, _ := os.ReadFile(fmt.Sprintf(
			"/proc/%d/cmdline", pid,
		)); strings.HasPrefix(string(command), "engine-child") {
			pairs++
			sum.child += megabytes(status[pid]["VmRSS"])
		}

		sum.pair += megabytes(status[pid]["VmRSS"])
		sum.private += megabytes(status[pid]["RssAnon"])
	}

	if pairs == 0 {
		return memory{}, fmt.Errorf("process %d has no engine child", root)
	}

	return memory{pair: sum.pair / pairs, child: sum.child / pairs, private: sum.private / pairs}, nil
}

func descends(parents map[int]int, pid, root int) bool {
	for pid > 1 && pid != root {
		pid = parents[pid]
	}
	return pid == root
}

// megabytes reads "1234 kB".
func megabytes(text string) float64 {
	kb, err := strconv.ParseFloat(strings.TrimSuffix(text, " kB"), 64)
	if err != nil {
		return 0
	}
	return kb / 1024
}
