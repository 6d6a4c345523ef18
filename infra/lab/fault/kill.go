package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
	"minicloud/infra/local/child"
	"minicloud/infra/local/template"
)

// Round is a load while processes are killed.
type Round struct {
	Seed   uint64
	Phases []Phase       // one after the other, again and again
	Load   time.Duration // 0 = until the load has made its events
}

// Phase is a time in which victims are killed, each in its turn.
type Phase struct {
	Victims []load.Victim
	Long    time.Duration
	Pause   time.Duration // the longest between two kills
}

// Result is what was killed in rounds.
type Result struct {
	Kills   map[load.Victim]int
	Orphans int // processes that outlived the local cloud
}

// Play runs a load while processes are killed. The local cloud runs when it returns.
func (p *Platform) Play(ctx context.Context, l *load.Load, r Round, result *Result) error {
	running, stop := context.WithCancel(ctx)
	if r.Load > 0 {
		running, stop = context.WithTimeout(ctx, r.Load)
	}
	defer stop()

	ended := make(chan struct{})
	go func() {
		l.Run(running)
		close(ended)
		stop()
	}()
	err := p.killAll(running, r, result)
	stop()
	<-ended
	return err
}

// killAll kills until the context ends.
func (p *Platform) killAll(ctx context.Context, r Round, result *Result) error {
	random := rand.New(rand.NewPCG(r.Seed, 1<<32))
	for ctx.Err() == nil {
		for _, phase := range r.Phases {
			during, done := context.WithTimeout(ctx, phase.Long)
			err := p.kill(during, phase, random, result)
			done()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// kill kills one victim after the other until the context ends.
func (p *Platform) kill(ctx context.Context, phase Phase, random *rand.Rand, result *Result) error {
	turns := map[load.Victim]int{} // the last turn of each
	for turn := 1; ; turn++ {
		// A busy machine needs longer to get something done between two kills.
		pause := time.Duration(random.Int64N(int64(phase.Pause)))
		pause = min(client.Patient(pause), 3*pause)
		select {
		case <-ctx.Done():
			return nil
		case <-p.process.Done():
			return fmt.Errorf("the local cloud ended by itself: %w; its last words: %s", p.process.Err(), p.lastWords())
		case <-time.After(pause):
		}

		alive, err := p.processes()
		if err != nil {
			return err
		}
		victim := next(phase.Victims, alive, turns, random)
		turns[victim] = turn
		switch {
		case victim == "":
		case victim == load.Local:
			if err := p.Crash(time.Duration(random.IntN(300))*time.Millisecond, result); err != nil {
				return err
			}
		case p.strike(random, victim, alive[victim]):
			result.Kills[victim]++
		}
	}
}

// next returns the victim that is alive and whose last turn is longest ago, "" if none is alive. Among those without a
// turn it draws one, so that the order differs in each phase.
func next(
	victims []load.Victim, alive map[load.Victim][]int, turns map[load.Victim]int, random *rand.Rand,
) load.Victim {
	there := slices.DeleteFunc(slices.Clone(victims), func(v load.Victim) bool {
		return v != load.Local && v != load.Queues && len(alive[v]) == 0
	})
	if len(there) == 0 {
		return ""
	}
	random.Shuffle(len(there), func(i, j int) { there[i], there[j] = there[j], there[i] })
	return slices.MinFunc(there, func(a, b load.Victim) int { return turns[a] - turns[b] })
}

// queuesDown is how long the queues are away.
const queuesDown = 200 * time.Millisecond

// Programs are the programs of the template, so that none can be forgotten, and the child that they start.
func (p *Platform) Programs() ([]load.Victim, error) {
	t, err := template.ReadFile(filepath.Join(p.settings.Root, "template.yaml"), template.Options{})
	if err != nil {
		return nil, err
	}

	victims := []load.Victim{load.Child}
	for _, f := range t.Functions {
		if v := load.Victim(f.Program); !slices.Contains(victims, v) {
			victims = append(victims, v)
		}
	}
	return victims, nil
}

// victimOf tells a process by its program, "" for a process of something else.
func victimOf(program string) load.Victim {
	folder, file := filepath.Base(filepath.Dir(program)), filepath.Base(program)
	switch file {
	case "engine-child":
		return load.Child
	case "dynoxide":
		return load.Database
	case "bootstrap":
		return load.Victim(folder)
	}
	return ""
}

// processes returns what runs below the local cloud, by victim.
func (p *Platform) processes() (map[load.Victim][]int, error) {
	all, err := child.Below(p.process.Pid)
	if err != nil {
		return nil, err
	}

	found := map[load.Victim][]int{}
	for _, info := range all {
		if victim := victimOf(info.Program); victim != "" && !info.Zombie {
			found[victim] = append(found[victim], info.Pid)
		}
	}
	return found, nil
}

// strike kills one of the processes of a victim, or the queues.
func (p *Platform) strike(random *rand.Rand, v load.Victim, pids []int) bool {
	p.Deaths.Note(v, time.Now())
	if v == load.Queues {
		return syscall.Kill(p.process.Pid, crashQueues) == nil
	}
	return syscall.Kill(pids[random.IntN(len(pids))], syscall.SIGKILL) == nil
}

// Crash kills the local cloud, leaves it down for a while, and starts it again.
func (p *Platform) Crash(down time.Duration, result *Result) error {
	before, err := p.processes()
	if err != nil {
		return err
	}
	result.Kills[load.Local]++
	p.Deaths.Note(load.Local, time.Now())
	p.Kill()
	time.Sleep(down)
	for victim, pids := range before {
		for _, pid := range pids {
			if !ended(victim, pid) {
				result.Orphans++
			}
		}
	}
	return p.Start()
}

// ended waits up to five seconds for the end of a process, which only a busy machine needs. Process ids are used again,
// so it looks whether the process is still that victim.
func ended(victim load.Victim, pid int) bool {
	for range 250 {
		info, found, err := child.Find(pid)
		if err == nil && (!found || info.Zombie || victimOf(info.Program) != victim) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
