package triggers

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/lab/promise"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/triggers/model"
	"minicloud/shared/trigger"
)

// timers waits while the clock ticks; at times no tick comes for some minutes.
type timers struct{}

func (timers) plant(g *Game, t *model.Tenant, random sim.Random) error {
	for _, missed := range []trigger.Missed{trigger.MissedAll, trigger.MissedOnce, trigger.MissedSkip} {
		timer := promise.Timer{Every: []int{1, 2, 3, 5, 7}[random.IntN(5)], Missed: string(missed)}
		c := &trigger.TimerCondition{Cron: timer.Cron(), Missed: missed}
		planted, w := t.Add(random, trigger.Trigger{Type: trigger.TypeTimer, Condition: c}, "", nil)
		from := time.Now()
		if err := g.insert(t, planted, timer.Next(from)); err != nil {
			return err
		}
		t.Timers = append(t.Timers, model.Timer{Trigger: w, Timer: timer, From: from})
	}
	return nil
}

// tick gives a minute to timertick.
func (g *Game) tick(ctx context.Context, handlers any, minute time.Time) error {
	tick := handlers.(func(context.Context, events.CloudWatchEvent) error)
	err := tick(ctx, events.CloudWatchEvent{Time: minute})
	g.Tick(promise.Tick{Minute: minute, Well: err == nil && ctx.Err() == nil})
	return err
}

func (timers) play(g *Game, _ *model.Tenant, random sim.Random) {
	g.Pause(random, 300*time.Second)
	if random.IntN(2) == 0 {
		minutes := 2 + random.IntN(12)
		if random.IntN(8) == 0 {
			minutes = 50 + random.IntN(100) // of missed minutes, those of the last hour fire
		}
		g.loseTicks(random.Jitter(time.Duration(minutes) * time.Minute))
	}
	time.Sleep(random.Jitter(time.Duration(4+random.IntN(8)) * time.Minute))
}

// loseTicks loses all ticks for a time, which may overlap with another one.
func (g *Game) loseTicks(during time.Duration) {
	g.mu.Lock()
	if g.outages++; g.outages == 1 {
		g.lostTick = g.World.Rates.LostTick
	}
	g.World.Rates.LostTick = 1000
	g.mu.Unlock()

	time.Sleep(during)

	g.mu.Lock()
	defer g.mu.Unlock()
	if g.outages--; g.outages == 0 {
		g.World.Rates.LostTick = g.lostTick
	}
}

// settle works out which minutes must have fired, from the ticks that there were.
func (timers) settle(g *Game, t *model.Tenant) {
	end := time.Now().Add(-2 * time.Minute)
	for _, w := range t.Timers {
		for at := w.Next(w.From); at.Before(time.Now()); at = w.Next(at) {
			need := w.Need(at, g.Ticks)
			if at.After(end) {
				need = min(need, promise.May)
			}
			g.NoteOccurrence(model.Occurrence{
				Tenant: t, Index: w.Index, Event: promise.Event(int64(w.ID), at),
				At: at, Seen: at, Need: need,
			})
		}
	}
}
