package action

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"minicloud/shared/cache"
	"minicloud/shared/clip"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trace/chain"
	"minicloud/shared/trace/logging"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Triggers reads the triggers of runs.
type Triggers interface {
	// Trigger returns a trigger, errs.NotFound if it does not exist.
	Trigger(ctx context.Context, scope tenant.Scope, t trigger.ID) (trigger.Trigger, error)
	// Deleted returns a deleted trigger as it was when deleted, errs.NotFound if there is none.
	Deleted(ctx context.Context, scope tenant.Scope, t trigger.ID) (trigger.Trigger, error)
	// Replace is Replace of trigger.Store.
	Replace(ctx context.Context, scope tenant.Scope, old, t trigger.Trigger, next time.Time) error
}

// Executor executes runs. A message may be delivered any number of times, also to several executors: only one of them
// executes a run at a time.
type Executor struct {
	Runs     run.Leases
	Triggers Triggers
	Waker    *run.Waker
	Doers    map[trigger.ActionType]Doer
	Clock    clock.Clock
	Log      *slog.Logger

	contended cache.Map[actionKey, time.Time] // until when runs of contended actions are moved to the slow queue
}

// actionKey identifies an action of a trigger.
type actionKey struct {
	scope   string
	trigger trigger.ID
	action  trigger.ActionID
}

// contendedFor is how long runs of a contended action are moved to the slow queue without being begun. Afterwards one
// batch tries again whether its runs still conflict.
const contendedFor = 10 * time.Second

// LeaseTime is the lease of one attempt, including its storing. No other worker begins the run in that time, so the
// visibility timeout of the queue must be longer, and the worker must end before.
const LeaseTime = 60 * time.Second

// Types of errors that the executor itself logs.
const (
	typeInternal    = "internal"    // a failure of the platform
	typeTimeout     = "timeout"     // the attempt took longer than AttemptTime
	typeUnsupported = "unsupported" // the action type has no doer
	typeLost        = "lost"        // its workers died in all attempts
)

// Handle executes the run of a message. After an error the message must be delivered again, except for errs.Invalid and
// errs.NotFound, which are permanent.
func (x *Executor) Handle(ctx context.Context, m run.Message) error {
	scope, err := tenant.Parse(m.Scope)
	if err != nil || m.Trigger <= 0 || m.Run == "" || m.At <= 0 {
		return errs.Invalid("the message names no run")
	}
	now := x.Clock.Now()
	if until, _ := x.contended.Get(actionKey{m.Scope, m.Trigger, m.Action}); !m.Slow && now.Before(until) {
		m.Slow = true
		return x.Waker.Wake(ctx, m, now)
	}
	ref := run.Ref{Trigger: m.Trigger, At: time.UnixMilli(m.At).UTC(), ID: m.Run}
	lease := run.Lease{Owner: id.Hex(8), Until: now.Add(LeaseTime)}

	b, err := x.Runs.Begin(ctx, scope, ref, lease, now)
	if err != nil {
		return fmt.Errorf("begin run %s: %w", m.Run, err)
	}
	for _, r := range b.Enqueue {
		if err := x.Waker.Wake(chain.Apart(ctx), run.MessageOf(r.Ref(), scope), r.NextAttempt); err != nil {
			return err
		}
	}
	ctx = trace.NewContext(ctx, b.Run.Link())
	switch b.Standing {
	case run.Over:
		return x.leave(ctx, b.Run)
	case run.Behind:
		return nil
	case run.Early, run.UnderWay:
		return x.Waker.Wake(ctx, m, b.Until)
	}

	a := &attempt{Executor: x, message: m, run: b.Run, events: b.Events, owner: lease.Owner, at: now}
	err = a.work(ctx)
	if errors.Is(err, errLeaseOver) {
		// The attempt took too long, or a clock is wrong, and another worker has the run. Both messages may be copies
		// of one, and are deleted together. A new message covers the death of that worker.
		x.log().WarnContext(ctx, "the lease of a run was over before its end", "run", m.Run)
		return x.Waker.Wake(ctx, m, x.Clock.Now().Add(LeaseTime))
	}
	return err
}

// leave wakes the run that follows an ordered one. It may be called again: if a worker dies after ending a run, the
// message of the run is delivered again.
func (x *Executor) leave(ctx context.Context, r run.Run) error {
	next, err := x.Runs.Leave(ctx, r, x.Clock.Now())
	if err != nil {
		return fmt.Errorf("leave the order of run %s: %w", r.ID, err)
	}
	if next == nil {
		return nil
	}
	return x.Waker.Wake(chain.Apart(ctx), run.MessageOf(next.Ref(), r.Scope), next.NextAttempt)
}

// errLeaseOver is the error of a worker whose lease another worker has taken over.
var errLeaseOver = errors.New("the lease is over")

func leaseOver(doing string, r run.Run, err error) error {
	if errs.Is(err, errs.KindNotFound) {
		err = errLeaseOver
	}
	return fmt.Errorf("%s run %s: %w", doing, r.ID, err)
}

func (x *Executor) log() *slog.Logger { return logging.OrNone(x.Log) }

// attempt is a run with a lease.
type attempt struct {
	*Executor
	message run.Message
	run     run.Run
	events  []trigger.Event
	owner   string
	at      time.Time
}

// work executes the run and stores the result.
func (a *attempt) work(ctx context.Context) error {
	a.noteLost()
	if most := MaxTries(a.run.ActionType); a.run.Tries > most {
		return a.fail(ctx, &Failure{Type: typeLost, Message: fmt.Sprintf("%d attempts ended without an answer", most)})
	}
	// A run that had its effect is not executed again, except for a delivery (G27).
	if found(a.run) {
		return a.succeed(ctx, Result{Response: AlreadyDone})
	}

	w, why, err := a.prepare(ctx)
	if why != "" {
		return a.skip(ctx, why)
	}
	var result Result
	if err == nil {
		// From here on the doer knows about the lost attempt. Before, Lost must remain for the next attempt.
		a.run.Lost = time.Time{}
		result, err = a.do(ctx, w)
	}
	switch {
	case err == nil && result.Unfinished:
		return a.goOn(ctx, result)
	case err == nil:
		return a.succeed(ctx, result)
	}
	return a.failed(ctx, result, err)
}

// prepare returns the work of the run, or the reason to skip it.
func (a *attempt) prepare(ctx context.Context) (w Work, why string, err error) {
	r := a.run
	t, err := a.stored(ctx, r)
	if err != nil {
		return w, "", err
	}

	if why := refusal(t, r.Action); why != "" {
		return w, why, nil
	}
	action, _ := t.Action(r.Action)
	return Work{
		Run: r, Events: a.events, Trigger: t, Action: action, Attempt: r.Tries, State: r.Progress, Slow: a.message.Slow,
	}, "", nil
}

// do calls the doer. It converts a panic to an error.
func (a *attempt) do(ctx context.Context, w Work) (result Result, err error) {
	doer, ok := a.Doers[w.Action.Type]
	if !ok {
		return result, Permanent(typeUnsupported, "actions of type %s are not supported", w.Action.Type)
	}
	ctx, cancel := context.WithTimeout(ctx, AttemptTime)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	result, err = doer.Do(ctx, w)
	if len(result.State) > MaxState {
		return Result{}, fmt.Errorf("the state of a %s has %d bytes", w.Action.Type, len(result.State))
	}
	return result, err
}

// noteLost logs an attempt whose worker died, once: Lost remains if the next attempt ends before it calls its doer.
func (a *attempt) noteLost() {
	lost := run.Attempt{At: a.run.Lost.UnixMilli(), Error: "lost: the worker died before the attempt ended"}
	if !a.run.Lost.IsZero() && !slices.Contains(a.run.Attempts, lost) {
		a.note(lost)
	}
}

// note adds an attempt to the log, and drops the oldest beyond run.MaxAttempts.
func (a *attempt) note(one run.Attempt) {
	all := append(a.run.Attempts, one)
	a.run.Attempts = all[max(0, len(all)-run.MaxAttempts):]
}

func (a *attempt) noteResult(result Result, failure string) {
	a.note(run.Attempt{
		At: a.at.UnixMilli(), DurationMS: a.Clock.Now().Sub(a.at).Milliseconds(), StatusCode: result.StatusCode,
		Error: clip.Bytes(failure, maxError), Response: clip.Bytes(result.Response, run.MaxResponse),
	})
	a.keep(result)
}

func (a *attempt) keep(result Result) {
	if result.State != nil {
		a.run.Progress = result.State
	}
}

// maxError is the largest size of an error in the log, in bytes.
const maxError = 1 << 10

func (a *attempt) succeed(ctx context.Context, result Result) error {
	a.noteResult(result, "")
	a.run.HasDone = true
	return a.end(ctx, run.Succeeded, nil)
}

// skip ends a run without executing it.
func (a *attempt) skip(ctx context.Context, why string) error {
	return a.end(ctx, run.Skipped, &run.Error{Type: run.SkippedDisabled, Message: why})
}

func (a *attempt) fail(ctx context.Context, f *Failure) error {
	return a.end(ctx, run.Failed, &run.Error{Type: f.Type, Message: clip.Bytes(f.Message, maxError)})
}

func (a *attempt) end(ctx context.Context, status run.Status, why *run.Error) error {
	a.run.Status, a.run.Error = status, why
	a.run.FinishedAt = a.Clock.Now().Truncate(time.Millisecond)
	if err := a.Runs.End(ctx, a.run, a.owner); err != nil {
		return leaseOver("end", a.run, err)
	}
	a.log().InfoContext(ctx, "action", "miniapp", a.run.Scope.App, "env", a.run.Scope.Env, "trigger", a.run.Trigger,
		"run", a.run.ID, "type", a.run.ActionType, "status", status, "attempts", a.run.Tries)
	return a.leave(ctx, a.run)
}

// goOn schedules the next part of an unfinished run. It does not count as an attempt.
func (a *attempt) goOn(ctx context.Context, result Result) error {
	// What waits, for a rate or a row, has got no further, unless its state says so.
	progressed := result.After == 0 && !result.Contended ||
		result.State != nil && !bytes.Equal(result.State, a.run.Progress)
	a.keep(result)
	a.run.Tries--
	if result.Contended {
		key := actionKey{a.message.Scope, a.run.Trigger, a.run.Action}
		a.contended.Put(key, a.Clock.Now().Add(contendedFor))
	}
	return a.wait(ctx, min(max(result.After, 0), MaxAfter), result.Slow, progressed)
}

// failed ends a run for good or retries it.
func (a *attempt) failed(ctx context.Context, result Result, err error) error {
	f := a.failureOf(ctx, err)
	a.noteResult(result, f.Error())

	if f.Disable {
		// Disable before the end: if the worker dies in between, the redelivered message disables the action again.
		if err := a.stop(ctx, a.run.Scope, a.run.Trigger, a.run.Action, f.Message); err != nil {
			return fmt.Errorf("disable action %d: %w", a.run.Action, err)
		}
		a.log().WarnContext(ctx, "action disabled", "trigger", a.run.Trigger, "action", a.run.Action, "why", f.Message)
	}
	if f.Permanent || a.run.Tries >= MaxTries(a.run.ActionType) {
		return a.fail(ctx, f)
	}
	// The number of attempts is bounded by itself, so each is progress.
	return a.wait(ctx, delayAfter(a.run.ActionType, a.run.Tries, f.After), result.Slow, true)
}

// wait postpones the run, then sends its message. If the worker dies between the two, its own message is delivered
// again, finds that the run is not due, and sends the new one.
func (a *attempt) wait(ctx context.Context, d time.Duration, slow, progressed bool) error {
	a.run.Status = run.WaitingRetry
	if d > 0 {
		d += time.Millisecond - 1 // round up, so that the message never comes early
	}
	// An immediate retry has no delay at all: a queue would round it up to a whole second.
	a.run.NextAttempt = a.Clock.Now().Add(d).Truncate(time.Millisecond)
	if err := a.Runs.Wait(ctx, a.run, a.owner); err != nil {
		return leaseOver("put off", a.run, err)
	}
	if progressed { // only now: nothing is stored of an attempt whose lease is over
		chain.Progressed(ctx)
	}
	m := a.message
	m.Slow = slow
	return a.Waker.Wake(ctx, m, a.run.NextAttempt)
}

// permanent reports per kind of errs whether it is permanent. A missing kind is a failure of the platform.
var permanent = map[errs.Kind]bool{
	errs.KindInvalid:         true,
	errs.KindUnauthenticated: true,
	errs.KindForbidden:       true,
	errs.KindNotFound:        true,
	errs.KindDuplicate:       true,
	errs.KindTooLarge:        true,
	errs.KindConflict:        false,
	errs.KindTooMany:         false,
	errs.KindUnavailable:     false,
	errs.KindTimeout:         false,
}

// failureOf returns the Failure of an error.
func (a *attempt) failureOf(ctx context.Context, err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	stays, known := permanent[errs.KindOf(err)]
	a.log().Log(ctx, levelOf(stays, known), "an attempt failed", "run", a.run.ID, "type", a.run.ActionType,
		"error", err.Error())
	if errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Type: typeTimeout, Message: fmt.Sprintf("it took longer than %v", AttemptTime)}
	}
	if !known {
		return &Failure{Type: typeInternal, Message: "the platform failed"}
	}

	f := &Failure{Type: string(errs.KindOf(err)), Message: errs.Message(err), Permanent: stays}
	if said, ok := errors.AsType[*errs.Error](err); ok {
		f.After = time.Duration(said.RetryAfter) * time.Second
	}
	return f
}

// levelOf returns the log level of a failure. Only failures of the platform are errors, because alarms depend on that
// level. Permanent failures are info, since the owner corrects them, and temporary ones are warnings.
func levelOf(stays, known bool) slog.Level {
	switch {
	case !known:
		return slog.LevelError
	case stays:
		return slog.LevelInfo
	}
	return slog.LevelWarn
}
