package fault

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"minicloud/infra/local/child"
	"minicloud/infra/local/template"
)

// Victim is a kind of process to kill.
type Victim string

// The victims that are no program of the template. Cloud is the local cloud itself,
// which is the queue server, the gateway and the Lambda service, and takes every
// other process with it. Queues are its queues alone: programs live on, and what
// they have received comes again.
const (
	Child    Victim = "sandbox child"
	Database Victim = "dynoxide"
	Queues   Victim = "queues"
	Cloud    Victim = "local cloud"
)

// queuesDown is how long the queues are away.
const queuesDown = 200 * time.Millisecond

// death is a victim's.
type death struct {
	victim Victim
	at     time.Time
}

// deaths are those of a platform.
type deaths struct {
	mu  sync.Mutex
	all []death
}

func (d *deaths) note(v Victim) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, death{v, time.Now()})
}

// between reports whether one of the victims died in a time.
func (d *deaths) between(from, to time.Time, victims ...Victim) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.all, func(one death) bool {
		return slices.Contains(victims, one.victim) && !one.at.Before(from) && !one.at.After(to)
	})
}

// Programs are the victims of the template, so that none can be forgotten, and what
// they start.
func (p *Platform) Programs() ([]Victim, error) {
	t, err := template.ReadFile(filepath.Join(p.settings.Root, "template.yaml"), template.Options{})
	if err != nil {
		return nil, err
	}

	victims := []Victim{Child}
	for _, f := range t.Functions {
		if v := Victim(f.Program); !slices.Contains(victims, v) {
			victims = append(victims, v)
		}
	}
	return victims, nil
}

// victimOf tells a process by its program, "" when it is none of ours.
func victimOf(program string) Victim {
	folder, file := filepath.Base(filepath.Dir(program)), filepath.Base(program)
	switch file {
	case "engine-child":
		return Child
	case "dynoxide":
		return Database
	case "bootstrap":
		return Victim(folder)
	}
	return ""
}

// processes returns what runs below the local cloud, by victim.
func (p *Platform) processes() (map[Victim][]int, error) {
	all, err := child.Below(p.process.Pid)
	if err != nil {
		return nil, err
	}

	found := map[Victim][]int{}
	for _, info := range all {
		if victim := victimOf(info.Program); victim != "" && !info.Zombie {
			found[victim] = append(found[victim], info.Pid)
		}
	}
	return found, nil
}

// strike kills one of the processes of a victim, or the queues.
func (p *Platform) strike(random *rand.Rand, v Victim, pids []int) bool {
	p.deaths.note(v)
	if v == Queues {
		return syscall.Kill(p.process.Pid, crashQueues) == nil
	}
	return syscall.Kill(pids[random.IntN(len(pids))], syscall.SIGKILL) == nil
}

// crash kills the local cloud, leaves it down for a while, and starts it again.
// It returns how many processes outlived it.
func (p *Platform) crash(down time.Duration) (orphans int, err error) {
	before, err := p.processes()
	if err != nil {
		return 0, err
	}
	p.deaths.note(Cloud)
	p.Kill()
	time.Sleep(down)
	for victim, pids := range before {
		for _, pid := range pids {
			if !ended(victim, pid) {
				orphans++
			}
		}
	}
	return orphans, p.Start()
}

// ended waits up to five seconds for the end of a process, which only a crowded
// machine needs. Ids are given again, so it looks whether it is still that victim.
func ended(victim Victim, pid int) bool {
	for range 250 {
		info, found, err := child.Find(pid)
		if err == nil && (!found || info.Zombie || victimOf(info.Program) != victim) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
