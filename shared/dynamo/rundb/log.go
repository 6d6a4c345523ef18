package rundb

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// listed names the attributes of a run in lists. The event, which may be large, is not among them.
var listed = []string{
	"sk", "name", "action", "type", "status", "kind", "event_id", "subject", "trace", "cause", "error", "attempts", "next",
	"has_done",
	"finished",
}

// filteredPage is the number of runs that one query of a log with a filter scans.
const filteredPage = 200

// List makes one Query per scanned page.
func (s *Runs) List(ctx context.Context, scope tenant.Scope, t trigger.ID, f run.Filter, limit int) ([]run.Run, error) {
	var runs []run.Run
	for it, err := range dynamo.Items(ctx, s.Client, s.listQuery(scope, t, f, limit)) {
		if err != nil {
			return nil, err
		}

		r, err := listedRun(scope, t, it)
		if err != nil {
			return nil, err
		}
		// The query includes the last run of the previous page.
		if r.Ref().Place() == f.Before {
			continue
		}
		if runs = append(runs, r); len(runs) == limit {
			break
		}
	}

	return runs, nil
}

// Events makes one Query per MB, and a read per part of a large event.
func (s *Runs) Events(
	ctx context.Context, scope tenant.Scope, t trigger.ID, since time.Time,
) iter.Seq2[trigger.Event, error] {
	return func(yield func(trigger.Event, error) bool) {
		query := dynamo.Query(s.Table, runsKey(scope, t), dynamo.TimeKey(since, ""), "9", true, 0)
		for it, err := range dynamo.Items(ctx, s.Client, query) {
			if err != nil {
				yield(trigger.Event{}, err)
				return
			}
			if dynamo.IntegerOf(it["action"]) == 0 {
				continue // an entry about the trigger itself
			}

			r, err := listedRun(scope, t, it)
			if err == nil {
				r, err = s.whole(ctx, r, it)
			}
			if !yield(r.Event, err) || err != nil {
				return
			}
		}
	}
}

// listQuery returns the query for the entries that pass the filter, newest first. The upper key is inclusive; a time
// key without a run's id sorts before all runs of that time.
func (s *Runs) listQuery(scope tenant.Scope, t trigger.ID, f run.Filter, limit int) *dynamo.QueryInput {
	from, to := "0", "9"
	if !f.From.IsZero() {
		from = dynamo.TimeKey(f.From, "")
	}
	if !f.To.IsZero() {
		to = dynamo.TimeKey(f.To.Add(time.Millisecond), "")
	}
	if f.Before != "" {
		to = min(to, string(f.Before))
	}
	if to < from {
		to = from // a time without an id matches no run
	}

	query := dynamo.Query(s.Table, runsKey(scope, t), from, to, true, limit+1)
	dynamo.Project(query, listed...)
	filterRuns(query, f)
	if query.FilterExpression != nil {
		query.Limit = new(int32(filteredPage))
	}
	return query
}

// Count makes one Query per MB.
func (s *Runs) Count(ctx context.Context, scope tenant.Scope, t trigger.ID, f run.Filter) (n int, err error) {
	return dynamo.Count(ctx, s.Client, s.listQuery(scope, t, f, 0))
}

func filterRuns(query *dynamo.QueryInput, f run.Filter) {
	if len(f.Statuses) > 0 {
		parameters, values := make([]string, len(f.Statuses)), dynamo.Item{}
		for i, status := range f.Statuses {
			parameters[i] = fmt.Sprintf(":status%d", i)
			values[parameters[i]] = dynamo.Text(string(status))
		}
		chosen := "#status IN (" + strings.Join(parameters, ", ") + ")"
		if f.ReplayedBy != 0 {
			chosen, values[":by"] = "("+chosen+" OR #replayed = :by)", dynamo.Number(int64(f.ReplayedBy))
		}
		dynamo.Where(query, chosen, values)
	}
	if f.Action != 0 {
		dynamo.Where(query, "#action = :action", dynamo.Item{":action": dynamo.Number(int64(f.Action))})
	}
	if f.Actions {
		dynamo.Where(query, "#action > :none", dynamo.Item{":none": dynamo.Number(0)})
	}
	if f.Subject != "" {
		dynamo.Where(query, "#subject = :subject", dynamo.Item{":subject": dynamo.Text(f.Subject)})
	}
}

func listedRun(scope tenant.Scope, t trigger.ID, it dynamo.Item) (run.Run, error) {
	at, number, err := dynamo.ParseTimeKey(dynamo.TextOf(it["sk"]))
	if err != nil {
		return run.Run{}, fmt.Errorf("run of trigger %d: %w", t, err)
	}
	return decodeRun(run.Run{ID: number, Scope: scope, Trigger: t, CreatedAt: at}, it)
}

// Replay makes one conditional UpdateItem; the run stores the id of the operation. An ended run then bypasses its flow
// controls. A run at a gate stays there, and its message finds it like any other.
func (s *Runs) Replay(ctx context.Context, scope tenant.Scope, ref run.Ref, now time.Time, operation id.ID) error {
	err := dynamo.Write(ctx, s.Client, replaying(s.Table, scope, ref, now, operation))
	if !dynamo.ConditionFailed(err) {
		return dynamo.Wrap("replay a run", err)
	}

	stored := dynamo.ItemAt(err, 0)
	switch batch := dynamo.TextOf(stored["joined"]); {
	case dynamo.IntegerOf(stored["replayed"]) == int64(operation):
		return nil // this operation replayed it, and it has progressed since
	case len(stored) == 0:
		return errs.NotFound("there is no log entry %q", ref.LogID())
	case dynamo.IntegerOf(stored["action"]) == 0:
		return errs.Invalid("this entry of the log is about the trigger itself: there is no action to replay")
	case batch != "":
		return errs.Conflict("the event is in the batch of %s: replay that one", batch)
	case dynamo.TextOf(stored["gate"]) != "":
		return nil
	}
	return errs.Conflict("the action is %s: wait until it has ended", dynamo.TextOf(stored["status"]))
}

// replaying returns the update that makes a run pending again, once per operation.
func replaying(tableName string, scope tenant.Scope, ref run.Ref, now time.Time, operation id.ID) dynamo.Part {
	return dynamo.Update(
		tableName, runsKey(scope, ref.Trigger), dynamo.TimeKey(ref.At, ref.ID),
		"SET #status = :pending, replayed = :by REMOVE #error, #next, finished, tries, #lease",
		dynamo.Exists+" AND #action > :none AND attribute_not_exists(gate) AND attribute_not_exists(joined) AND"+
			" (#status IN (:pending, :succeeded, :failed, :skipped) OR #status = :running AND #lease <= :now"+
			" OR #status = :waiting AND #next <= :now)"+
			" AND (attribute_not_exists(replayed) OR replayed <> :by OR #status = :pending)",
		dynamo.Item{
			":none": dynamo.Number(0), ":by": dynamo.Number(int64(operation)),
			":pending": dynamo.Text(string(run.Pending)), ":succeeded": dynamo.Text(string(run.Succeeded)),
			":failed": dynamo.Text(string(run.Failed)), ":skipped": dynamo.Text(string(run.Skipped)),
			":running": dynamo.Text(string(run.Running)), ":waiting": dynamo.Text(string(run.WaitingRetry)),
			":now": dynamo.Number(now.UnixMilli()),
		},
	)
}

// LastTurn makes one GetItem.
func (s *Runs) LastTurn(ctx context.Context, scope tenant.Scope, t trigger.ID, a trigger.ActionID) (time.Time, error) {
	it, err := dynamo.GetItem(ctx, s.Client, s.Table, runsKey(scope, t), fmt.Sprintf("last#%d", a))
	return dynamo.FromMillis(dynamo.IntegerOf(it["ran_at"])), err
}
