package play

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"

	clockconsumer "minicloud/functions/timertick/consumer"
	"minicloud/infra/lab/sim"
	"minicloud/shared/trigger"
)

// timers waits while the clock ticks; now and then ticks stay away for some minutes.
type timers struct{}

// tick is a minute that timertick was told of; well is set where it has succeeded.
type tick struct {
	minute time.Time
	well   bool
}

// wishedTimer is a timer as the model knows it: each minute of the hour that every divides.
type wishedTimer struct {
	*wish
	every  int
	missed trigger.Missed
	from   time.Time
}

func (timers) plant(g *Game, t *tenant, random sim.Chances) error {
	for _, missed := range []trigger.Missed{trigger.MissedAll, trigger.MissedOnce, trigger.MissedSkip} {
		every := []int{1, 2, 3, 5, 7}[random.IntN(5)]
		c := &trigger.TimerCondition{Cron: fmt.Sprintf("*/%d * * * *", every), Missed: missed}
		planted, w := t.add(random, trigger.Trigger{Type: trigger.TypeTimer, Condition: c}, "", nil)
		from := time.Now()
		if err := g.insert(t, planted, nextMinute(from, every)); err != nil {
			return err
		}
		t.timers = append(t.timers, wishedTimer{w, every, missed, from})
	}
	return nil
}

// nextMinute is the first after a time that a timer fires at.
func nextMinute(after time.Time, every int) time.Time {
	at := after.Truncate(time.Minute).Add(time.Minute)
	for at.Minute()%every != 0 {
		at = at.Add(time.Minute)
	}
	return at
}

// tick is a minute as timertick is told of it.
func (g *Game) tick(ctx context.Context, handlers any, minute time.Time) error {
	err := handlers.(*clockconsumer.Group).Tick(ctx, events.CloudWatchEvent{Time: minute})
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ticks = append(g.ticks, tick{minute, err == nil && ctx.Err() == nil})
	return err
}

func (timers) play(g *Game, _ *tenant, random sim.Chances) {
	g.pause(random, 300)
	if random.IntN(2) == 0 {
		often := g.world.Rates.LostTick
		g.world.Rates.LostTick = 1000
		time.Sleep(random.Apart(time.Duration(2+random.IntN(12)) * time.Minute))
		g.world.Rates.LostTick = often
	}
	time.Sleep(random.Apart(time.Duration(4+random.IntN(8)) * time.Minute))
}

// settle works out which minutes must have fired, from the ticks that there were.
func (timers) settle(g *Game, t *tenant) {
	end := time.Now().Add(-2 * time.Minute)
	for _, w := range t.timers {
		for at := nextMinute(w.from, w.every); at.Before(time.Now()); at = nextMinute(at, w.every) {
			need := w.need(at, g.ticks)
			if at.After(end) {
				need = min(need, may)
			}
			g.happens(happening{
				tenant: t, index: w.index, event: fmt.Sprintf("timer#%d#%s", w.id, at.UTC().Format("2006-01-02T15:04Z")),
				at: at, seen: at, need: need,
			})
		}
	}
}

// need says whether a minute must have fired (D33). A tick that went well has served what was due, unless an earlier
// one had chosen minutes and died: then it has served those, and the next tick serves the rest.
func (w wishedTimer) need(at time.Time, ticks []tick) need {
	following := nextMinute(at, w.every)
	told, well, before := map[time.Time]bool{}, map[time.Time]bool{}, false
	for _, t := range ticks {
		if !t.minute.Before(at) && t.minute.Before(following) {
			told[t.minute] = true
			well[t.minute] = well[t.minute] || t.well
		}
		before = before || t.well && t.minute.Equal(at.Add(-time.Minute))
		if t.minute.Equal(at.Add(time.Minute)) { // late, but on time
			told[t.minute] = true
			well[t.minute] = well[t.minute] || t.well
		}
	}
	served := 0
	for _, ok := range well {
		if ok {
			served++
		}
	}

	soon := at.Add(time.Minute)
	switch {
	case w.missed == trigger.MissedAll:
		return must
	case w.missed == trigger.MissedOnce && (len(told) == 0 || len(told) == 1 && told[soon] && w.every == 1):
		return never // when somebody looked there was a newer one
	case w.missed == trigger.MissedOnce && (served < 2 || w.every == 1):
		return may
	case w.missed == trigger.MissedSkip && !told[at] && !told[soon]:
		return never
	case w.missed == trigger.MissedSkip && (!well[at] || !well[soon] || w.every == 1 && !before):
		return may // a tick that serves an earlier choice leaves its own minute to the next, which skips it
	}
	return must
}
