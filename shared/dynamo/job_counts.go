package dynamo

import (
	"context"
	"errors"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// counts are how many ended jobs a function has, of the kinds and days a list
// asks for.
type counts struct {
	store *Jobs
	scope tenant.Scope
	fn    id.ID

	filter job.Filter
	folded summary
	days   shares // all of them
	// Hours and minutes that are not folded, and those that were looked into.
	hours, minutes          shares
	lookedDays, lookedHours map[int64]bool
}

func (s *Jobs) newCounts(scope tenant.Scope, fn id.ID, f job.Filter) counts {
	return counts{
		store: s, scope: scope, fn: fn, filter: f, days: make(shares), hours: make(shares), minutes: make(shares),
		lookedDays: make(map[int64]bool), lookedHours: make(map[int64]bool),
	}
}

// errFolded says that tallies were folded while they were read: some of them may
// have been seen twice, or not at all.
var errFolded = errors.New("tallies were folded")

// counted reads the counts. They are true if stillTrue says so after all is read.
func (s *Jobs) counted(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, days period) (counts, error) {
	c := s.newCounts(scope, fn, f)
	if f.Status != "" && !f.Status.Terminal() {
		return c, nil
	}
	var err error
	if c.folded, err = s.summary(ctx, scope, fn); err != nil {
		return c, err
	}
	for d := dayOf(days.from); d <= dayOf(days.to); d++ {
		c.addFolded(d)
	}
	tallies, err := s.tallies(ctx, scope, fn, days.from, days.to)
	if err != nil {
		return c, err
	}
	c.addTallies(tallies)
	return c, nil
}

// stillTrue returns errFolded if anything was folded since the counts were read.
func (c *counts) stillTrue(ctx context.Context) error {
	if c.filter.Status != "" && !c.filter.Status.Terminal() {
		return nil
	}
	now, err := c.store.folded(ctx, c.scope, c.fn)
	if err == nil && now != c.folded.revision {
		return errFolded
	}
	return err
}

// addFolded adds what is folded of a day.
func (c *counts) addFolded(day int64) {
	for k, held := range c.folded.on(day) {
		if k.selects(c.filter) {
			c.days.add(day, k, held)
		}
	}
}

// addTallies adds what is not folded.
func (c *counts) addTallies(tallies []tally) {
	for _, t := range tallies {
		minutes := make(shares)
		minutes.addParts(t.counts, t.hour*60, c.filter, func(kind) uint16 { return bit(t.lane) })
		for m, kinds := range minutes {
			for k, held := range kinds {
				c.minutes.add(m, k, held)
				c.hours.add(t.hour, k, held)
				c.days.add(t.hour/24, k, held)
			}
		}
	}
}

// look reads the hours of a day that is folded, one GetItem; afterwards hours has
// all of that day.
func (c *counts) look(ctx context.Context, day int64) error {
	if len(c.folded.on(day)) == 0 || c.lookedDays[day] {
		return nil
	}
	c.lookedDays[day] = true
	return c.read(ctx, hoursKey(c.scope, c.fn), dayName(day), day, c.hours, day*24)
}

// lookHour reads the minutes of an hour of a day that was looked into, if it is
// folded, one GetItem; afterwards minutes has all of that hour.
func (c *counts) lookHour(ctx context.Context, hour int64) error {
	known := 0
	for m := hour * 60; m < (hour+1)*60; m++ {
		known += c.minutes.sum(m)
	}
	if c.hours.sum(hour) == known || c.lookedHours[hour] {
		return nil
	}
	c.lookedHours[hour] = true
	return c.read(ctx, minutesKey(c.scope, c.fn), hourName(hour), hour/24, c.minutes, hour*60)
}

// read adds what an item of a day has folded.
func (c *counts) read(ctx context.Context, pk, sk string, day int64, into shares, first int64) error {
	av, err := c.store.get(ctx, pk, sk)
	if errs.Is(err, errs.KindNotFound) {
		return errFolded // no longer kept
	}
	if err != nil {
		return err
	}
	folded := c.folded.on(day)
	into.addParts(av, first, c.filter, func(k kind) uint16 { return folded[k].lanes })
	return nil
}

// sumUp makes the count of a day that of its hours, or of an hour that of its
// minutes.
func sumUp(whole, parts shares, at, each int64) {
	delete(whole, at)
	for n := at * each; n < (at+1)*each; n++ {
		for k, held := range parts[n] {
			whole.add(at, k, held)
		}
	}
}

// part is one partition of the history.
type part struct {
	kind kind
	pk   string
}

// parts returns the partitions that hold these jobs.
func (c *counts) parts(k kind, held share) []part {
	var parts []part
	for lane := range jobLanes {
		if held.lanes&bit(lane) != 0 {
			parts = append(parts, part{k, historyKey(c.scope, c.fn, k, lane)})
		}
	}
	return parts
}
