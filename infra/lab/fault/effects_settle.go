package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/shared/aws/queue"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/trigger"
)

// entry is one of the log of triggers.
type entry struct {
	ID       string         `json:"id"`
	Subject  string         `json:"subject_id"`
	Status   string         `json:"status"`
	Attempts []entryAttempt `json:"attempts"`
	Next     int64          `json:"next_attempt_at"`
	Error    *entryError    `json:"error"`
	Created  int64          `json:"created_at"`
}

type entryAttempt struct {
	At       int64  `json:"at"`
	Lasted   int64  `json:"duration_ms"`
	Error    string `json:"error"`
	Response string `json:"response"`
}

type entryError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

func (x entry) ended() bool {
	return slices.Contains([]string{"succeeded", "failed", "skipped"}, x.Status)
}

// says is what the entry tells its owner.
func (x entry) says() string {
	text := x.ID + " is " + x.Status
	if x.Error != nil {
		text += ", " + x.Error.Type + ": " + x.Error.Message
	}
	for _, a := range x.Attempts {
		text += fmt.Sprintf("; %s %s", time.UnixMilli(a.At).UTC().Format("15:04:05.000"), a.Error)
	}
	return text
}

// look reads the log of a line, unless all of it has ended.
func (e *effects) look(ctx context.Context, d *doing) error {
	if d.complete {
		return nil
	}
	d.entries = nil
	path := fmt.Sprintf("%s%d/log/?limit=1000", triggersPath, d.trigger)
	_, err := e.app.list(ctx, path, func(object json.RawMessage) error {
		var one entry
		if err := json.Unmarshal(object, &one); err != nil {
			return err
		}
		d.entries = append(d.entries, one)
		return nil
	})
	return err
}

// under counts what of a line is under way, and says when the last of those begins again that wait for a time.
func (d *doing) under() (n int, next time.Time) {
	for _, x := range d.entries {
		if !x.ended() {
			n++
			if at := time.Unix(x.Next, 0); x.Next > 0 && at.After(next) {
				next = at
			}
		}
	}
	return n + max(int(d.events.Load())-len(d.entries), 0), next
}

// waiting counts what is under way, by line, and says when the last of those begins again that wait for a time.
// Once the load has ended a line that has ended is not looked at again.
func (e *effects) waiting(ctx context.Context) (open map[string]int, next time.Time, err error) {
	open = map[string]int{}
	for _, line := range effectLines {
		d := e.doings[line]
		if d.trigger == 0 || d.complete {
			continue
		}
		if err := e.look(ctx, d); err != nil {
			return nil, next, err
		}
		n, at := d.under()
		if d.complete = n == 0; n > 0 {
			open[line] = n
		}
		if at.After(next) {
			next = at
		}
	}

	store := e.platform.jobs(0).Store
	pending, err := store.Pending(ctx, e.app.scope, e.function, time.Time{})
	if err != nil {
		return nil, next, err
	}
	held, err := store.Slots(ctx, e.app.scope.App)
	if n := len(pending) + len(held); n > 0 {
		open[ownRows] = n
	}
	return open, next, err
}

// open implements part.
func (e *effects) open(ctx context.Context) (int, error) {
	open, _, err := e.waiting(ctx)
	return total(open), err
}

// hurry has runs done at once whose workers died before the local cloud was killed for the last time, and those that
// wait for another attempt: it begins them with a clock that is ahead, as a worker that dies at once, and asks for
// them.
func (e *effects) hurry(ctx context.Context) error {
	client, now := ddb.NewClient(e.platform.Database), time.Now()
	runs := &triggerdb.Runs{Client: client, Table: e.platform.Tables["TriggerLogTable"]}
	actions := &queue.Actions{Queue: e.platform.queue("ActionQueue")}
	for _, d := range e.doings {
		for _, x := range d.entries {
			ahead := e.platform.hurried.Add(leaseTime)
			switch {
			case x.Status == "running":
			case x.Status == "waiting_retry" && !slices.Contains(messages, d.line):
				ahead = time.Unix(x.Next+1, 0)
			default: // a message is not sent behind a worker that seems to have died
				continue
			}

			ref, err := trigger.ParseLogID(x.ID)
			if err != nil {
				return err
			}
			b, err := runs.Begin(ctx, e.app.scope, ref, trigger.Lease{Owner: "hurry" + x.ID, Until: now}, ahead)
			if err == nil && b.Standing == trigger.Begun {
				err = actions.Send(ctx, trigger.MessageOf(ref, e.app.scope), fmt.Sprint(e.app.scope.App), 0)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// leaseTime is how long a worker has for a run: one that began it before the local cloud was killed has it until then
// at most.
const leaseTime = time.Minute
