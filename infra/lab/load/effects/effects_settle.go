package effects

import (
	"context"
	"fmt"
	"slices"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/local/ddb"
	"minicloud/shared/aws/queue"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/trigger/run"
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

// says is what the entry tells the owner of the trigger.
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
	path := fmt.Sprintf("%s%d/log/?limit=1000", client.TriggersPath, d.trigger)
	_, err := client.List(ctx, e.App, path, func(x entry) error {
		d.entries = append(d.entries, x)
		return nil
	})
	return err
}

// under counts the runs of a line that are under way, and says when the last of them begins that waits for an attempt.
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

// Open implements load.Part. A line whose runs have all ended is not read again.
func (e *effects) Open(ctx context.Context) (open map[string]int, next time.Time, err error) {
	open = map[string]int{}
	for _, line := range Lines {
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

	n, err := e.OpenJobs(ctx, e.function)
	if n > 0 {
		open[ownRows] = n
	}
	return open, next, err
}

// FindLost implements load.Part: it begins runs whose worker died before the local cloud was killed for the last time,
// and runs that wait for another attempt, with a clock that is ahead, as a worker that dies at once, and sends their
// message.
func (e *effects) FindLost(ctx context.Context, hurried bool) error {
	if !hurried {
		return nil
	}
	client, now := ddb.NewClient(e.Cloud.Database), time.Now()
	runs := &rundb.Runs{Client: client, Table: e.Cloud.Tables["TriggerLogTable"]}
	actions := &queue.Actions{Queue: e.Cloud.Queue("ActionQueue")}
	for _, d := range e.doings {
		for _, x := range d.entries {
			ahead := e.Cloud.Hurried.Add(leaseTime)
			switch {
			case x.Status == "running":
			case x.Status == "waiting_retry" && !slices.Contains(messages, d.line):
				ahead = time.Unix(x.Next+1, 0)
			default: // a message whose worker seems to have died is not sent again
				continue
			}

			ref, err := run.ParseLogID(x.ID)
			if err != nil {
				return err
			}
			b, err := runs.Begin(ctx, e.App.Scope, ref, run.Lease{Owner: "hurry" + x.ID, Until: now}, ahead)
			if err == nil && b.Standing == run.Begun {
				err = actions.Send(ctx, run.MessageOf(ref, e.App.Scope), fmt.Sprint(e.App.Scope.App), 0)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// leaseTime is the lease of a run: a worker that began it before the local cloud was killed holds it no longer.
const leaseTime = time.Minute
