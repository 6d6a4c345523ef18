package rundb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// The flow-control state of each fairness key:
//
//	pk = <scope>#flow#<trigger>#<action>#<key>    sk = state         run.FlowState, with a revision
//	                                              sk = place#<n>     an ordered run that has not ended
//	pk = <scope>#batch#<run>                      sk = <n>           an event of that run's batch: its own run
//
// One transaction changes a state together with the runs it concerns, on the condition that the state has not changed
// since it was read. A run at a gate has the attribute "gate", which keeps workers from beginning it.
const (
	stateSK = "state"
	placeSK = "place#"
	// keepState is how long a state is kept after it was last needed. A missing state is the zero state; its only
	// effect is that an event arriving even later is not recognized as old.
	keepState = 30 * 24 * time.Hour
)

func flowPK(scope tenant.Scope, t trigger.ID, a trigger.ActionID, key string) string {
	return fmt.Sprintf("%s#flow#%d#%d#%s", scope, t, a, key)
}

func batchPK(scope tenant.Scope, run string) string { return fmt.Sprintf("%s#batch#%s", scope, run) }

// stateItem is the stored form of a run.FlowState.
type stateItem struct {
	State    []byte `dynamodbav:"state"` // JSON
	Revision int64  `dynamodbav:"revision"`
	Expires  int64  `dynamodbav:"expires_at"`
}

// placeItem refers to an ordered run, or to an event of a batch.
type placeItem struct {
	Run     string `dynamodbav:"run"` // LogID of the run
	Expires int64  `dynamodbav:"expires_at"`
}

// flowSettings is a run's copy of its action's flow controls, and its key.
type flowSettings struct {
	Flow trigger.Flow `json:"flow"`
	Key  string       `json:"key,omitempty"`
}

// readState decodes the stored state of a key; a missing item is the zero state.
func readState(it dynamo.Item) (state run.FlowState, revision int64, err error) {
	if len(it) == 0 {
		return state, 0, nil
	}
	stored, err := dynamo.Decode[stateItem](it)
	if err != nil {
		return state, 0, err
	}
	if err := json.Unmarshal(stored.State, &state); err != nil {
		return state, 0, fmt.Errorf("stored flow state: %w", err)
	}
	return state, stored.Revision, nil
}

// State makes one GetItem for the state of a run's key.
func (s *Runs) State(ctx context.Context, r run.Run) (run.FlowState, error) {
	state, _, err := s.state(ctx, r)
	return state, err
}

func (s *Runs) state(ctx context.Context, r run.Run) (state run.FlowState, revision int64, err error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, flowPK(r.Scope, r.Trigger, r.Action, r.Flow.Key), stateSK)
	if err != nil {
		return state, 0, err
	}
	return readState(it)
}

// stepPart is a part of the transaction of a step. lost tells what it means if its condition fails.
type stepPart struct {
	write dynamo.Part
	lost  lost
}

// lost is the concurrent change that made a condition fail.
type lost int

const (
	lostState  lost = iota // another event changed the state
	lostRun                // the run itself was stored or moved already
	lostOther              // a run that the state lists as waiting was moved
	lostTurn               // another event had the turn of a limited action
	lostNobody             // the part has no condition
)

// stepParts returns the writes of a step, without the write of the step's own run.
func (s *Runs) stepParts(step run.FlowStep, before run.FlowState, revision int64, now time.Time) (parts []stepPart) {
	r := step.Run
	pk := flowPK(r.Scope, r.Trigger, r.Action, r.Flow.Key)
	if changed := s.statePart(pk, step.State, before, revision, now); changed != nil {
		parts = append(parts, stepPart{*changed, lostState})
	}

	if step.Debounced != nil {
		parts = append(parts, stepPart{s.debounced(r.Scope, *step.Debounced, now), lostOther})
	}
	if step.Closed != nil {
		parts = append(parts, stepPart{s.moved(*step.Closed, run.GateBatch), lostOther})
	}
	for _, placed := range []*run.Run{&r, step.Closed} {
		if placed == nil || placed.Flow.Gate != run.GateOrdered {
			continue
		}
		it := dynamo.Encode(pk, placeKey(placed.Flow.Place), keptRun(placed.Ref(), now))
		parts = append(parts, stepPart{dynamo.Put(s.Table, it, "", nil), lostNobody})
	}
	if step.Member > 0 {
		it := dynamo.Encode(batchPK(r.Scope, r.Flow.Batch.ID), fmt.Sprintf("%06d", step.Member), keptRun(r.Ref(), now))
		parts = append(parts, stepPart{dynamo.Put(s.Table, it, "", nil), lostNobody})
	}
	return parts
}

func placeKey(n int64) string { return fmt.Sprintf("%s%020d", placeSK, n) }

func keptRun(r run.Ref, now time.Time) placeItem {
	return placeItem{r.LogID(), now.Add(run.Keep).Unix()}
}

// statePart returns the write of a changed state, nil if the state is unchanged.
func (s *Runs) statePart(pk string, after, before run.FlowState, revision int64, now time.Time) *dynamo.Part {
	was, is := dynamo.JSON(before), dynamo.JSON(after)
	// An unchanged state needs no write, which would cost a unit and conflict with other events of the key.
	if slices.Equal(was, is) {
		return nil
	}

	until := now
	if after.Window != nil {
		until = time.UnixMilli(max(after.Window.End, now.UnixMilli()))
	}
	it := stateItem{State: is, Revision: revision + 1, Expires: until.Add(keepState).Unix()}
	part := dynamo.PutRevision(s.Table, dynamo.Encode(pk, stateSK, it), revision)
	return &part
}

// update returns the update of a run that waits at a gate.
func (s *Runs) update(
	scope tenant.Scope, ref run.Ref, gate run.Gate, expression string, values dynamo.Item,
) dynamo.Part {
	values[":pending"], values[":gate"] = dynamo.Text(string(run.Pending)), dynamo.Text(string(gate))
	return dynamo.Update(
		s.Table, runsKey(scope, ref.Trigger), dynamo.TimeKey(ref.At, ref.ID), expression,
		"#status = :pending AND gate = :gate", values,
	)
}

// debounced returns the update that skips a run because a newer event has arrived.
func (s *Runs) debounced(scope tenant.Scope, ref run.Ref, now time.Time) dynamo.Part {
	return s.skipped(scope, ref, run.GateDebounce, run.Error{
		Type: run.SkippedDebounced, Message: "a newer event of its key came before its time",
	}, "", now)
}

// skipped returns the update that ends a run at a gate as skipped.
func (s *Runs) skipped(
	scope tenant.Scope, ref run.Ref, gate run.Gate, why run.Error, batch string, now time.Time,
) dynamo.Part {
	values := dynamo.Item{
		":skipped": dynamo.Text(string(run.Skipped)), ":now": dynamo.Number(now.UnixMilli()),
		":why": &types.AttributeValueMemberM{Value: dynamo.Item{
			"Type": dynamo.Text(why.Type), "Message": dynamo.Text(why.Message),
		}},
	}
	sets := "SET #status = :skipped, #error = :why, finished = :now"
	if batch != "" {
		sets, values[":batch"] = sets+", joined = :batch", dynamo.Text(batch)
	}
	return s.update(scope, ref, gate, sets+" REMOVE gate, #next, #until", values)
}

// moved returns the update that moves a run from a gate to its next gate, or past all gates.
func (s *Runs) moved(r run.Run, from run.Gate) dynamo.Part {
	values := dynamo.Item{
		":next": dynamo.Number(dynamo.Millis(r.NextAttempt)), ":until": dynamo.Number(dynamo.Millis(r.Flow.Until)),
		":place": dynamo.Number(r.Flow.Place),
	}
	expression := "SET #next = :next, #until = :until, place = :place"
	if r.Flow.Gate == "" {
		expression += " REMOVE gate"
	} else {
		expression, values[":to"] = expression+", gate = :to", dynamo.Text(string(r.Flow.Gate))
	}
	return s.update(r.Scope, r.Ref(), from, expression, values)
}

// commit makes the writes of a step. ok is false if a concurrent change made a condition fail: was tells which, and
// found is the stored item.
func (s *Runs) commit(ctx context.Context, parts []stepPart) (was lost, found dynamo.Item, ok bool, err error) {
	writes := make([]dynamo.Part, len(parts))
	for i, part := range parts {
		writes[i] = part.write
	}
	err = dynamo.Transact(ctx, s.Client, writes...)
	if !dynamo.ConditionFailed(err) {
		return 0, nil, err == nil, dynamo.Wrap("flow step", err)
	}

	// Several conditions may have failed: an existing run matters most, then a changed state.
	for _, was := range []lost{lostRun, lostState, lostTurn, lostOther} {
		for i, part := range parts {
			if part.lost == was && dynamo.ConditionFailedAt(err, i) {
				return was, dynamo.ItemAt(err, i), false, nil
			}
		}
	}
	return 0, nil, false, dynamo.Wrap("flow step", err)
}

// startFlow stores a run of an action with flow controls: one BatchGetItem and one transaction, repeated after each
// concurrent change.
func (s *Runs) startFlow(
	ctx context.Context, r run.Run, limit trigger.Frequency, now time.Time,
) (started run.Started, err error) {
	forget := false
	err = retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		started, err = s.tryFlow(ctx, r, limit, now, &forget)
		return err
	})
	return started, err
}

var errConcurrent = errs.Conflict("another event of the same key is being taken in, try again")

func (s *Runs) tryFlow(
	ctx context.Context, r run.Run, limit trigger.Frequency, now time.Time, forget *bool,
) (none run.Started, err error) {
	runSK := dynamo.TimeKey(r.CreatedAt, r.ID)
	items, err := dynamo.BatchGet(
		ctx, s.Client, s.Table, dynamo.Key(runsKey(r.Scope, r.Trigger), runSK),
		dynamo.Key(flowPK(r.Scope, r.Trigger, r.Action, r.Flow.Key), stateSK),
	)
	if err != nil {
		return none, dynamo.Wrap("read flow state", err)
	}
	// A stream may deliver an event twice: the second delivery finds its run.
	if there := items[runSK]; there != nil {
		return s.found(r, there)
	}
	before, revision, err := readState(items[stateSK])
	if err != nil {
		return none, err
	}

	known := before
	if *forget {
		known = before.Forget()
	}
	step := known.Enter(r, now)
	parts, err := s.entryParts(ctx, step, limit, before, revision, now)
	if err != nil {
		return none, err
	}

	switch was, there, ok, err := s.commit(ctx, parts); {
	case err != nil:
		return none, err
	case ok:
		return startedBy(step), nil
	case was == lostRun:
		return s.found(r, there)
	case was == lostTurn:
		stored, err := s.missTurn(ctx, r)
		return run.Started{Run: stored}, err
	case was == lostOther:
		*forget = true
	}
	return none, errConcurrent
}

// entryParts returns all writes of a run that enters the flow controls.
func (s *Runs) entryParts(
	ctx context.Context, step run.FlowStep, limit trigger.Frequency, before run.FlowState, revision int64,
	now time.Time,
) ([]stepPart, error) {
	it, err := s.encode(ctx, step.Run)
	if err != nil {
		return nil, err
	}
	parts := []stepPart{{dynamo.Put(s.Table, it, dynamo.NotExists, nil), lostRun}}
	if limited(limit) {
		parts = append(parts, stepPart{s.turn(step.Run, limit), lostTurn})
	}
	return append(parts, s.stepParts(step, before, revision, now)...), nil
}

// startedBy returns the run of a step, and the runs to enqueue after it.
func startedBy(step run.FlowStep) run.Started {
	started := run.Started{Run: step.Run}
	if step.Run.Status == run.Pending {
		started.Enqueue = append(started.Enqueue, step.Run)
	}
	if step.Closed != nil {
		started.Enqueue = append(started.Enqueue, *step.Closed)
	}
	return started
}

// found returns the run that an earlier delivery of the event has stored. That delivery may have died before it
// enqueued the run: so found enqueues a pending run again, and for an event in a batch the run of the batch.
func (s *Runs) found(r run.Run, it dynamo.Item) (run.Started, error) {
	stored, err := decodeRun(r, it)
	if err != nil {
		return run.Started{}, err
	}
	started := run.Started{Run: stored}
	switch {
	case stored.Status == run.Pending:
		started.Enqueue = []run.Run{stored}
	case stored.Flow != nil && stored.Flow.Batch != nil:
		b := stored.Flow.Batch
		started.Enqueue = []run.Run{{Scope: r.Scope, ID: b.ID, Trigger: b.Trigger, CreatedAt: b.At}}
	}
	return started, nil
}

// encodeFlow adds the flow controls of a run to its item.
func encodeFlow(it *runItem, f *run.Flow) {
	if f == nil {
		return
	}
	it.Flow, it.Gate = dynamo.JSON(flowSettings{f.Flow, f.Key}), string(f.Gate)
	it.Until, it.Place = dynamo.Millis(f.Until), f.Place
	if f.Batch != nil {
		it.Batch = f.Batch.LogID()
	}
}

// decodeFlow returns the flow controls in a run's item, nil if it has none.
func decodeFlow(it runItem) (*run.Flow, error) {
	if len(it.Flow) == 0 {
		return nil, nil
	}
	var settings flowSettings
	if err := json.Unmarshal(it.Flow, &settings); err != nil {
		return nil, fmt.Errorf("flow of a run: %w", err)
	}
	f := &run.Flow{
		Flow: settings.Flow, Key: settings.Key, Gate: run.Gate(it.Gate), Until: dynamo.FromMillis(it.Until),
		Place: it.Place,
	}
	if it.Batch != "" {
		ref, err := run.ParseLogID(it.Batch)
		if err != nil {
			return nil, fmt.Errorf("batch %q of a run: %w", it.Batch, errors.Unwrap(err))
		}
		f.Batch = &ref
	}
	return f, nil
}
