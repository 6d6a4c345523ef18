package fault

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"minicloud/shared/job"
)

// Round is one application's load and who is killed meanwhile.
type Round struct {
	Name    string
	Seed    uint64
	Victims []Kind        // each time one of them
	Load    time.Duration // how long
	// Pause is the longest time between two kills.
	Pause time.Duration
}

// Played is a round whose load has ended and of which nothing is judged yet.
type Played struct {
	Round
	app      *Application
	witness  *Witness
	accepted []accepted
	ended    time.Time
	outcome  Outcome
}

// Play plays a round up to the end of its load. The local cloud runs when it
// returns.
func (p *Platform) Play(ctx context.Context, app *Application, r Round) (*Played, error) {
	played := &Played{Round: r, app: app, witness: NewWitness(), outcome: Outcome{Kills: map[Kind]int{}}}
	running, stop := context.WithTimeout(ctx, r.Load)
	defer stop()
	l := &load{app: app, witness: played.witness.URL()}
	var loading sync.WaitGroup
	loading.Go(func() { l.run(running, r.Seed) })
	err := p.kill(running, r, &played.outcome)
	stop()
	loading.Wait()
	played.accepted, played.ended = l.accepted, time.Now()
	return played, err
}

// kill kills one victim after the other until the context ends.
func (p *Platform) kill(ctx context.Context, r Round, o *Outcome) error {
	random := rand.New(rand.NewPCG(r.Seed, 1<<32))
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-p.process.Done():
			return fmt.Errorf("the local cloud ended by itself: %w; its last words: %s", p.process.Err(), p.lastWords())
		case <-time.After(upTo(random, r.Pause)):
		}
		victim := r.Victims[random.IntN(len(r.Victims))]
		if victim == Cloud {
			orphans, err := p.crash(upTo(random, 300*time.Millisecond))
			if err != nil {
				return err
			}
			o.Kills[victim]++
			if orphans > 0 {
				o.trouble(&o.Orphans, "%d processes outlived the local cloud", orphans)
			}
			continue
		}
		killed, err := p.strike(random, victim)
		if err != nil {
			return err
		}
		if killed {
			o.Kills[victim]++
		}
	}
}

// PlayEndless starts runs that take longer than they may (300 s) and kills
// nobody: Judge finds them ended by their limit.
func (p *Platform) PlayEndless(app *Application, runs int) (*Played, error) {
	played := &Played{Round: Round{Name: "none, endless"}, app: app, witness: NewWitness()}
	l := &load{app: app, witness: played.witness.URL()}
	for range runs {
		if err := l.start(l.data(2*job.AsyncTime), time.Time{}); err != nil {
			return nil, err
		}
	}
	played.accepted, played.ended = l.accepted, time.Now()
	return played, nil
}
