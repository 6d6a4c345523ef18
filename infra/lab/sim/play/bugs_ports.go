package play

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	notifyapi "minicloud/functions/paymentnotify/api"
	busconsumer "minicloud/functions/platformevent/consumer"
	streamconsumer "minicloud/functions/recordtrigger/consumer"
	"minicloud/infra/lab/sim"
	scopes "minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// candidates finds triggers with a mistake.
type candidates func(ctx context.Context, scope scopes.Scope, key string) ([]trigger.Trigger, error)

// Candidates implements trigger.Candidates.
func (c candidates) Candidates(ctx context.Context, scope scopes.Scope, key string) ([]trigger.Trigger, error) {
	return c(ctx, scope, key)
}

// elsewhere looks for triggers in another environment.
func elsewhere(real trigger.Candidates) trigger.Candidates {
	return candidates(func(ctx context.Context, scope scopes.Scope, key string) ([]trigger.Trigger, error) {
		scope.Env = scopes.Production
		return real.Candidates(ctx, scope, key)
	})
}

// keptByIndex keeps triggers by what they wait for, and forgets whose they are.
func keptByIndex(real trigger.Candidates) trigger.Candidates {
	kept := map[string][]trigger.Trigger{}
	return candidates(func(ctx context.Context, scope scopes.Scope, key string) ([]trigger.Trigger, error) {
		if all, ok := kept[key]; ok {
			return all, nil
		}
		all, err := real.Candidates(ctx, scope, key)
		if err == nil && len(all) > 0 {
			kept[key] = all
		}
		return all, err
	})
}

// again reads triggers many times.
func again(real trigger.Candidates) trigger.Candidates {
	return candidates(func(ctx context.Context, scope scopes.Scope, key string) (all []trigger.Trigger, err error) {
		for range 12 {
			if all, err = real.Candidates(ctx, scope, key); err != nil {
				return nil, err
			}
		}
		return all, nil
	})
}

// unconditional forgets the rules of triggers.
func unconditional(real trigger.Candidates) trigger.Candidates {
	return candidates(func(ctx context.Context, scope scopes.Scope, key string) ([]trigger.Trigger, error) {
		all, err := real.Candidates(ctx, scope, key)
		for i := range all {
			if c, ok := all[i].Condition.(*trigger.TableCondition); ok {
				plain := *c
				plain.Rules, all[i].Condition = nil, &plain
			}
		}
		return all, err
	})
}

// runStore stores runs with a mistake.
type runStore struct {
	trigger.Runs
	start func(ctx context.Context, r trigger.Run, limit trigger.Frequency, now time.Time) (trigger.Started, error)
}

// Start implements trigger.Runs.
func (s runStore) Start(
	ctx context.Context, r trigger.Run, limit trigger.Frequency, now time.Time,
) (trigger.Started, error) {
	return s.start(ctx, r, limit, now)
}

// renamed stores runs under other ids.
func renamed(name func(r trigger.Run) string) func(trigger.Runs) trigger.Runs {
	return func(real trigger.Runs) trigger.Runs {
		s := runStore{Runs: real}
		s.start = func(
			ctx context.Context, r trigger.Run, limit trigger.Frequency, now time.Time,
		) (trigger.Started, error) {
			r.ID = name(r)
			return real.Start(ctx, r, limit, now)
		}
		return s
	}
}

// askedOnce takes a run that is stored for one that was asked for.
func askedOnce(real trigger.Runs) trigger.Runs {
	s := runStore{Runs: real}
	s.start = func(ctx context.Context, r trigger.Run, limit trigger.Frequency, now time.Time) (trigger.Started, error) {
		if old, err := real.Run(ctx, r.Scope, r.Ref()); err == nil {
			return trigger.Started{Run: old}, nil
		}
		return real.Start(ctx, r, limit, now)
	}
	return s
}

// unlimited forgets how often an action may run.
func unlimited(real trigger.Runs) trigger.Runs {
	s := runStore{Runs: real}
	s.start = func(ctx context.Context, r trigger.Run, _ trigger.Frequency, now time.Time) (trigger.Started, error) {
		return real.Start(ctx, r, trigger.Frequency{}, now)
	}
	return s
}

// notStored takes a run that could not be stored for one that was.
func notStored(real trigger.Runs) trigger.Runs {
	s := runStore{Runs: real}
	s.start = func(ctx context.Context, r trigger.Run, limit trigger.Frequency, now time.Time) (trigger.Started, error) {
		stored, err := real.Start(ctx, r, limit, now)
		if err != nil {
			return trigger.Started{Run: r, Ask: []trigger.Run{r}}, nil
		}
		return stored, nil
	}
	return s
}

// sender sends messages with a mistake.
type sender func(ctx context.Context, m trigger.Message, group string, delay time.Duration) error

// Send implements trigger.Queue.
func (s sender) Send(ctx context.Context, m trigger.Message, group string, delay time.Duration) error {
	return s(ctx, m, group, delay)
}

// unsent takes a message that was not sent for one that was.
func unsent(real trigger.Queue) trigger.Queue {
	return sender(func(ctx context.Context, m trigger.Message, group string, delay time.Duration) error {
		_ = real.Send(ctx, m, group, delay)
		return nil
	})
}

// lastTenant sends messages in the name of whoever was first.
func lastTenant(real trigger.Queue) trigger.Queue {
	first := ""
	return sender(func(ctx context.Context, m trigger.Message, group string, delay time.Duration) error {
		if first == "" {
			first = m.Scope
		}
		m.Scope = first
		return real.Send(ctx, m, group, delay)
	})
}

// firer fires events with a mistake.
type firer func(ctx context.Context, happened []trigger.Event) (int, error)

// Fire implements consumer.Engine.
func (f firer) Fire(ctx context.Context, happened []trigger.Event) (int, error) {
	return f(ctx, happened)
}

// changed fires events that were changed.
func changed(change func(e *trigger.Event)) func(streamconsumer.Engine) streamconsumer.Engine {
	return func(real streamconsumer.Engine) streamconsumer.Engine {
		return firer(func(ctx context.Context, happened []trigger.Event) (int, error) {
			happened = slices.Clone(happened)
			for i := range happened {
				change(&happened[i])
			}
			return real.Fire(ctx, happened)
		})
	}
}

// backwards fires the newest event first.
func backwards(real streamconsumer.Engine) streamconsumer.Engine {
	return firer(func(ctx context.Context, happened []trigger.Event) (int, error) {
		happened = slices.Clone(happened)
		slices.Reverse(happened)
		n, err := real.Fire(ctx, happened)
		if err != nil {
			n = 0
		}
		return n, err
	})
}

// goneOn fires what is behind an event that failed, before it.
func goneOn(real streamconsumer.Engine) streamconsumer.Engine {
	return firer(func(ctx context.Context, happened []trigger.Event) (done int, err error) {
		done = len(happened)
		for i := len(happened) - 1; i >= 0; i-- {
			if _, failed := real.Fire(ctx, happened[i:i+1]); failed != nil {
				done, err = i, failed
			}
		}
		return done, err
	})
}

// allWell says of a batch of a stream that all of it was worked on.
func allWell(real sim.StreamHandler) sim.StreamHandler {
	return func(ctx context.Context, e events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error) {
		answer, err := real(ctx, e)
		answer.BatchItemFailures = nil
		return answer, err
	}
}

// oneBeyond says that the record that failed was worked on, too.
func oneBeyond(real sim.StreamHandler) sim.StreamHandler {
	return func(ctx context.Context, e events.DynamoDBTimeWindowEvent) (events.DynamoDBTimeWindowEventResponse, error) {
		answer, err := real(ctx, e)
		for i, r := range e.Records {
			if len(answer.BatchItemFailures) > 0 && r.Change.SequenceNumber == answer.BatchItemFailures[0].ItemIdentifier {
				answer.BatchItemFailures = nil
				if i+1 < len(e.Records) {
					next := e.Records[i+1].Change.SequenceNumber
					answer.BatchItemFailures = []events.DynamoDBBatchItemFailure{{ItemIdentifier: next}}
				}
				break
			}
		}
		return answer, err
	}
}

// workedOn says of messages that all of them were worked on.
func workedOn(real sim.SQSHandler) sim.SQSHandler {
	return func(ctx context.Context, e events.SQSEvent) (events.SQSEventResponse, error) {
		_, err := real(ctx, e)
		return events.SQSEventResponse{}, err
	}
}

// reading reads records with a mistake.
func reading(change func(r *events.DynamoDBEventRecord), then func(e *trigger.Event)) func(
	streamconsumer.Reader) streamconsumer.Reader {
	return func(real streamconsumer.Reader) streamconsumer.Reader {
		return func(record events.DynamoDBEventRecord) (streamconsumer.Occurrence, bool, error) {
			change(&record)
			occurrence, ok, err := real(record)
			return func(ctx context.Context) (trigger.Event, bool, error) {
				e, ok, err := occurrence(ctx)
				then(&e)
				return e, ok, err
			}, ok, err
		}
	}
}

// letters loses dead letters.
type letters struct{}

// Refuse implements consumer.DeadLetters.
func (letters) Refuse(context.Context, string, string, []byte) error { return nil }

func noLetters(busconsumer.DeadLetters) busconsumer.DeadLetters { return letters{} }

// forgetful puts events on the bus without their environment.
type forgetful struct{ notifyapi.Bus }

// Put implements api.Bus.
func (b forgetful) Put(ctx context.Context, detailType string, detail []byte) error {
	text := strings.ReplaceAll(string(detail), fmt.Sprintf("%q", scopesPlayed[1].Env), `""`)
	return b.Bus.Put(ctx, detailType, []byte(text))
}

// hopeful takes a call of a hook that could not be stored for one that was.
type hopeful struct{ trigger.Hooks }

// Keep implements trigger.Hooks.
func (h hopeful) Keep(ctx context.Context, of trigger.Hook, call trigger.HookCall, size int) error {
	_ = h.Hooks.Keep(ctx, of, call, size)
	return nil
}

// hasty moves a timer on before it is fired.
type hasty struct{ trigger.Dues }

// Due implements trigger.Dues.
func (d hasty) Due(ctx context.Context, until time.Time, limit int) ([]trigger.Due, error) {
	due, err := d.Dues.Due(ctx, until, limit)
	for _, one := range due {
		if err := d.Dues.Move(ctx, one, until.Truncate(time.Minute).Add(time.Minute)); err != nil {
			return nil, err
		}
	}
	return due, err
}

// punctual plans the next minute from when it is done, not from the one that was due.
type punctual struct{ trigger.Dues }

// Move implements trigger.Dues.
func (d punctual) Move(ctx context.Context, of trigger.Due, next time.Time) error {
	if now := time.Now(); !next.IsZero() && !next.After(now) {
		next = now.Truncate(time.Minute).Add(time.Minute)
	}
	return d.Dues.Move(ctx, of, next)
}

// byTheClock fires the minute it is now, not the one that was due.
type byTheClock struct{ trigger.Dues }

// Due implements trigger.Dues.
func (d byTheClock) Due(ctx context.Context, until time.Time, limit int) ([]trigger.Due, error) {
	due, err := d.Dues.Due(ctx, until, limit)
	for i := range due {
		due[i].Fire, due[i].Until = []time.Time{until}, until
	}
	return due, err
}

// eager fires every minute that was missed, whatever the timer wants.
type eager struct{ trigger.Store }

// Trigger implements trigger.Store.
func (s eager) Trigger(ctx context.Context, scope scopes.Scope, id trigger.ID) (trigger.Trigger, error) {
	t, err := s.Store.Trigger(ctx, scope, id)
	if c, ok := t.Condition.(*trigger.TimerCondition); ok {
		plain := *c
		plain.Missed, t.Condition = trigger.MissedAll, &plain
	}
	return t, err
}
