package dynamo

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/id"
	"minicloud/shared/job"
)

// trim makes the counts exact of the days in which the list begins or ends.
func (l *list) trim(ctx context.Context, f job.Filter, from time.Time) error {
	e := edges{from: from, to: lastID.Time().Add(time.Second)}
	var days []int64
	if f.From.Equal(from) {
		days = append(days, dayOf(from))
	}
	if !f.To.IsZero() {
		e.to = f.To.Add(time.Second)
		days = append(days, dayOf(f.To))
	}
	for _, d := range slices.Compact(days) {
		if len(l.history.days[d]) == 0 {
			continue
		}
		if err := l.history.look(ctx, d); err != nil {
			return err
		}
		for h := d * 24; h < (d+1)*24; h++ {
			switch in, whole := e.hold(hourStart(h), time.Hour); {
			case !in:
				delete(l.history.hours, h)
			case !whole && len(l.history.hours[h]) > 0:
				if err := l.trimHour(ctx, h, e); err != nil {
					return err
				}
			}
		}
		sumUp(l.history.days, l.history.hours, d, 24)
	}
	return nil
}

// trimHour does so for an hour.
func (l *list) trimHour(ctx context.Context, hour int64, e edges) error {
	if err := l.history.lookHour(ctx, hour); err != nil {
		return err
	}
	for m := hour * 60; m < (hour+1)*60; m++ {
		switch in, whole := e.hold(minuteStart(m), time.Minute); {
		case !in:
			delete(l.history.minutes, m)
		case !whole && len(l.history.minutes[m]) > 0:
			if err := l.recount(ctx, m); err != nil {
				return err
			}
		}
	}
	sumUp(l.history.hours, l.history.minutes, hour, 60)
	return nil
}

// edges are the moments a list covers: from ≤ t < to.
type edges struct{ from, to time.Time }

// hold reports whether any of the time from start on is within the edges, and
// whether all of it is.
func (e edges) hold(start time.Time, lasting time.Duration) (in, whole bool) {
	end := start.Add(lasting)
	return start.Before(e.to) && end.After(e.from), !start.Before(e.from) && !end.After(e.to)
}

// recount counts the jobs of a minute that are within the list.
func (l *list) recount(ctx context.Context, minute int64) error {
	ids := span{max(l.within.from, id.First(minuteStart(minute))), min(l.within.to, id.First(minuteStart(minute+1)))}
	kinds := l.history.minutes[minute]
	var parts []part
	for k, held := range kinds {
		parts = append(parts, l.history.parts(k, held)...)
	}
	counts, failures := make([]int, len(parts)), make([]error, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts {
		wg.Go(func() { counts[i], failures[i] = l.store.countIDs(ctx, p.pk, ids) })
	}
	wg.Wait()
	for k, held := range kinds {
		held.n = 0
		for i, p := range parts {
			if p.kind == k {
				held.n += counts[i]
			}
		}
		kinds[k] = held
	}
	return errors.Join(failures...)
}

func (s *Jobs) countIDs(ctx context.Context, pk string, ids span) (int, error) {
	if ids.to <= ids.from {
		return 0, nil
	}
	query := s.between(pk, ids)
	query.Select = types.SelectCount
	n := 0
	for {
		out, err := s.Client.Query(ctx, query)
		if err != nil {
			return 0, wrap("count jobs", err)
		}
		n += int(out.Count)
		if query.ExclusiveStartKey = out.LastEvaluatedKey; query.ExclusiveStartKey == nil {
			return n, nil
		}
	}
}
