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
	// hours of days that are not folded, and of those that were looked into.
	hours  shares
	looked map[int64]bool
}

// errFolded says that tallies were folded while they were read: some of them may
// have been seen twice, or not at all.
var errFolded = errors.New("tallies were folded")

// counted reads the counts. They are true if stillTrue says so after all is read.
func (s *Jobs) counted(ctx context.Context, scope tenant.Scope, fn id.ID, f job.Filter, days period) (counts, error) {
	c := counts{store: s, scope: scope, fn: fn, filter: f, days: make(shares), hours: make(shares), looked: make(map[int64]bool)}
	if f.Status != "" && !f.Status.Terminal() {
		return c, nil
	}
	var err error
	if c.folded, err = s.summary(ctx, scope, fn); err != nil {
		return c, err
	}
	for d := dayOf(days.from); d <= dayOf(days.to); d++ {
		c.addFolded(d, f)
	}
	tallies, err := s.tallies(ctx, scope, fn, days.from, days.to)
	if err != nil {
		return c, err
	}
	return c, c.addTallies(tallies, f)
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
func (c *counts) addFolded(day int64, f job.Filter) {
	for k, held := range c.folded.on(day) {
		if k.selects(f) {
			c.days.add(day, k, held)
		}
	}
}

// addTallies adds what is not folded.
func (c *counts) addTallies(tallies []item, f job.Filter) error {
	for _, av := range tallies {
		day, lane, err := parseTally(av)
		if err != nil {
			return err
		}
		hours := make(shares)
		hours.addHours(av, day, f, func(kind) uint16 { return bit(lane) })
		for h, kinds := range hours {
			for k, held := range kinds {
				c.hours.add(h, k, held)
				c.days.add(day, k, held)
			}
		}
	}
	return nil
}

// look reads the hours of a day that is folded, one GetItem; afterwards hours has
// all of that day.
func (c *counts) look(ctx context.Context, day int64) error {
	folded := c.folded.on(day)
	if len(folded) == 0 || c.looked[day] {
		return nil
	}
	c.looked[day] = true
	av, err := c.store.get(ctx, hoursKey(c.scope, c.fn), dayName(day))
	if errs.Is(err, errs.KindNotFound) {
		return errFolded // no longer kept
	}
	if err != nil {
		return err
	}
	c.hours.addHours(av, day, c.filter, func(k kind) uint16 { return folded[k].lanes })
	return nil
}

// sumUp makes the count of a day that of its hours.
func (c *counts) sumUp(day int64) {
	delete(c.days, day)
	for h := day * 24; h < (day+1)*24; h++ {
		for k, held := range c.hours[h] {
			c.days.add(day, k, held)
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
