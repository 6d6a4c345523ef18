//go:build !portable

package child

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// list returns all processes, read from /proc.
func list() ([]Info, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var all []Info
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue // not a process
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // the process has ended meanwhile
		}
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			continue
		}

		// The format is "pid (name) state parent …"; the name may contain brackets.
		p, state := Info{Pid: pid}, ""
		if _, err := fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &p.Parent); err != nil {
			return nil, fmt.Errorf("process %d: stat %q", pid, stat)
		}
		name, _, _ := bytes.Cut(command, []byte{0})
		p.Program, p.Zombie = string(name), state == "Z"
		all = append(all, p)
	}
	return all, nil
}
