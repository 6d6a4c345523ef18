package rundb

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/run"
)

var _ run.Leases = (*Runs)(nil)

// mayBegin is the condition that a run waits and its time has come, or that its worker has died. One that a flow
// control holds back has to pass it first, but for a window that has begun.
const mayBegin = "(#status IN (:pending, :waiting) AND (attribute_not_exists(#next) OR #next <= :now)" +
	" AND (attribute_not_exists(gate) OR gate = :passed OR gate = :throttle AND #until > :now)" +
	" OR #status = :running AND #lease <= :now)"

// Begin is one UpdateItem, and one GetItem for each part of a large event. Of a run that flow controls hold back it is
// up to four calls more for each of them; of a batch a Query, and a BatchGetItem for each 100 of its events.
//
// Only Begin makes a run running: whatever else must hold for that, or must happen with it, is another condition or
// part here.
func (s *Runs) Begin(
	ctx context.Context, scope tenant.Scope, ref run.Ref, l run.Lease, now time.Time,
) (run.Beginning, error) {
	var ask []run.Run
	passed := run.Gate("")
	// A run may have several gates before it; each pass takes it through one.
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

// maxPasses is how many tries a run gets to pass all its gates: each of the four takes one, when nobody interferes.
const maxPasses = 20

// begin is the update that makes a run running. The attempt before has begun and not ended when its worker died: then
// the time it began at is still there.
func (s *Runs) begin(
	scope tenant.Scope, ref run.Ref, l run.Lease, passed run.Gate, now time.Time,
) types.TransactWriteItem {
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

func (s *Runs) begun(
	ctx context.Context, scope tenant.Scope, ref run.Ref, it dynamo.Item,
) (run.Beginning, error) {
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
	case running && dynamo.TextOf(it["owner"]) == l.Owner: // the answer was lost, and the client asked again
		return s.begun(ctx, scope, ref, it)
	case running:
		b.Standing, b.Until = run.UnderWay, dynamo.FromMillis(dynamo.IntegerOf(it["lease"]))
	case b.Run.Status.Ended():
		b.Standing = run.Over
		if f := b.Run.Flow; f != nil && f.Batch != nil { // it may have filled the batch, and its worker died
			b.Enqueue = []run.Run{runAt(scope, *f.Batch)}
		}
	default:
		b.Standing, b.Until = run.Early, b.Run.NextAttempt
	}
	return b, nil
}

// Wait is one UpdateItem.
func (s *Runs) Wait(ctx context.Context, r run.Run, owner string) error {
	sets := dynamo.Item{
		"next": dynamo.Number(r.NextAttempt.UnixMilli()), "tries": dynamo.Number(int64(r.Tries)),
	}
	if !r.Lost.IsZero() { // whoever begins next is told of it, too
		sets["began"] = dynamo.Number(r.Lost.UnixMilli())
	}
	return s.leave(ctx, r, owner, sets)
}

// End is one UpdateItem.
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

// leave takes a run from its worker, who must still have it, with some more attributes.
func (s *Runs) leave(ctx context.Context, r run.Run, owner string, sets dynamo.Item) error {
	attempts, err := attributevalue.Marshal(r.Attempts)
	if err != nil {
		return fmt.Errorf("encode attempts of run %s: %w", r.ID, err)
	}
	sets["attempts"], sets["status"] = attempts, dynamo.Text(string(r.Status))
	if len(r.Progress) > 0 {
		sets["progress"] = dynamo.Binary(r.Progress)
	}

	values := dynamo.Item{":owner": dynamo.Text(owner), ":running": dynamo.Text(string(run.Running))}
	assignments := make([]string, 0, len(sets))
	for _, name := range slices.Sorted(maps.Keys(sets)) { // the same text every time: simulations compare it
		values[":"+name] = sets[name]
		assignments = append(assignments, "#"+name+" = :"+name)
	}
	removed := " REMOVE #lease, lost"
	if sets["began"] == nil {
		removed += ", began"
	}
	err = dynamo.Write(ctx, s.Client, dynamo.Update(
		s.Table, runsKey(r.Scope, r.Trigger), dynamo.TimeKey(r.CreatedAt, r.ID),
		"SET "+strings.Join(assignments, ", ")+removed,
		"#owner = :owner AND #status = :running", values,
	))
	// A lost answer made the client ask again: the owner stays with what it has left.
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
