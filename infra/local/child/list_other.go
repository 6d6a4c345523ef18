//go:build !linux || portable

package child

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// list returns all processes, read from the output of ps.
func list() ([]Info, error) {
	out, err := exec.Command("ps", "-axo", "pid=,ppid=,state=,args=").Output()
	if err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}

	var all []Info
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) < 3 {
			continue
		}

		pid, err := strconv.Atoi(words[0])
		if err != nil {
			return nil, fmt.Errorf("ps: %q", line)
		}

		p := Info{Pid: pid, Zombie: strings.HasPrefix(words[2], "Z")}
		if p.Parent, err = strconv.Atoi(words[1]); err != nil {
			return nil, fmt.Errorf("ps: %q", line)
		}
		// For a zombie, ps prints "(name)" or "<defunct>" instead of its command line.
		if len(words) > 3 && !p.Zombie {
			p.Program = words[3]
		}

		all = append(all, p)
	}

	return all, nil
}
