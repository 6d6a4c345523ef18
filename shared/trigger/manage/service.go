// Package manage lets owners create, change, test and replay triggers, and read their logs.
//
//	service.go   create, change, delete
//	read.go      one trigger, lists, and whether they are broken
//	keys.go      the sealed keys of webhooks
//	names.go     lookup of the names that triggers use
//	map.go       which triggers can fire which
//	log.go       the runs of actions; replay.go executes them again
//	trace.go     what one request or event caused; tree.go builds it as a tree
//	fire.go      fires one test event; backtest.go evaluates past events, which past.go finds
package manage

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"minicloud/shared/bulk"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value"
	"minicloud/shared/retry"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/engine"
	"minicloud/shared/trigger/hook"
	"minicloud/shared/trigger/run"
)

// Service manages triggers (G1-G11).
type Service struct {
	Store         Store
	Checker       *draft.Checker
	Tables        *manage.Service
	Runs          run.Log
	Evaluations   run.Evaluations
	Hooks         hook.Store
	Engine        *engine.Engine
	Queue         run.Queue
	Operations    bulk.Store
	Background    bulk.Queue // for replays of ranges
	ReplayEffects *action.ReplayEffects
	Orders        Orders
	Jobs          Jobs
	Sealer        sealed.Sealer
	Clock         clock.Clock
	IDs           *id.Source
}

// Store stores triggers and the ids of deleted triggers.
type Store interface {
	trigger.Store
	// Gone returns the deleted triggers that may have a log.
	Gone(ctx context.Context, scope tenant.Scope) ([]trigger.ID, error)
}

// Written is the result of a write.
type Written struct {
	Trigger  trigger.Trigger
	Warnings trigger.Problems
	// Keys are the new keys of webhooks. They are returned only to the request that made them (G24).
	Keys map[trigger.ActionID]string
}

// Create adds a trigger. It returns errs.Invalid with every mistake and its path.
func (s *Service) Create(ctx context.Context, scope tenant.Scope, by int64, given map[string]any) (Written, error) {
	ids, made := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	number, token := trigger.ID(ids.New(made)), writetoken.Of(ctx, "trigger")

	var w Written
	err := retry.Writes.Do(ctx, retry.OnConflict, func(try int) error {
		if token == "" && try > 0 { // two programs can draw the same id in one millisecond
			number = trigger.ID(ids.New(made))
		}
		if known, ok := s.before(ctx, scope, number, token, try); ok {
			return s.repeat(ctx, scope, known, draft.Draft{Given: given, Now: made, ID: number, By: by}, &w)
		}

		report, err := s.check(ctx, scope, draft.Draft{Given: given, Now: made, ID: number, By: by})
		if err != nil {
			return err
		}
		t := report.Trigger
		t.Revision = 1
		if t.Type.Definition().Called {
			t.HookID = random(hookLetters)
		}
		return s.write(ctx, scope, nil, t, report.Warnings, token, &w)
	})
	return w, err
}

// before returns the trigger that an earlier try of the request stored. It reads nothing for a
// first try or a request without a key.
func (s *Service) before(
	ctx context.Context, scope tenant.Scope, number trigger.ID, token string, try int,
) (trigger.Trigger, bool) {
	r := writetoken.FromContext(ctx)
	if r == nil || !r.Again && try == 0 {
		return trigger.Trigger{}, false
	}
	t, err := s.Store.Trigger(ctx, scope, number)
	return t, err == nil && t.Tokens.Has(token)
}

// Guard checks the state of a trigger that a change is about to replace. If it returns an error, the change is not made
// and returns that error. A retry calls it again with the new state.
type Guard func(trigger.Trigger) error

// Change replaces the given members of a trigger if the guard allows it (section 3). It returns errs.NotFound if the
// trigger does not exist, and errs.Invalid as Create does.
func (s *Service) Change(
	ctx context.Context, scope tenant.Scope, number trigger.ID, given map[string]any, guard Guard,
) (Written, error) {
	token := writetoken.Of(ctx, "change")
	var w Written
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.Store.Trigger(ctx, scope, number)
		if err != nil {
			return err
		}
		d := draft.Draft{Given: given, Old: &old, Now: s.Clock.Now()}
		if old.Tokens.Has(token) {
			return s.repeat(ctx, scope, old, d, &w)
		}
		if err := guard(old); err != nil {
			return err
		}

		report, err := s.check(ctx, scope, d)
		if err != nil {
			return err
		}
		return s.write(ctx, scope, &old, report.Trigger, report.Warnings, token, &w)
	})
	return w, err
}

// check reads a draft. It returns errs.Invalid if the draft cannot be stored.
func (s *Service) check(ctx context.Context, scope tenant.Scope, d draft.Draft) (draft.Report, error) {
	others, err := s.Store.Triggers(ctx, scope)
	if err != nil {
		return draft.Report{}, err
	}
	d.Others = others
	report, err := s.Checker.Check(ctx, scope, d)
	if err != nil {
		return report, err
	}
	return report, report.Errors.Err()
}

// Check reports on a draft and stores nothing. A draft with the id of a trigger is checked as a change of that trigger.
func (s *Service) Check(ctx context.Context, scope tenant.Scope, by int64, given map[string]any) (draft.Report, error) {
	others, err := s.Store.Triggers(ctx, scope)
	if err != nil {
		return draft.Report{}, err
	}

	d := draft.Draft{Given: given, Others: others, Now: s.Clock.Now(), By: by}
	if number, ok := value.ToFloat(given["id"]); ok {
		if i := slices.IndexFunc(others, func(t trigger.Trigger) bool { return float64(t.ID) == number }); i >= 0 {
			d.Old = &others[i]
		}
	}
	return s.Checker.Check(ctx, scope, d)
}

// write stores t in place of old, or as a new trigger if old is nil. It gives new actions ids and new webhooks keys.
func (s *Service) write(
	ctx context.Context, scope tenant.Scope, old *trigger.Trigger, t trigger.Trigger, warnings trigger.Problems,
	token string, w *Written,
) error {
	now := s.Clock.Now()
	added := s.number(ctx, &t)
	keys, err := s.makeKeys(ctx, scope, &t, added)
	if err != nil {
		return err
	}
	if err := s.put(ctx, scope, old, &t, token, now); err != nil {
		return err
	}
	*w = Written{Trigger: t, Warnings: warnings, Keys: keys}
	return nil
}

// put stores t in place of old, and plans the next minute of a timer.
func (s *Service) put(
	ctx context.Context, scope tenant.Scope, old, t *trigger.Trigger, token string, now time.Time,
) error {
	t.Tokens = t.Tokens.With(token, now)
	next, err := t.Planned(now)
	if err != nil {
		return err
	}

	if old == nil {
		return s.Store.Insert(ctx, scope, *t, next)
	}
	if err := s.enqueuePending(ctx, scope, t.ID); err != nil {
		return err
	}
	t.Revision = old.Revision + 1
	return s.Store.Replace(ctx, scope, *old, *t, next)
}

// number gives new actions their ids. Every try of a request with an idempotency key gives the same ids.
func (s *Service) number(ctx context.Context, t *trigger.Trigger) (added []trigger.ActionID) {
	ids, now := writetoken.IDs(writetoken.Step(ctx, "actions"), s.IDs, s.Clock.Now())
	for i := range t.Actions {
		if t.Actions[i].ID == 0 {
			t.Actions[i].ID = trigger.ActionID(ids.New(now))
			added = append(added, t.Actions[i].ID)
		}
	}
	return added
}

// repeat answers a repeated request with the current trigger and the keys that the first request made.
func (s *Service) repeat(
	ctx context.Context, scope tenant.Scope, known trigger.Trigger, d draft.Draft, w *Written,
) error {
	*w = Written{Trigger: known, Warnings: trigger.Problems{}}
	report, err := s.check(ctx, scope, d)
	if errs.Is(err, errs.KindInvalid) {
		return nil // the draft was valid then and is invalid now
	}
	if err != nil {
		return err
	}

	added := s.number(ctx, &report.Trigger)
	w.Warnings = report.Warnings
	w.Keys, err = s.showKeys(ctx, scope, known, added)
	return err
}

// Delete removes a trigger if the guard allows it (G9). Its timer and its hook stop at once, its log remains. Delete
// returns errs.NotFound if the trigger does not exist.
func (s *Service) Delete(ctx context.Context, scope tenant.Scope, number trigger.ID, guard Guard) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		t, err := s.Store.Trigger(ctx, scope, number)
		if err != nil {
			return err
		}
		if err := guard(t); err != nil {
			return err
		}
		if err := s.enqueuePending(ctx, scope, number); err != nil {
			return err
		}
		return s.Store.Delete(ctx, scope, t)
	})
}

// ResetHook gives an incoming webhook a new URL. The old URL stops working at once.
func (s *Service) ResetHook(ctx context.Context, scope tenant.Scope, number trigger.ID) (t trigger.Trigger, err error) {
	token := writetoken.Of(ctx, "hook")
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		if t, err = s.Store.Trigger(ctx, scope, number); err != nil || t.Tokens.Has(token) {
			return err
		}
		if !t.Type.Definition().Called {
			return noHook(t)
		}
		old := t
		t.HookID, t.UpdatedAt = random(hookLetters), s.Clock.Now().Unix()
		return s.put(ctx, scope, &old, &t, token, s.Clock.Now())
	})
	return t, err
}

func noHook(t trigger.Trigger) error {
	return errs.Invalid("trigger %d is of type %s: only an incoming_webhook has a hook", t.ID, t.Type)
}

// Lengths and alphabet of random hook ids and webhook keys (D40, G6).
const (
	hookLetters = 10
	keyLetters  = 32
	letters     = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// random returns n letters and digits, each equally likely.
func random(n int) string {
	text := make([]byte, 0, n)
	for one := make([]byte, 1); len(text) < n; {
		rand.Read(one)
		if v := int(one[0] & 63); v < len(letters) {
			text = append(text, letters[v])
		}
	}
	return string(text)
}
