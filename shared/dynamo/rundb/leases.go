package rundb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

// mayBegin is the condition that a run is due, or that the lease of its worker has expired. A run at a gate must first
// pass it; only a throttle window that has begun needs no pass.
const mayBegin = "(#status IN (:pending, :waiting) AND (attribute_not_exists(#next) OR #next <= :now)" +
	" AND (attribute_not_exists(gate) OR gate = :passed OR gate = :throttle AND #until > :now)" +
	" OR #status = :running AND #lease <= :now)"

// Begin makes one UpdateItem, and one GetItem per part of a large event. For a run at a gate it makes up to four more
// calls per gate; for a batch one Query, and one BatchGetItem per 100 of its events.
//
// Only Begin sets the status running: any further precondition or side effect of that belongs in this update.
func (s *Runs) Begin(
	ctx context.Context, scope tenant.Scope, ref run.Ref, l run.Lease, now time.Time,
) (run.Beginning, error) {
	var ask []run.Run
	passed := run.Gate("")
	// A run may have several gates before it; each iteration passes one.
	for range maxPasses {
		it, err := dynamo.UpdateItem(ctx, s.Client, s.begin(scope, ref, l, passed, now))
		refused, stored := dynamo.ConditionFailed(err), dynamo.ItemAt(err, 0)
		switch {
		case refused && heldBack(stored, now):
			p, err := s.pass(ctx, scope, ref, stored, now)
			if err != nil {
				return run.Beginning{}, err
			}
			if ask = append(ask, p.ask...); p.behind {
				return run.Beginning{Standing: run.Behind, Run: p.run, Enqueue: ask}, nil
			}
			passed = p.gate
		case refused:
			b, err := s.notBegun(ctx, scope, ref, l, stored)
			b.Enqueue = append(ask, b.Enqueue...)
			return b, err
		case err != nil:
			return run.Beginning{}, dynamo.Wrap("begin run", err)
		default:
			b, err := s.begun(ctx, scope, ref, it)
			b.Enqueue = ask
			return b, err
		}
	}
	return run.Beginning{}, errs.Conflict("run %s does not get through its flow controls, try again", ref.ID)
}

// maxPasses is the number of attempts of a run to pass all its gates. Each of the four gates takes one attempt if no
// concurrent change interferes.
const maxPasses = 20

// begin returns the update that sets a run to running. If the attribute began is still set, the worker of the previous
// attempt died: the update moves that time to the attribute lost.
func (s *Runs) begin(scope tenant.Scope, ref run.Ref, l run.Lease, passed run.Gate, now time.Time) dynamo.Part {
	return dynamo.Update(
		s.Table, runsKey(scope, ref.Trigger), dynamo.TimeKey(ref.At, ref.ID),
		"SET #status = :running, #owner = :owner, #lease = :until, lost = if_not_exists(began, :zero), began = :now,"+
			" tries = if_not_exists(tries, :zero) + :one REMOVE #next, gate",
		dynamo.Exists+" AND "+mayBegin,
		dynamo.Item{
			":running": dynamo.Text(string(run.Running)), ":pending": dynamo.Text(string(run.Pending)),
			":waiting": dynamo.Text(string(run.WaitingRetry)), ":owner": dynamo.Text(l.Owner),
			":until": dynamo.Number(l.Until.UnixMilli()), ":now": dynamo.Number(now.UnixMilli()),
			":zero": dynamo.Number(0), ":one": dynamo.Number(1),
			":passed": dynamo.Text(string(passed)), ":throttle": dynamo.Text(string(run.GateThrottle)),
		},
	)
}

func (s *Runs) begun(ctx context.Context, scope tenant.Scope, ref run.Ref, it dynamo.Item) (run.Beginning, error) {
	r, err := s.whole(ctx, runAt(scope, ref), it)
	if err != nil {
		return run.Beginning{}, err
	}
	events, err := s.batch(ctx, r)
	return run.Beginning{Standing: run.Begun, Run: r, Events: events}, err
}

func runAt(scope tenant.Scope, ref run.Ref) run.Run {
	return run.Run{ID: ref.ID, Scope: scope, Trigger: ref.Trigger, CreatedAt: ref.At}
}

// notBegun returns the reason why a run may not begin, read from its stored item.
func (s *Runs) notBegun(
	ctx context.Context, scope tenant.Scope, ref run.Ref, l run.Lease, it dynamo.Item,
) (b run.Beginning, err error) {
	if len(it) == 0 {
		return b, errs.NotFound("there is no log entry %q", ref.LogID())
	}
	if b.Run, err = decodeRun(runAt(scope, ref), it); err != nil {
		return b, err
	}

	running := b.Run.Status == run.Running
	switch {
	case running && dynamo.TextOf(it["owner"]) == l.Owner: // the SDK repeated the call after a lost answer
		return s.begun(ctx, scope, ref, it)
	case running:
		b.Standing, b.Until = run.UnderWay, dynamo.FromMillis(dynamo.IntegerOf(it["lease"]))
	case b.Run.Status.Ended():
		b.Standing = run.Over
		if f := b.Run.Flow; f != nil && f.Batch != nil { // it may have filled the batch before its worker died
			b.Enqueue = []run.Run{runAt(scope, *f.Batch)}
		}
	default:
		b.Standing, b.Until = run.Early, b.Run.NextAttempt
	}
	return b, nil
}

// Wait makes one UpdateItem.
func (s *Runs) Wait(ctx context.Context, r run.Run, owner string) error {
	sets := dynamo.Item{
		"next": dynamo.Number(r.NextAttempt.UnixMilli()), "tries": dynamo.Number(int64(r.Tries)),
	}
	if !r.Lost.IsZero() { // the next worker learns of the lost attempt too
		sets["began"] = dynamo.Number(r.Lost.UnixMilli())
	}
	return s.leave(ctx, r, owner, sets)
}

// End makes one UpdateItem.
func (s *Runs) End(ctx context.Context, r run.Run, owner string) error {
	sets := dynamo.Item{"finished": dynamo.Number(dynamo.Millis(r.FinishedAt))}
	if r.HasDone {
		sets["has_done"] = &types.AttributeValueMemberBOOL{Value: true}
	}
	if r.Error != nil {
		why, err := attributevalue.Marshal(r.Error)
		if err != nil {
			return fmt.Errorf("encode error of run %s: %w", r.ID, err)
		}
		sets["error"] = why
	}
	return s.leave(ctx, r, owner, sets)
}

// leave ends the lease of a run, which its worker must still hold, and sets some more attributes.
func (s *Runs) leave(ctx context.Context, r run.Run, owner string, sets dynamo.Item) error {
	attempts, err := attributevalue.Marshal(r.Attempts)
	if err != nil {
		return fmt.Errorf("encode attempts of run %s: %w", r.ID, err)
	}
	sets["attempts"], sets["status"] = attempts, dynamo.Text(string(r.Status))
	if len(r.Progress) > 0 {
		sets["progress"] = dynamo.Binary(r.Progress)
	}

	attributes := slices.Sorted(maps.Keys(sets)) // a deterministic text: simulations compare it
	if sets["began"] == nil {
		attributes = append(attributes, "began")
	}
	overwrite, values := dynamo.Overwrite(sets, append(attributes, "lease", "lost")...)
	values[":owner"], values[":running"] = dynamo.Text(owner), dynamo.Text(string(run.Running))
	err = dynamo.Write(ctx, s.Client, dynamo.Update(
		s.Table, runsKey(r.Scope, r.Trigger), dynamo.TimeKey(r.CreatedAt, r.ID), overwrite,
		"#owner = :owner AND #status = :running", values,
	))
	// After a lost answer the SDK repeats the call: the stored run then has this owner and status.
	stored := dynamo.ItemAt(err, 0)
	status := run.Status(dynamo.TextOf(stored["status"]))
	switch {
	case !dynamo.ConditionFailed(err):
		return dynamo.Wrap("leave run", err)
	case dynamo.TextOf(stored["owner"]) == owner && status == r.Status:
		return nil
	}
	return errs.NotFound("the lease of run %s is over", r.ID)
}
