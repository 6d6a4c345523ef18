package triggerdb

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/clip"
	"minicloud/shared/compress"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/hook"
)

// Hooks and their calls are stored in the table of triggers, whose stream fires the calls:
//
//	pk = hook#<id>               sk = hook          the trigger of the hook
//	pk = <scope>#hook#<trigger>  sk = <time>#<id>   a call; the stream fires a call with "fires"
//	pk = <scope>#hooks           sk = <second>      number of calls in a second

const (
	hookSK    = "hook"
	keepCalls = 7 * 24 * time.Hour
)

type hookItem struct {
	Scope   string `dynamodbav:"scope"`
	Trigger int64  `dynamodbav:"trigger"`
	Enabled bool   `dynamodbav:"enabled"`
}

func hookPK(id string) string { return "hook#" + id }

func callsKey(scope tenant.Scope, t trigger.ID) string { return fmt.Sprintf("%s#hook#%d", scope, t) }

// hookParts returns the parts of a transaction that replace a trigger's hook.
func (s *Triggers) hookParts(scope tenant.Scope, old, next *trigger.Trigger) (parts []dynamo.Part) {
	if old != nil && old.HookID != "" && (next == nil || next.HookID != old.HookID) {
		parts = append(parts, dynamo.Delete(s.Table, hookPK(old.HookID), hookSK, "", nil))
	}
	if next != nil && next.HookID != "" {
		it := dynamo.Encode(hookPK(next.HookID), hookSK, hookItem{scope.String(), int64(next.ID), next.Enabled})
		parts = append(parts, dynamo.Put(s.Table, it, "", nil))
	}
	return parts
}

// Hook makes one GetItem.
func (s *Triggers) Hook(ctx context.Context, id string) (hook.Hook, error) {
	stored, err := dynamo.Get[hookItem](ctx, s.Client, s.Table, hookPK(id), hookSK,
		errs.NotFound("there is no incoming webhook %q", clip.Text(id, clip.Name)))
	if err != nil {
		return hook.Hook{}, err
	}
	scope, err := tenant.Parse(stored.Scope)
	return hook.Hook{ID: id, Scope: scope, Trigger: trigger.ID(stored.Trigger), Enabled: stored.Enabled}, err
}

// Admit makes one conditional UpdateItem of a small item.
func (s *Triggers) Admit(ctx context.Context, scope tenant.Scope, at time.Time) error {
	second := at.Truncate(time.Second)
	refused := errs.TooMany(1, "incoming webhooks of an application take at most %d calls a second", hook.PerSecond)
	part := dynamo.Increment(
		s.Table, scope.String()+"#hooks", fmt.Sprint(second.Unix()), "n", hook.PerSecond, second.Add(time.Hour),
	)
	return dynamo.Do(ctx, s.Client, "count a hook call", refused, part)
}

// callItem is the stored form of a call.
type callItem struct {
	Call    []byte `dynamodbav:"call"`           // compressed JSON of a ReceivedCall
	Payload []byte `dynamodbav:"body,omitempty"` // compressed JSON
	Depth   int    `dynamodbav:"depth,omitempty"`
	Trace   string `dynamodbav:"trace,omitempty"` // trace.Link as text
	Hook    string `dynamodbav:"hook,omitempty"`
	Fires   string `dynamodbav:"fires,omitempty"` // set in calls that fire: the stream's filter selects by it
	Write   string `dynamodbav:"kept_by,omitempty"`
	Expires int64  `dynamodbav:"expires_at"`
}

// Keep makes one conditional PutItem.
func (s *Triggers) Keep(ctx context.Context, h hook.Hook, call trigger.HookCall, size int) error {
	payload, err := json.Marshal(call.Payload)
	if err != nil {
		return fmt.Errorf("encode hook call: %w", err)
	}
	received := hook.ReceivedCall{
		ID: call.ID, At: call.At.UnixMilli(), Method: call.Method, RemoteAddress: call.RemoteAddress,
		Headers: call.Headers, Size: size, Fired: true,
	}
	return s.putCall(ctx, h, received, callItem{
		Payload: compress.Gzip(payload), Depth: call.Depth, Trace: call.Trace.String(), Hook: call.Hook,
		Fires: fmt.Sprint(call.Depth), Write: id.Hex(8),
	})
}

// Refuse makes one PutItem. Refused calls of the same second replace each other: the log shows that there are too many,
// at little cost.
func (s *Triggers) Refuse(ctx context.Context, h hook.Hook, call hook.ReceivedCall) error {
	return s.putCall(ctx, h, call, callItem{})
}

func (s *Triggers) putCall(ctx context.Context, h hook.Hook, call hook.ReceivedCall, it callItem) error {
	at := time.UnixMilli(call.At)
	sk := dynamo.TimeKey(at, call.ID)
	if !call.Fired {
		sk = dynamo.TimeKey(at.Truncate(time.Second), "refused")
	}
	it.Call, it.Expires = compress.Gzip(dynamo.JSON(call)), at.Add(keepCalls).Unix()
	put, condition, own := dynamo.Encode(callsKey(h.Scope, h.Trigger), sk, it), "", dynamo.Item(nil)
	// A repeated attempt after a lost answer finds its own call.
	if call.Fired {
		condition, own = dynamo.NotExists+" OR kept_by = :own", dynamo.Item{":own": dynamo.Text(it.Write)}
	}
	return dynamo.Do(ctx, s.Client, "keep a hook call", errs.Conflict("another call has the id %s", call.ID),
		dynamo.Put(s.Table, put, condition, own))
}

// Calls makes one Query.
func (s *Triggers) Calls(ctx context.Context, scope tenant.Scope, t trigger.ID) ([]hook.ReceivedCall, error) {
	out, err := s.Client.Query(ctx, dynamo.Query(s.Table, callsKey(scope, t), "", "", true, hook.KeptCalls))
	if err != nil {
		return nil, dynamo.Wrap("read hook calls", err)
	}

	calls := make([]hook.ReceivedCall, 0, len(out.Items))
	for _, it := range out.Items {
		var call hook.ReceivedCall
		if err := compress.ReadJSON(dynamo.BytesOf(it["call"]), &call); err != nil {
			return nil, fmt.Errorf("call of a hook of trigger %d: %w", t, err)
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// CallEvents makes one Query per MB.
func (s *Triggers) CallEvents(
	ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time,
) iter.Seq2[trigger.Event, error] {
	return func(yield func(trigger.Event, error) bool) {
		query := dynamo.Query(s.Table, callsKey(scope, t), dynamo.TimeKey(since, ""), "9", true, 0)
		for it, err := range dynamo.Items(ctx, s.Client, query) {
			if err != nil {
				yield(trigger.Event{}, err)
				return
			}
			e, ok, err := callEvent(scope, it)
			if err != nil {
				err = fmt.Errorf("call of a hook of trigger %d: %w", t, err)
			}
			if (ok || err != nil) && (!yield(e, err) || err != nil) {
				return
			}
		}
	}
}

// CallEvent converts a record of the triggers' stream into an event; ok is false if the record is not a new call that
// fires. It returns errs.Invalid for an unreadable record.
func CallEvent(_ context.Context, record events.DynamoDBEventRecord) (e trigger.Event, ok bool, err error) {
	if record.EventName != string(events.DynamoDBOperationTypeInsert) {
		return e, false, nil
	}
	image := dynamo.Image(record.Change.NewImage)
	if dynamo.TextOf(image["fires"]) == "" {
		return e, false, nil
	}
	scope, err := dynamo.ScopeOf(dynamo.TextOf(dynamo.Image(record.Change.Keys)["pk"]))
	if err == nil {
		e, ok, err = callEvent(scope, image)
	}
	if err != nil {
		return e, false, errs.Invalid("record %s: %v", record.EventID, err)
	}
	return e, ok, nil
}

// callEvent converts a stored call into an event; ok is false if the call did not fire.
func callEvent(scope tenant.Scope, it dynamo.Item) (e trigger.Event, ok bool, err error) {
	stored, err := dynamo.Decode[callItem](it)
	if err != nil || stored.Fires == "" {
		return e, false, err
	}

	var received hook.ReceivedCall
	if err := compress.ReadJSON(stored.Call, &received); err != nil {
		return e, false, err
	}
	call := trigger.HookCall{
		ID: received.ID, Hook: stored.Hook, Method: received.Method, RemoteAddress: received.RemoteAddress,
		Headers: received.Headers, Depth: stored.Depth, Trace: trace.Parse(stored.Trace),
		At: time.UnixMilli(received.At).UTC(),
	}
	if err := compress.ReadJSON(stored.Payload, &call.Payload); err != nil {
		return e, false, err
	}
	return trigger.HookEvent(scope, call), true, nil
}
