// Package rundb stores the runs of actions in DynamoDB, with their leases, flow controls, wake-ups and rates, and the
// evaluations of triggers.
package rundb

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// Runs implements run.Store, run.Log, run.Leases, run.Wakes, run.Evaluations and webhook.Rates:
//
//	pk = <scope>#run#<trigger>    sk = <time>#<run>       a run; the time is its event's, Unix milliseconds. The index
//	                                                      by_trace finds it: traces.go
//	                              sk = last#<action>      time and event of a limited action's last run
//	pk = <scope>#event            sk = <run>#<n>          parts of an event that is too large for its run
//	pk = <scope>#seen#<trigger>   sk = <time>#<event>     evaluations of some events, keyed by the first of them
//	pk = wake                     sk = <time>#<scope>#<trigger>#<time>#<run>   when to enqueue a run: wakes.go
//
// leases.go has the operations of workers.
type Runs struct {
	Client *dynamo.Client
	Table  string

	shards dynamo.Shards
}

const (
	inlineEvent = 4 << 10 // maximum stored bytes of an event in its run's item: every update of the item pays for them
	keepSeen    = 7 * 24 * time.Hour
)

// runItem is the stored form of a run.
type runItem struct {
	Name       string        `dynamodbav:"name"`
	Action     int64         `dynamodbav:"action"`
	Type       string        `dynamodbav:"type"`
	Status     string        `dynamodbav:"status"`
	Kind       string        `dynamodbav:"kind"`
	EventID    string        `dynamodbav:"event_id"`
	Subject    string        `dynamodbav:"subject"`
	Trace      string        `dynamodbav:"trace,omitempty"` // traceKey
	Cause      string        `dynamodbav:"cause,omitempty"` // trace.Link.Cause
	Event      []byte        `dynamodbav:"event,omitempty"`
	Parts      int           `dynamodbav:"parts,omitempty"`
	Error      *run.Error    `dynamodbav:"error,omitempty"`
	Attempts   []run.Attempt `dynamodbav:"attempts,omitempty"`
	Next       int64         `dynamodbav:"next,omitempty"`     // Unix milliseconds
	FinishedAt int64         `dynamodbav:"finished,omitempty"` // Unix milliseconds
	Tries      int           `dynamodbav:"tries,omitempty"`
	Lost       int64         `dynamodbav:"lost,omitempty"`  // Unix milliseconds
	Lease      int64         `dynamodbav:"lease,omitempty"` // Unix milliseconds, while running
	Owner      string        `dynamodbav:"owner,omitempty"` // owner of the last lease
	HasDone    bool          `dynamodbav:"has_done,omitempty"`
	Progress   []byte        `dynamodbav:"progress,omitempty"`
	Expires    int64         `dynamodbav:"expires_at"` // Unix seconds

	// Only for actions with flow controls: flow.go.
	Flow  []byte `dynamodbav:"flow,omitempty"` // JSON of flowSettings
	Gate  string `dynamodbav:"gate,omitempty"`
	Until int64  `dynamodbav:"until,omitempty"` // Unix milliseconds
	Place int64  `dynamodbav:"place,omitempty"`
	Batch string `dynamodbav:"joined,omitempty"` // LogID of its batch's run
}

func runsKey(scope tenant.Scope, t trigger.ID) string { return fmt.Sprintf("%s#run#%d", scope, t) }
func eventKey(scope tenant.Scope) string              { return scope.String() + "#event" }
func seenKey(scope tenant.Scope, t trigger.ID) string { return fmt.Sprintf("%s#seen#%d", scope, t) }

// Start makes one PutItem, or one transaction for a limited action; flow controls need one more read. A large event is
// written before its run.
func (s *Runs) Start(
	ctx context.Context, r run.Run, limit trigger.Frequency, now time.Time,
) (started run.Started, err error) {
	pending := r.Status == run.Pending
	if pending && r.Flow != nil {
		return s.startFlow(ctx, r, limit, now)
	}

	it, err := s.encode(ctx, r)
	if err != nil {
		return started, err
	}
	if pending && limited(limit) {
		started.Run, err = s.startLimited(ctx, r, it, limit)
	} else {
		started.Run, err = s.put(ctx, r, it)
	}
	if started.Run.Status == run.Pending {
		started.Enqueue = []run.Run{started.Run}
	}
	return started, err
}

func limited(f trigger.Frequency) bool { return f.Mode != trigger.Repeatable && f.Mode != "" }

// put stores a run on the condition that it does not exist, and returns the stored run.
func (s *Runs) put(ctx context.Context, r run.Run, it dynamo.Item) (run.Run, error) {
	err := dynamo.Write(ctx, s.Client, dynamo.Put(s.Table, it, dynamo.NotExists, nil))
	if dynamo.ConditionFailed(err) {
		return decodeRun(r, dynamo.ItemAt(err, 0))
	}
	return r, dynamo.Wrap("start run", err)
}

// startLimited stores a run together with its turn. The turn stores the event's id, so that a redelivery of the event
// gets the turn again.
func (s *Runs) startLimited(ctx context.Context, r run.Run, it dynamo.Item, limit trigger.Frequency) (run.Run, error) {
	err := dynamo.Transact(ctx, s.Client, dynamo.Put(s.Table, it, dynamo.NotExists, nil), s.turn(r, limit))
	switch {
	case dynamo.ConditionFailedAt(err, 0):
		return decodeRun(r, dynamo.ItemAt(err, 0))
	case dynamo.ConditionFailedAt(err, 1):
		return s.missTurn(ctx, r)
	}
	return r, dynamo.Wrap("start run", err)
}

// turn returns the update that takes the turn of a limited action for a run's event.
func (s *Runs) turn(r run.Run, limit trigger.Frequency) dynamo.Part {
	turn := "attribute_not_exists(pk) OR event_id = :event"
	values := dynamo.Item{
		":event": dynamo.Text(r.Event.ID), ":at": dynamo.Number(r.CreatedAt.UnixMilli()),
	}
	if limit.Mode == trigger.Intermittent {
		turn += " OR ran_at <= :before"
		interval := time.Duration(limit.IntervalSeconds) * time.Second
		values[":before"] = dynamo.Number(r.CreatedAt.Add(-interval).UnixMilli())
	}
	return dynamo.Update(
		s.Table, runsKey(r.Scope, r.Trigger), fmt.Sprintf("last#%d", r.Action),
		"SET ran_at = :at, event_id = :event", turn, values,
	)
}

// missTurn stores a run as skipped because another event had the turn.
func (s *Runs) missTurn(ctx context.Context, r run.Run) (run.Run, error) {
	r.Status, r.FinishedAt, r.Flow = run.Skipped, r.CreatedAt, nil
	r.Error = &run.Error{Type: run.SkippedFrequency, Message: "another event had the turn of this action"}
	it, err := s.encode(ctx, r)
	if err != nil {
		return r, err
	}
	return s.put(ctx, r, it)
}

// encode returns the item of a run, and stores a large event beside it.
func (s *Runs) encode(ctx context.Context, r run.Run) (dynamo.Item, error) {
	plain, err := json.Marshal(r.Event)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", r.Event.ID, err)
	}

	it := runItem{
		Name: r.TriggerName, Action: int64(r.Action), Type: string(r.ActionType), Status: string(r.Status),
		Kind: string(r.Event.Kind), EventID: r.Event.ID, Subject: r.Event.Subject, Error: r.Error,
		Trace: traceKey(r.Scope, r.Event.Trace), Cause: r.Event.Cause,
		Attempts: r.Attempts,
		Next:     dynamo.Millis(r.NextAttempt), FinishedAt: dynamo.Millis(r.FinishedAt),
		Expires: r.CreatedAt.Add(run.Keep).Unix(),
	}
	encodeFlow(&it, r.Flow)
	packed := compress.Gzip(plain)
	// DynamoDB charges an update by the size of the whole item, so a large event is stored separately.
	if len(packed) <= inlineEvent {
		it.Event = packed
	} else if it.Parts, err = s.putEvent(ctx, r, packed); err != nil {
		return nil, err
	}
	return dynamo.Encode(runsKey(r.Scope, r.Trigger), dynamo.TimeKey(r.CreatedAt, r.ID), it), nil
}

func (s *Runs) putEvent(ctx context.Context, r run.Run, packed []byte) (parts int, err error) {
	puts := dynamo.Chunks(s.Table, eventKey(r.Scope), eventSK(r), packed, r.CreatedAt.Add(run.Keep))
	for _, put := range puts {
		if err := dynamo.Do(ctx, s.Client, "keep event", nil, put); err != nil {
			return 0, err
		}
	}
	return len(puts), nil
}

func eventSK(r run.Run) func(n int) string {
	return func(n int) string { return fmt.Sprintf("%s#%02d", r.ID, n) }
}

// Run makes one GetItem, and one per part of a large event.
func (s *Runs) Run(ctx context.Context, scope tenant.Scope, ref run.Ref) (run.Run, error) {
	it, err := dynamo.Find(ctx, s.Client, s.Table, runsKey(scope, ref.Trigger), dynamo.TimeKey(ref.At, ref.ID),
		errs.NotFound("there is no log entry %q", ref.ID))
	if err != nil {
		return runAt(scope, ref), err
	}
	return s.whole(ctx, runAt(scope, ref), it)
}

// whole is decodeRun with the complete event.
func (s *Runs) whole(ctx context.Context, r run.Run, it dynamo.Item) (run.Run, error) {
	stored, err := dynamo.Decode[runItem](it)
	if err != nil {
		return r, err
	}
	packed := stored.Event
	if stored.Parts > 0 {
		packed, err = dynamo.ReadChunks(ctx, s.Client, s.Table, eventKey(r.Scope), eventSK(r), stored.Parts)
		if err != nil {
			return r, err
		}
	}

	if r, err = decodeRun(r, it); err != nil {
		return r, err
	}
	if err := compress.ReadJSON(packed, &r.Event); err != nil {
		return r, fmt.Errorf("event of run %s: %w", r.ID, err)
	}
	return r, nil
}

// decodeRun sets the stored fields of r, which has its key already. Of the event it sets only the fields that lists
// show.
func decodeRun(r run.Run, it dynamo.Item) (run.Run, error) {
	stored, err := dynamo.Decode[runItem](it)
	if err != nil {
		return r, err
	}
	r.TriggerName, r.Action, r.ActionType = stored.Name, trigger.ActionID(stored.Action), trigger.ActionType(stored.Type)
	r.Status, r.Error, r.Attempts = run.Status(stored.Status), stored.Error, stored.Attempts
	r.NextAttempt, r.FinishedAt = dynamo.FromMillis(stored.Next), dynamo.FromMillis(stored.FinishedAt)
	r.Tries, r.Lost = stored.Tries, dynamo.FromMillis(stored.Lost)
	r.HasDone, r.Progress = stored.HasDone, stored.Progress
	r.Event.ID, r.Event.Kind, r.Event.Subject = stored.EventID, trigger.Kind(stored.Kind), stored.Subject
	r.Event.At, r.Event.Cause = r.CreatedAt, stored.Cause
	r.Event.Trace = strings.TrimPrefix(stored.Trace, r.Scope.String()+"#")
	r.Flow, err = decodeFlow(stored)
	return r, err
}

// Note makes one BatchWriteItem per 25 triggers.
func (s *Runs) Note(ctx context.Context, all []run.Notes) error {
	requests := make([]types.WriteRequest, len(all))
	for i, notes := range all {
		plain, err := json.Marshal(notes.List)
		if err != nil {
			return fmt.Errorf("encode evaluations: %w", err)
		}

		it := dynamo.Key(seenKey(notes.Scope, notes.Trigger), dynamo.TimeKey(notes.First.At, notes.First.ID))
		it["list"], it["n"] = dynamo.Binary(compress.Gzip(plain)), dynamo.Number(int64(notes.Seen))
		it["held"] = dynamo.Number(int64(notes.Held))
		it["expires_at"] = dynamo.Instant(notes.First.At.Add(keepSeen))
		requests[i] = types.WriteRequest{PutRequest: &types.PutRequest{Item: it}}
	}

	return dynamo.Wrap("keep evaluations", dynamo.BatchWrite(ctx, s.Client, s.Table, requests))
}

// Evaluations makes one Query of at most MaxEvaluations items.
func (s *Runs) Evaluations(
	ctx context.Context, scope tenant.Scope, t trigger.ID, held *bool,
) ([]run.Evaluated, error) {
	query := dynamo.Query(s.Table, seenKey(scope, t), "", "", true, run.MaxEvaluations)
	out, err := s.Client.Query(ctx, query)
	if err != nil {
		return nil, dynamo.Wrap("read evaluations", err)
	}

	all := []run.Evaluated{}
	for _, it := range out.Items {
		var list []run.Evaluated
		if err := compress.ReadJSON(dynamo.BytesOf(it["list"]), &list); err != nil {
			return nil, fmt.Errorf("evaluations of trigger %d: %w", t, err)
		}
		list = slices.DeleteFunc(list, func(e run.Evaluated) bool { return held != nil && e.Held != *held })
		if all = append(all, list...); len(all) >= run.MaxEvaluations {
			return all[:run.MaxEvaluations], nil
		}
	}
	return all, nil
}

// Seen makes one Query. It is eventually consistent, which costs half.
func (s *Runs) Seen(
	ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time, limit int,
) ([]run.Seen, error) {
	query := dynamo.Query(s.Table, seenKey(scope, t), dynamo.TimeKey(since, ""), "9", true, limit)
	query.ConsistentRead = new(false)
	dynamo.Project(query, "sk", "n", "held")

	var all []run.Seen
	for it, err := range dynamo.Items(ctx, s.Client, query) {
		if err != nil {
			return nil, err
		}
		at, _, err := dynamo.ParseTimeKey(dynamo.TextOf(it["sk"]))
		if err != nil {
			return nil, fmt.Errorf("evaluations of trigger %d: %w", t, err)
		}
		all = append(all, run.Seen{
			At: at, Seen: int(dynamo.IntegerOf(it["n"])), Held: int(dynamo.IntegerOf(it["held"])),
		})
		if len(all) == limit {
			break
		}
	}
	return all, nil
}
