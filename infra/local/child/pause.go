package child

import (
	"sync"
	"syscall"
	"time"
)

// family is a process and its descendants, which may be in process groups of their own.
type family struct {
	mu   sync.Mutex
	pids []int
	at   time.Time
}

// familyAge is how old a list of a family may be. Reading it reads the list of all processes.
const familyAge = 200 * time.Millisecond

// members returns the running processes, as they were at most so long ago.
func (p *Process) members(age time.Duration) []int {
	f := &p.family
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.at) >= age {
		f.pids, f.at = []int{p.Pid}, time.Now()
		below, _ := Below(p.Pid) // without a list of processes, the process stands for its family
		for _, b := range below {
			f.pids = append(f.pids, b.Pid)
		}
	}
	return f.pids
}

// Pause makes the process and its descendants stand still until Resume.
func (p *Process) Pause() { p.each(syscall.SIGSTOP, p.members(familyAge)) }

// Resume lets them go on, also those that were started shortly before Pause.
func (p *Process) Resume() { p.each(syscall.SIGCONT, p.members(familyAge)) }

func (p *Process) each(s syscall.Signal, pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s) // a process that has just ended needs no signal
	}
}

// ProcessorTime returns the processor time that the process and its descendants have used; 0 on systems that do not
// tell it.
func (p *Process) ProcessorTime() (used time.Duration) {
	for _, pid := range p.members(familyAge) {
		used += processorTime(pid)
	}
	return used
}
