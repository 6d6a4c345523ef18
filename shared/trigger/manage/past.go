package manage

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// pastRows returns events made from the current rows of a table, by their created_at or updated_at.
func (s *Service) pastRows(
	ctx context.Context, scope tenant.Scope, in table.Table, by string, since time.Time,
) (happened, error) {
	q, err := rowsSince(in, by, since)
	if err != nil {
		return nil, err
	}

	updates := by == "updated_at"
	return func(yield func(trigger.Event, error) bool) {
		for {
			found, err := s.Tables.Find(ctx, scope, in, q)
			if err != nil {
				yield(trigger.Event{}, err)
				return
			}
			for _, row := range found.Objects {
				if updates && row.Revision <= 1 {
					continue // the row has not changed since its creation
				}
				if !yield(pastRow(scope, in, updates, row), nil) {
					return
				}
			}
			if found.Next == "" {
				return
			}
			q.Page.After = found.Next
		}
	}, nil
}

// rowsSince returns a query for the rows since a time, newest first.
func rowsSince(in table.Table, by string, since time.Time) (q table.Query, err error) {
	where, err := json.Marshal(map[string]any{by: map[string]any{"$gte": since.Unix()}})
	if err != nil {
		return q, fmt.Errorf("rows of a back-test: %w", err)
	}
	if q.Where, err = in.Grammar().Where(string(where)); err != nil {
		return q, err
	}
	q.Order, err = in.Grammar().OrderBy("-" + by)
	q.Page = page.Request{Limit: page.MaxLimit}
	return q, err
}

func pastRow(scope tenant.Scope, in table.Table, updated bool, row table.Row) trigger.Event {
	at, before := time.Unix(row.CreatedAt(), 0), (*table.Row)(nil)
	if updated {
		at, before = time.Unix(row.UpdatedAt, 0), &row
	}
	row.Origin.Quiet = false // conditions do not depend on quiet writes
	e, _ := trigger.RowEvent(scope, "back-test#"+string(row.ID), at.UTC(), in, before, &row)
	return e
}

// logged returns the events in the logs of all triggers with the same index key, each event once.
func (s *Service) logged(
	ctx context.Context, scope tenant.Scope, t trigger.Trigger, since time.Time,
) (happened, error) {
	all, err := s.Store.Triggers(ctx, scope)
	if err != nil {
		return nil, err
	}
	var logs []happened
	for _, other := range all {
		if other.IndexKey() == t.IndexKey() {
			logs = append(logs, s.Runs.Events(ctx, scope, other.ID, since))
		}
	}

	return func(yield func(trigger.Event, error) bool) {
		seen := map[string]bool{}
		for e, err := range newestFirst(logs) {
			madeUp := strings.HasPrefix(e.ID, firedByHand)
			if err == nil && (madeUp || seen[e.ID]) {
				continue
			}
			seen[e.ID] = true
			if !yield(e, err) || err != nil {
				return
			}
		}
	}, nil
}

// newestFirst merges lists of events that are sorted newest first. It stops at the first error.
func newestFirst(lists []happened) happened {
	type head struct {
		event trigger.Event
		err   error
		next  func() (trigger.Event, error, bool)
	}

	return func(yield func(trigger.Event, error) bool) {
		var heads []head
		for _, list := range lists {
			next, stop := iter.Pull2(list)
			defer stop()
			if e, err, ok := next(); ok {
				heads = append(heads, head{e, err, next})
			}
		}

		for len(heads) > 0 {
			newest := 0
			for i, h := range heads {
				if h.err != nil || h.event.At.After(heads[newest].event.At) {
					newest = i
				}
			}
			h := &heads[newest]
			if !yield(h.event, h.err) || h.err != nil {
				return
			}
			var ok bool
			if h.event, h.err, ok = h.next(); !ok {
				heads = append(heads[:newest], heads[newest+1:]...)
			}
		}
	}
}
