package manage

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/run"
)

// Limits of back-tests.
const (
	maxBackTestDays = 7
	maxBackTest     = 10000 // events
	maxBackTestHits = 20    // in the response
)

// BackTest is the result of evaluating a trigger on past events.
type BackTest struct {
	Events int             `json:"events" minimum:"0"`
	Held   int             `json:"held" minimum:"0"`
	Sample []run.Evaluated `json:"sample" maxItems:"20" items:"Evaluation"` // The newest events that matched.
	Covers string          `json:"covers"`                                  // The events that were evaluated.
}

// Orders finds paid orders.
type Orders interface {
	// Paid returns the paid orders that were created since a time, newest first.
	Paid(ctx context.Context, scope tenant.Scope, since time.Time) iter.Seq2[order.Order, error]
}

// happened is a sequence of past events, newest first.
type happened = iter.Seq2[trigger.Event, error]

// BackTest evaluates the conditions of a trigger on the events of the last days, 1 to maxBackTestDays. It has no
// effect.
func (s *Service) BackTest(ctx context.Context, scope tenant.Scope, number trigger.ID, days int) (BackTest, error) {
	if days < 1 || maxBackTestDays < days {
		return BackTest{}, errs.Invalid("days must be an integer from 1 to %d", maxBackTestDays)
	}
	t, in, m, err := s.ready(ctx, scope, number)
	if err != nil {
		return BackTest{}, err
	}
	since := s.Clock.Now().Add(-time.Duration(days) * 24 * time.Hour)
	events, covers, err := s.source(ctx, scope, t, in, since)
	if err != nil {
		return BackTest{}, err
	}

	b := BackTest{Sample: []run.Evaluated{}, Covers: covers}
	for e, err := range events {
		if err != nil {
			return BackTest{}, err
		}
		if b.Events == maxBackTest {
			b.Covers += fmt.Sprintf("; the newest %d", maxBackTest)
			break
		}
		b.look(m, e)
	}
	return b, nil
}

// look evaluates the trigger on one event.
func (b *BackTest) look(m *engine.Matcher, e trigger.Event) {
	b.Events++
	seen := m.Evaluate(e)
	if !seen.Held {
		return
	}
	if b.Held++; len(b.Sample) < maxBackTestHits {
		b.Sample = append(b.Sample, seen.Of(e))
	}
}

// Descriptions of the events that a back-test covers, by their source.
const (
	coversCreated = "rows that were created in that time, as they are now"
	coversUpdated = "rows whose last change was in that time, as they are now; what they were before is not kept, " +
		"so that before. sees the row of now and changed never holds"
	coversLog = "events of that time in the log of any trigger that waits for the same: what none of them acted on " +
		"is not kept"
)

// source returns the past events of a trigger, and a description of which events it covers.
func (s *Service) source(
	ctx context.Context, scope tenant.Scope, t trigger.Trigger, in *table.Table, since time.Time,
) (events happened, covers string, err error) {
	switch t.Past() {
	case trigger.PastMinutes:
		events, err = s.pastMinutes(scope, t, since)
		return events, "the minutes of the timer in that time", err
	case trigger.PastOrders:
		return s.pastPayments(ctx, scope, t, since), "orders that were made in that time and are paid", nil
	case trigger.PastCalls:
		covers = "the calls of its hook in that time; those that were refused are no events"
		return s.Hooks.CallEvents(ctx, scope, t.ID, since), covers, nil
	case trigger.PastCreated:
		events, err = s.pastRows(ctx, scope, *in, "created_at", since)
		return events, coversCreated, err
	case trigger.PastUpdated:
		events, err = s.pastRows(ctx, scope, *in, "updated_at", since)
		return events, coversUpdated, err
	}
	events, err = s.logged(ctx, scope, t, since)
	return events, coversLog, err
}

// pastPayments returns the payment events of the trigger's vendor, made from paid orders.
func (s *Service) pastPayments(ctx context.Context, scope tenant.Scope, t trigger.Trigger, since time.Time) happened {
	return func(yield func(trigger.Event, error) bool) {
		for o, err := range s.Orders.Paid(ctx, scope, since) {
			if err != nil {
				yield(trigger.Event{}, err)
				return
			}
			e, ok := trigger.PaymentEvent(scope, "back-test#"+o.ID.Key(), o.PaidAt, o.Payload(scope))
			if ok && e.Type == t.Type && !yield(e, nil) {
				return
			}
		}
	}
}

// pastMinutes returns the events of a timer.
func (s *Service) pastMinutes(scope tenant.Scope, t trigger.Trigger, since time.Time) (happened, error) {
	minutes, err := t.Between(since, s.Clock.Now()) // at most one per minute of a week
	if err != nil {
		return nil, err
	}

	return func(yield func(trigger.Event, error) bool) {
		for _, at := range slices.Backward(minutes) {
			if !yield(trigger.TimerEvent(scope, t.ID, at), nil) {
				return
			}
		}
	}, nil
}
