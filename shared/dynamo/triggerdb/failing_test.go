package triggerdb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/bulkdb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/errs"
	tables "minicloud/shared/table"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/hook"
	"minicloud/shared/trigger/run"
)

var errWrong = errors.New("no call fails, and the answer is wrong")

// wrong returns err, or errWrong if err is nil and the answer is not ok.
func wrong(err error, ok bool) error {
	if err == nil && !ok {
		return errWrong
	}
	return err
}

// all makes the calls in order until one fails.
func all(calls ...func() error) error {
	for i, call := range calls {
		if err := call(); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

// failEach runs each scenario with every one of its calls failing once. n is a different number in every run.
func failEach(t *testing.T, client *dynamodb.Client, scenarios map[string]func(c *dynamodb.Client, n int) error) {
	n := 0
	for name, do := range scenarios {
		t.Run(name, func(t *testing.T) {
			dynamotest.FailEach(t, client, func(c *dynamodb.Client) error { n++; return do(c, n) })
		})
	}
}

// TestReturnsDatabaseErrors: whichever call in the life of a run fails, the error of DynamoDB is returned.
func TestReturnsDatabaseErrors(t *testing.T) {
	client, ctx, hour := dynamotest.Start(t, table), t.Context(), noon.Add(time.Hour)
	newRun := func(f trigger.Flow, n, i int) run.Run {
		r := (&flowing{id: 3, flow: f}).run(fmt.Sprint(n, "-", i), i)
		r.Trigger, r.Event.Before = trigger.ID(n), map[string]any{"text": incompressible(8 << 10)}
		r.Event.Trace = fmt.Sprint("trace ", n)
		return r
	}
	// life starts the runs of two events and works on them.
	life := func(f trigger.Flow, mode trigger.Mode, begun int) func(*dynamodb.Client, int) error {
		return func(c *dynamodb.Client, n int) error {
			s, made, got := &rundb.Runs{Client: c, Table: table}, [2]run.Run{}, 0
			for i := range made {
				started, err := s.Start(ctx, newRun(f, n, i), trigger.Frequency{Mode: mode, IntervalSeconds: 60}, after(i))
				if made[i] = started.Run; err != nil {
					return err
				}
			}
			if f.Ordered && f.Batch == nil {
				b, err := s.Begin(ctx, shop, made[1].Ref(), lease("w", hour.Add(time.Minute)), hour)
				if err != nil || b.Standing != run.Behind || len(b.Enqueue) != 1 {
					return wrong(err, false)
				}
			}
			for i := range made {
				b, err := s.Begin(ctx, shop, made[i].Ref(), lease("w", hour.Add(time.Minute)), hour)
				if err != nil {
					return err
				}
				if b.Standing != run.Begun {
					continue
				}
				got++
				if b.Run.Status, b.Run.NextAttempt = run.WaitingRetry, hour; f.Ordered {
					b.Run.Status = run.Succeeded
				}
				if err := s.Wait(ctx, b.Run, "w"); err != nil {
					return err
				}
				next, err := s.Leave(ctx, b.Run, hour)
				if err != nil || (next != nil) != (f.Ordered && f.Batch == nil && i == 0) {
					return wrong(err, false)
				}
			}
			return wrong(nil, got == begun)
		}
	}
	batch := &trigger.Batch{Size: 3, Seconds: 60}
	failEach(t, client, map[string]func(*dynamodb.Client, int) error{
		"no flow":         life(trigger.Flow{}, "", 2),
		"once":            life(trigger.Flow{}, trigger.Once, 1),
		"intermittent":    life(trigger.Flow{}, trigger.Intermittent, 1),
		"debounced":       life(trigger.Flow{DebounceSeconds: 10}, "", 1),
		"batched":         life(trigger.Flow{Batch: batch}, "", 1),
		"throttled":       life(trigger.Flow{Throttle: &trigger.Throttle{Count: 1, PeriodSeconds: 60}}, "", 1),
		"ordered":         life(trigger.Flow{Ordered: true}, "", 2),
		"ordered batches": life(trigger.Flow{Ordered: true, Batch: batch}, "", 1),
		"debounced, once": life(trigger.Flow{DebounceSeconds: 10}, trigger.Once, 1),
		"ordered, throttled": life(
			trigger.Flow{Ordered: true, Throttle: &trigger.Throttle{Count: 9, PeriodSeconds: 60}}, "", 2,
		),
		"the log": func(c *dynamodb.Client, n int) error {
			s, r := &rundb.Runs{Client: c, Table: table}, newRun(trigger.Flow{}, n, 0)
			events := 0
			return all(
				func() error {
					_, err := s.Start(ctx, r, trigger.Frequency{Mode: trigger.Once}, noon)
					return err
				},
				func() error {
					listed, err := s.List(ctx, shop, r.Trigger, run.Filter{}, 5)
					return wrong(err, len(listed) == 1 && listed[0].ID == r.ID)
				},
				func() error {
					counted, err := s.Count(ctx, shop, r.Trigger, run.Filter{})
					return wrong(err, counted == 1)
				},
				func() error {
					for e, err := range s.Events(ctx, shop, r.Trigger, noon.Add(-1)) {
						if events++; err != nil || e.ID != r.Event.ID {
							return wrong(err, false)
						}
					}
					return wrong(nil, events == 1)
				},
				func() error {
					traced, err := s.Traced(ctx, shop, r.Event.Trace, 5)
					return wrong(err, len(traced) == 1 && traced[0].ID == r.ID)
				},
				func() error {
					at, err := s.LastTurn(ctx, shop, r.Trigger, r.Action)
					return wrong(err, at.Equal(noon))
				},
				func() error { return s.Replay(ctx, shop, r.Ref(), hour, 1) },
				func() error {
					got, err := s.Run(ctx, shop, r.Ref())
					return wrong(err, got.Event.Before["text"] == r.Event.Before["text"])
				},
			)
		},
		"evaluations": func(c *dynamodb.Client, n int) error {
			s, of := &rundb.Runs{Client: c, Table: table}, trigger.ID(n)
			first := trigger.Event{ID: "1", At: noon}
			return all(
				func() error {
					return s.Note(ctx, []run.Notes{
						{Scope: shop, Trigger: of, First: first, List: []run.Evaluated{{EventID: "1"}}, Seen: 3, Held: 2},
					})
				},
				func() error {
					list, err := s.Evaluations(ctx, shop, of, nil)
					return wrong(err, len(list) == 1 && list[0].EventID == "1")
				},
				func() error {
					seen, err := s.Seen(ctx, shop, of, noon, 5)
					return wrong(err, len(seen) == 1 && seen[0] == run.Seen{At: noon, Seen: 3, Held: 2})
				},
			)
		},
		"wakes": func(c *dynamodb.Client, n int) error {
			s := &rundb.Runs{Client: c, Table: table}
			w := run.Wake{
				At: noon.Add(time.Duration(n) * time.Millisecond), Message: run.Message{Scope: shop.String(), Run: "r"},
			}
			return all(
				func() error { return s.Plan(ctx, w) },
				func() error {
					planned, err := s.Planned(ctx, hour, 100)
					if len(planned) > 0 {
						w.Shard = planned[len(planned)-1].Shard
					}
					return wrong(err, len(planned) > 0 && planned[len(planned)-1] == w)
				},
				func() error { return s.Drop(ctx, []run.Wake{w}) },
			)
		},
		"rates": func(c *dynamodb.Client, n int) error {
			s := &rundb.Runs{Client: c, Table: table}
			for _, want := range []time.Duration{0, time.Second, 2 * time.Second} {
				if wait, err := s.Take(ctx, shop, trigger.ID(n), 4, 1, noon); err != nil || wait != want {
					return wrong(err, false)
				}
			}
			return nil
		},
	})
}

// TestReturnsDatabaseErrorsOfTriggers covers triggers and the items stored beside them.
func TestReturnsDatabaseErrorsOfTriggers(t *testing.T) {
	client := dynamotest.Start(t, "TriggersTable", "TablesTable", "RowsTable", "RowIndexesTable")
	ctx, now, hour := t.Context(), clock.Fixed(noon), noon.Add(time.Hour)
	if err := (&rowdb.Tables{Client: client, Name: "TablesTable"}).InsertTable(ctx, shop, tables.Table{
		ID: 5, Name: "things", Revision: 1,
	}); err != nil {
		t.Fatal(err)
	}
	newStore := func(c *dynamodb.Client) *triggerdb.Triggers {
		return &triggerdb.Triggers{
			Client: c, Table: "TriggersTable", Clock: now, Listeners: &rowdb.Tables{Client: c, Name: "TablesTable"},
		}
	}

	failEach(t, client, map[string]func(*dynamodb.Client, int) error{
		"a trigger": func(c *dynamodb.Client, n int) error {
			s := newStore(c)
			made := trigger.Trigger{
				ID: trigger.ID(n), Type: trigger.TypeTable, Enabled: true, Revision: 1,
				Condition: &trigger.TableCondition{Table: "things", Event: trigger.Create},
				Tables:    map[string]tables.ID{"things": 5}, HookID: fmt.Sprint("hook", n),
				Actions: []trigger.Action{{ID: 4, Type: trigger.Webhook, Settings: &trigger.WebhookSettings{}}},
			}
			next := made
			next.Revision = 2
			has := func(list []trigger.Trigger) bool {
				for _, one := range list {
					if one.ID == made.ID {
						return true
					}
				}
				return false
			}
			var seen trigger.Trigger
			return all(
				func() error { return s.Insert(ctx, shop, made, noon) },
				func() error { return s.Failed(ctx, shop, made.ID, 4, noon, true) },
				func() (err error) {
					seen, err = s.Trigger(ctx, shop, made.ID)
					return wrong(err, seen.Failing[4].Misses == 1)
				},
				func() error {
					mine, err := s.Probe(ctx, shop, made.ID, 4, seen.Failing[4], hour)
					return wrong(err, mine)
				},
				func() error { return s.Slow(ctx, shop, made.ID, 4, hour) },
				func() error { return s.Recovered(ctx, shop, made.ID, 4) },
				func() error { return s.Replace(ctx, shop, made, next, hour) },
				func() error {
					list, err := s.Triggers(ctx, shop)
					return wrong(err, has(list))
				},
				func() error { return s.MarkBroken(ctx, shop, next, "why") },
				func() error {
					list, err := s.Candidates(ctx, shop, made.IndexKey())
					return wrong(err, has(list) && list[0].Broken+list[len(list)-1].Broken != "")
				},
				func() error {
					h, err := s.Hook(ctx, made.HookID)
					return wrong(err, h == hook.Hook{ID: made.HookID, Scope: shop, Trigger: made.ID, Enabled: true})
				},
				func() error { return s.Delete(ctx, shop, next) },
				func() error {
					_, err := s.Trigger(ctx, shop, made.ID)
					if errs.Is(err, errs.KindNotFound) {
						return nil
					}
					return wrong(err, false)
				},
				func() error {
					gone, err := s.Deleted(ctx, shop, made.ID)
					return wrong(err, gone.Revision == 2)
				},
				func() error {
					gone, err := s.Gone(ctx, shop)
					return wrong(err, len(gone) > 0)
				},
			)
		},
		"calls": func(c *dynamodb.Client, n int) error {
			s, h := newStore(c), hook.Hook{ID: "h", Scope: shop, Trigger: trigger.ID(n)}
			call := trigger.HookCall{
				ID: "7", Hook: "h", At: noon, Payload: "text", Depth: 2, Trace: trace.Link{ID: "a", Cause: "b"},
			}
			return all(
				func() error { return s.Admit(ctx, shop, noon.Add(time.Duration(n)*time.Second)) },
				func() error { return s.Keep(ctx, h, call, 4) },
				func() error {
					return s.Refuse(ctx, h, hook.ReceivedCall{ID: "8", At: noon.UnixMilli(), Reason: "no"})
				},
				func() error {
					calls, err := s.Calls(ctx, shop, h.Trigger)
					return wrong(err, len(calls) == 2 && calls[0].Reason == "no" && calls[1].Fired && calls[1].Size == 4)
				},
				func() error {
					events := 0
					for e, err := range s.CallEvents(ctx, shop, h.Trigger, noon) {
						if events++; err != nil || e.Depth != 2 || e.Trace != "a" || e.Cause != "b" {
							return wrong(err, false)
						}
					}
					return wrong(nil, events == 1)
				},
			)
		},
		"timers": func(c *dynamodb.Client, n int) error {
			s := newStore(c)
			timer := trigger.Trigger{
				ID: trigger.ID(1000 + n), Type: trigger.TypeTimer, Enabled: true, Revision: 1, Condition: &trigger.TimerCondition{},
			}
			at := noon.Add(time.Duration(-n) * time.Minute) // earlier than those of other runs
			due := engine.Due{Scope: shop, Trigger: timer.ID, Revision: 1, At: at}
			return all(
				func() error { return s.Insert(ctx, shop, timer, at) },
				func() error {
					list, err := s.Due(ctx, at, 5)
					if len(list) > 0 {
						due.Shard = list[0].Shard
					}
					return wrong(err, len(list) == 1 && list[0].Trigger == timer.ID && list[0].At.Equal(at))
				},
				func() error {
					chosen, err := s.Choose(ctx, due, []time.Time{at}, hour)
					return wrong(err, len(chosen.Fire) == 1 && chosen.Fire[0].Equal(at) && chosen.Until.Equal(hour))
				},
				func() error {
					failures, err := s.Fail(ctx, due)
					return wrong(err, failures == 1)
				},
				func() error { return s.Move(ctx, due, at.Add(-time.Second)) },
				func() error {
					list, err := s.Due(ctx, at, 5)
					return wrong(err, len(list) == 1 && list[0].At.Equal(at.Add(-time.Second)) && list[0].Failures == 0)
				},
			)
		},
		"messages": func(c *dynamodb.Client, n int) error {
			s := &triggerdb.Claims{Client: c, Table: "TriggersTable", Clock: now}
			claim := action.Claim{Run: fmt.Sprint("run ", n), To: fmt.Sprint("+49", n), Owner: "w", Round: 1}
			other := claim
			other.To += "0"
			wait := func([]time.Time) time.Duration { return time.Second }
			return all(
				func() error {
					state, err := s.Claim(ctx, shop, claim)
					return wrong(err, state == action.Claimed)
				},
				func() error { return s.Sent(ctx, shop, claim) },
				func() error {
					state, err := s.Claim(ctx, shop, claim)
					return wrong(err, state == action.WasSent)
				},
				func() error {
					_, waits, err := s.ClaimNumber(ctx, shop, other, wait)
					return wrong(err, waits == time.Second)
				},
				func() error {
					state, waits, err := s.ClaimNumber(ctx, shop, other, func(at []time.Time) time.Duration {
						return time.Duration(len(at))
					})
					return wrong(err, state == action.Claimed && waits == 0)
				},
				func() error {
					sent, unknown, err := s.Messages(ctx, shop, claim.Run)
					return wrong(err, sent == 1 && unknown == 1)
				},
				func() error {
					held, err := s.Held(ctx, shop, claim.Run, claim.To, other.To+"~")
					return wrong(err, len(held) == 2 && held[claim.To].SentAt.Equal(noon) && held[other.To].Round == 1)
				},
				func() error { return s.Release(ctx, shop, other) },
				func() error {
					sent, unknown, err := s.Messages(ctx, shop, claim.Run)
					return wrong(err, sent == 1 && unknown == 0)
				},
			)
		},
		"quotas": func(c *dynamodb.Client, _ int) error {
			return (&triggerdb.Quotas{Client: c, Table: "TriggersTable", Clock: now}).Spend(ctx, shop, 7, "sms", 100)
		},
		"marks": func(c *dynamodb.Client, n int) error {
			s := &bulkdb.Marks{Client: c, Rows: &rowdb.Rows{Client: c, Table: "RowsTable", Indexes: "RowIndexesTable", Schemas: "TablesTable"}}
			run, next := fmt.Sprint("run ", n), bulk.Operation{
				ID: 1, Status: bulk.StatusExecuting, Succeeded: 3, Revision: 1, UpdatedAt: noon.Unix(),
				Errors: []bulk.RowError{{Row: "r", Kind: errs.KindInvalid, Message: "no"}},
			}
			return all(
				func() error {
					refused, moved, err := s.Advance(ctx, shop, tables.Table{ID: 5}, nil, []bulk.RunStep{{Run: run, Next: next}})
					return wrong(err, len(refused)+len(moved) == 0)
				},
				func() error {
					mark, err := s.Mark(ctx, shop, run)
					return wrong(err, mark.Succeeded == 3 && len(mark.Errors) == 1 && mark.Errors[0] == next.Errors[0])
				},
			)
		},
	})
}

// incompressible returns text that gzip cannot shrink.
func incompressible(letters int) string {
	var text strings.Builder
	for i := range letters / 16 {
		fmt.Fprintf(&text, "%016x", uint64(i)*0x9e3779b97f4a7c15)
	}
	return text.String()
}
