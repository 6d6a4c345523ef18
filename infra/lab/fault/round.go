package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Round is one application's load and who is killed meanwhile.
type Round struct {
	Name    string
	Seed    uint64
	Victims []Victim      // one after the other, in an order that is drawn again and again
	Load    time.Duration // how long
	Pause   time.Duration // the longest between two kills
	Pace    Pace
}

// Played is a round whose load has ended and of which nothing is judged yet.
type Played struct {
	Round
	app     *Application
	ended   time.Time
	kills   map[Victim]int
	orphans int
	// redriven is how many dead letters were sent again.
	redriven int
}

// client does something again and again.
type client struct {
	pause time.Duration // the longest between two turns
	once  func(*rand.Rand)
}

// Play plays a round up to the end of its load. The local cloud runs when it
// returns.
func (p *Platform) Play(ctx context.Context, app *Application, r Round) (*Played, error) {
	played := &Played{Round: r, app: app, kills: map[Victim]int{}}
	running, stop := context.WithTimeout(ctx, r.Load)
	defer stop()

	var loading sync.WaitGroup
	n := uint64(0)
	for _, part := range app.parts {
		for _, c := range part.clients() {
			n++
			random := rand.New(rand.NewPCG(r.Seed, n))
			loading.Go(func() { c.run(running, random) })
		}
	}

	err := p.kill(running, played)
	stop()
	loading.Wait()
	played.ended = time.Now()
	return played, err
}

// run returns when the context has ended and the client has its last answer.
func (c client) run(ctx context.Context, random *rand.Rand) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(upTo(random, c.pause)):
		}
		c.once(random)
	}
}

// kill kills one victim after the other until the context ends.
func (p *Platform) kill(ctx context.Context, r *Played) error {
	random := rand.New(rand.NewPCG(r.Seed, 1<<32))
	deck := deck{victims: r.Victims, random: random}
	for {
		pause, tick := upTo(random, r.Pause), untilTick(random)
		select {
		case <-ctx.Done():
			return nil
		case <-p.process.Done():
			return fmt.Errorf("the local cloud ended by itself: %w; its last words: %s", p.process.Err(), p.lastWords())
		case <-time.After(min(pause, tick)):
		}

		alive, err := p.processes()
		if err != nil {
			return err
		}
		victim, ok := deck.draw(alive)
		if tick < pause && slices.Contains(r.Victims, reaper) && len(alive[reaper]) > 0 {
			victim, ok = reaper, true
		}
		if !ok {
			continue
		}
		if victim != Cloud {
			if p.strike(random, victim, alive[victim]) {
				r.kills[victim]++
			}
			continue
		}

		orphans, err := p.crash(upTo(random, 300*time.Millisecond))
		if err != nil {
			return err
		}
		r.kills[victim]++
		r.orphans += orphans
	}
}

// reaper works for a moment every minute, and idles between: so it is killed then,
// too.
const reaper Victim = "jobreaper"

// untilTick is how long until the reaper is at work.
func untilTick(random *rand.Rand) time.Duration {
	now := time.Now()
	return now.Truncate(time.Minute).Add(time.Minute + upTo(random, 500*time.Millisecond)).Sub(now)
}

// deck gives each victim its turn, in an order that is drawn again each time all
// have had it. One that is not there now keeps its turn until it is.
type deck struct {
	victims []Victim
	random  *rand.Rand
	left    []Victim
}

// draw returns the next victim that is alive.
func (d *deck) draw(alive map[Victim][]int) (Victim, bool) {
	if victim, ok := d.next(alive); ok {
		return victim, true
	}

	// Those that are left are not there: the others have a turn meanwhile.
	missing := map[Victim]bool{}
	for _, v := range d.left {
		missing[v] = true
	}
	fresh := append([]Victim{}, d.victims...)
	d.random.Shuffle(len(fresh), func(i, j int) { fresh[i], fresh[j] = fresh[j], fresh[i] })
	for _, v := range fresh {
		if !missing[v] {
			d.left = append(d.left, v)
		}
	}
	return d.next(alive)
}

func (d *deck) next(alive map[Victim][]int) (Victim, bool) {
	for i, v := range d.left {
		if v == Cloud || v == Queues || len(alive[v]) > 0 {
			d.left = append(append([]Victim{}, d.left[:i]...), d.left[i+1:]...)
			return v, true
		}
	}
	return "", false
}

// Endless starts runs that take longer than they may (300 s), on a platform where
// nobody is killed: Judge finds them ended by their limit.
func (p *Platform) Endless(ctx context.Context, n int) (*Played, error) {
	app, err := p.application(ctx, "endless")
	if err != nil {
		return nil, err
	}
	l := &runs{app: app, platform: p, pace: Pace{Run: time.Hour, Real: true}}
	app.parts = []part{l}
	if err := l.plant(ctx); err != nil {
		return nil, err
	}
	err = l.endless(n)
	return &Played{Round: Round{Name: "endless"}, app: app, ended: time.Now()}, err
}
