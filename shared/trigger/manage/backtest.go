package manage

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// The limits of back-tests.
const (
	MaxBackTestDays = 7
	maxBackTest     = 10000 // events
	maxBackTestHits = 20    // that are shown
)

// BackTest is what a trigger would have made of what has happened.
type BackTest struct {
	Events int                 `json:"events"`
	Held   int                 `json:"held"`
	Sample []trigger.Evaluated `json:"sample"` // the newest that held
	// Covers says which events were looked at: not everything that happened is kept.
	Covers string `json:"covers"`
}

// BackTest tries the conditions of a trigger on the last days. It has no effect. errs.Invalid for a trigger of which
// nothing is kept that could be looked at.
func (s *Service) BackTest(ctx context.Context, scope tenant.Scope, number trigger.ID, days int) (BackTest, error) {
	if days < 1 || MaxBackTestDays < days {
		return BackTest{}, errs.Invalid("days must be an integer from 1 to %d", MaxBackTestDays)
	}
	t, in, m, err := s.ready(ctx, scope, number)
	if err != nil {
		return BackTest{}, err
	}

	b, since := BackTest{Sample: []trigger.Evaluated{}}, s.Clock.Now().Add(-time.Duration(days)*24*time.Hour)
	switch c := t.Condition.(type) {
	case *trigger.TableCondition:
		err = s.backTestRows(ctx, scope, m, *in, c.Event, since, &b)
	case *trigger.TimerCondition:
		err = s.backTestTimer(scope, m, since, &b)
	default:
		err = errs.Invalid("what happened to triggers of type %s is not kept for back-tests: try fire with an event", t.Type)
	}
	return b, err
}

// look has the trigger meet one event.
func (b *BackTest) look(m *trigger.Matcher, e trigger.Event) {
	b.Events++
	seen := m.Evaluate(e)
	if !seen.Held {
		return
	}
	if b.Held++; len(b.Sample) < maxBackTestHits {
		b.Sample = append(b.Sample, trigger.Evaluated{
			EventID: e.ID, Kind: e.Kind, Subject: e.Subject, At: e.At.UnixMilli(), Held: true, Rules: seen.Rules,
			Actions: []trigger.Decision{},
		})
	}
}

// covered says what the rows of a table tell about each kind of change.
var covered = map[trigger.Change]string{
	trigger.Create: "rows that were created in that time, as they are now",
	trigger.Update: "rows whose last change was in that time, as they are now; what they were before is not kept, " +
		"so that before. sees the row of now and changed never holds",
}

// backTestRows looks at the newest rows: only what they are now is kept.
func (s *Service) backTestRows(
	ctx context.Context, scope tenant.Scope, m *trigger.Matcher, in table.Table, kind trigger.Change, since time.Time,
	b *BackTest,
) error {
	b.Covers = covered[kind]
	if b.Covers == "" {
		return errs.Invalid("rows that were deleted are not kept for back-tests: try fire with an event")
	}
	name := map[trigger.Change]string{trigger.Create: "created_at", trigger.Update: "updated_at"}[kind]
	q, err := newestRows(in, name, since)
	if err != nil {
		return err
	}

	for b.Events < maxBackTest {
		found, err := s.Tables.Find(ctx, scope, in, q)
		if err != nil {
			return err
		}
		for _, row := range found.Objects {
			if kind == trigger.Update && row.Revision <= 1 {
				continue // it was created, and not changed since
			}
			b.look(m, backTestEvent(scope, in, kind, row))
		}
		if found.Next == "" {
			return nil
		}
		q.Page.After = found.Next
	}
	b.Covers += fmt.Sprintf("; the newest %d", maxBackTest)
	return nil
}

// newestRows asks for the rows since a time, newest first.
func newestRows(in table.Table, name string, since time.Time) (q table.Query, err error) {
	where, err := json.Marshal(map[string]any{name: map[string]any{"$gte": since.Unix()}})
	if err != nil {
		return q, fmt.Errorf("rows of a back-test: %w", err)
	}
	if q.Where, err = in.Grammar().Where(string(where)); err != nil {
		return q, err
	}
	q.Order, err = in.Grammar().OrderBy("-" + name)
	q.Page = page.Request{Limit: page.MaxLimit}
	return q, err
}

func backTestEvent(scope tenant.Scope, in table.Table, kind trigger.Change, row table.Row) trigger.Event {
	at, before := time.Unix(row.CreatedAt(), 0), (*table.Row)(nil)
	if kind == trigger.Update {
		at, before = time.Unix(row.UpdatedAt, 0), &row
	}
	row.Origin.Quiet = false // whether it was written quietly does not matter to conditions
	e, _ := trigger.RowEvent(scope, "back-test#"+string(row.ID), at.UTC(), in, before, &row)
	return e
}

// backTestTimer counts the minutes of a timer.
func (s *Service) backTestTimer(scope tenant.Scope, m *trigger.Matcher, since time.Time, b *BackTest) error {
	b.Covers = "the minutes of the timer in that time"
	now := s.Clock.Now()
	var minutes []time.Time
	for at := since; len(minutes) < maxBackTest+1; {
		next, err := s.Timers.Next(m.Trigger, at)
		if err != nil {
			return err
		}
		if next.IsZero() || next.After(now) {
			break
		}

		minutes, at = append(minutes, next), next
	}

	for i := len(minutes) - 1; i >= 0 && b.Events < maxBackTest; i-- {
		b.look(m, trigger.TimerEvent(scope, m.Trigger.ID, minutes[i]))
	}

	return nil
}
