package fault

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"minicloud/infra/lab/promise"
)

// ticks has the clock tick until so many timers were due: a minute after the other, each until the program has said
// that it is done, and one in seven times after an outage of some minutes.
func (l *Load) ticks(ctx context.Context, random *rand.Rand, budget int) {
	now := time.Now().UTC().Truncate(time.Minute)
	for budget > 0 && ctx.Err() == nil {
		now = now.Add(time.Minute)
		if random.IntN(7) == 0 {
			now = now.Add(time.Duration(random.IntN(6)) * time.Minute)
		}

		done := l.busy()
		l.ticked = now
		known := unknown
		for range patience { // it has to outlive three programs, one after the other
			if known = until(func() reply { return l.tick(now) }); known == acknowledged {
				break
			}
		}
		done()
		for _, w := range l.timers() {
			fires, err := w.timer.Fires(w.last, now)
			if err != nil {
				l.fail("timer %d: %w", w.id, err)
			}
			for _, minute := range fires {
				w.Saw(promise.Event(w.id, minute), true, known)
				l.count(timerDue, known)
				budget--
			}
			w.last = now
		}
	}
}

// patience is how often a minute is given for as long as requests are repeated.
const patience = 5

// timers are the triggers of the clock, of all applications.
func (l *Load) timers() (all []*watcher) {
	for _, app := range l.apps {
		for _, w := range app.watchers {
			if w.line == timerDue {
				all = append(all, w)
			}
		}
	}
	return all
}

// tick gives a minute to the program of timers. Where it failed it is to be given again.
func (l *Load) tick(now time.Time) reply {
	r := l.apps[0].send(
		context.Background(), request{method: "POST", path: "/_local/tick", body: map[string]any{"time": now}},
	)
	var answer struct {
		Delivered []struct {
			Function string `json:"function"`
			OK       bool   `json:"ok"`
		} `json:"delivered"`
	}
	if err := r.decode(&answer); err != nil {
		return reply{status: r.status, body: r.body, err: err}
	}

	for _, d := range answer.Delivered {
		if strings.HasPrefix(d.Function, "Timertick") && d.OK {
			return r
		}
	}

	r.status = 500
	return r
}
