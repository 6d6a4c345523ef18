package fault

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// kindOf tells a process by its command line, "" when it is none of ours.
func kindOf(command []byte) Kind {
	name, _, _ := bytes.Cut(command, []byte{0})
	program, file := filepath.Base(filepath.Dir(string(name))), filepath.Base(string(name))
	switch {
	case file == "engine-child":
		return Child
	case file == "dynoxide":
		return Database
	case file == "bootstrap":
		return Kind(program) // also those nobody asks for
	}
	return ""
}

// processes returns what runs below the local cloud, by kind, from /proc.
func (p *Platform) processes() (map[Kind][]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	parents := map[int]int{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if parent, err := parentOf(pid); err == nil { // else it ended meanwhile
				parents[pid] = parent
			}
		}
	}
	found := map[Kind][]int{}
	for pid := range parents {
		if !below(parents, pid, p.process.Pid) {
			continue
		}
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if kind := kindOf(command); err == nil && kind != "" {
			found[kind] = append(found[kind], pid)
		}
	}
	return found, nil
}

// parentOf reads the fourth field of stat; the second is a name in brackets.
func parentOf(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	rest := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(rest) < 2 {
		return 0, fmt.Errorf("process %d: stat %q", pid, text)
	}
	return strconv.Atoi(rest[1])
}

func below(parents map[int]int, pid, ancestor int) bool {
	for range len(parents) {
		if pid = parents[pid]; pid == ancestor || pid <= 1 {
			break
		}
	}
	return pid == ancestor
}

// strike kills one process of a kind, false when there is none now.
func (p *Platform) strike(random *rand.Rand, kind Kind) (bool, error) {
	found, err := p.processes()
	pids := found[kind]
	if err != nil || len(pids) == 0 {
		return false, err
	}
	return syscall.Kill(pids[random.IntN(len(pids))], syscall.SIGKILL) == nil, nil
}

// crash kills the local cloud, leaves it down for a while, and starts it again.
// It returns how many processes outlived it.
func (p *Platform) crash(down time.Duration) (orphans int, err error) {
	before, err := p.processes()
	if err != nil {
		return 0, err
	}
	p.Kill()
	time.Sleep(down)
	for kind, pids := range before {
		for _, pid := range pids {
			if !ended(kind, pid) {
				orphans++
			}
		}
	}
	return orphans, p.Start()
}

// ended waits up to five seconds for the end of a process, which only a crowded
// machine needs. Ids are given again, so it looks whether it is still of that kind.
func ended(kind Kind, pid int) bool {
	for range 250 {
		command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || kindOf(command) != kind {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
