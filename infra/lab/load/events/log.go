package events

import (
	"context"
	"fmt"
	"slices"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/promise"
	"minicloud/shared/trigger/run"
)

// entry is an entry of the trigger log.
type entry struct {
	ID      string `json:"id"`
	Action  int64  `json:"action"`
	Subject string `json:"subject_id"`
	Event   struct {
		ID string `json:"id"`
	} `json:"event"`
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

// says formats the status, error and attempts of the entry.
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

// log reads the runs of a trigger from its log.
func (e *events) log(ctx context.Context, w *watch) (all []promise.Run, err error) {
	w.entries = nil
	path := fmt.Sprintf("%s%d/log/?limit=1000", client.TriggersPath, w.id)
	_, err = client.List(ctx, e.App, path, func(x entry) error {
		run := promise.Run{Action: x.Action, Event: x.Event.ID, Mark: x.Subject}
		if w.line == timerDue {
			run.Mark = x.Event.ID // the subject is the timer, equal for all minutes
		}
		all, w.entries = append(all, run), append(w.entries, x)
		return nil
	})
	return all, err
}

// under counts the runs that have not ended, and returns the latest time of their next attempts.
func (w *watch) under() (n int, next time.Time) {
	for _, x := range w.entries {
		if slices.Contains([]string{"succeeded", "failed", "skipped"}, x.Status) {
			continue
		}
		n++
		if at := time.Unix(x.Next, 0); x.Next > 0 && at.After(next) {
			next = at
		}
	}
	return n, next
}

// Open implements load.Part: it counts the runs missing in the log, the runs with an effect that have not ended, and
// unprocessed events. It does not read the log of a complete trigger again.
func (e *events) Open(ctx context.Context) (missing map[string]int, next time.Time, err error) {
	missing = map[string]int{}
	for _, w := range e.watches {
		if w.complete {
			continue
		}
		found, err := e.log(ctx, w)
		if err != nil {
			return nil, next, err
		}
		lost := w.Judge(found).Lost
		missing[w.line] += lost
		w.complete = lost == 0
		if w.effect == "" {
			continue // its mails all fail, so the end of the run does not matter
		}

		n, at := w.under()
		missing[w.effect] += n
		w.complete = w.complete && n == 0
		if at.After(next) {
			next = at
		}
	}
	switch {
	case e.acts:
		missing[ownRows], err = e.OpenJobs(ctx, e.function)
	case e == e.clock.apps[0]: // a refused event has no run to wait for: if its worker died, its message is delivered again
		missing[badEvent], err = e.Cloud.Messages(ctx, "PLATFORM_EVENT_QUEUE_URL")
	}
	if err != nil {
		return nil, next, err
	}
	return missing, next, e.rows.waitForIndex(ctx, e, missing)
}

// hurry takes over runs whose worker died before the last kill of the local cloud, and runs that wait for a retry: it
// begins them with a clock set ahead and a lease that expires at once, then sends their messages.
func (e *events) hurry(ctx context.Context) error {
	runs, actions, now := e.Cloud.Backend(0).Runs(), e.Cloud.Queues().Actions(), time.Now()
	for _, w := range e.effects.of {
		for _, x := range w.entries {
			ahead := e.Cloud.Hurried.Add(leaseTime)
			switch {
			case x.Status == "running":
			case x.Status == "waiting_retry" && !slices.Contains(messages, w.effect):
				ahead = time.Unix(x.Next+1, 0)
			default: // an at-most-once message is not sent again after its worker may have died
				continue
			}

			ref, err := run.ParseLogID(x.ID)
			if err != nil {
				return err
			}
			b, err := runs.Begin(ctx, e.App.Scope, ref, run.Lease{Owner: "hurry" + x.ID, Until: now}, ahead)
			if err == nil && b.Standing == run.Begun {
				err = actions.Send(ctx, 0, run.MessageOf(ref, e.App.Scope))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// leaseTime is the lease of a run: a lease taken before the local cloud was killed has expired once the clock is ahead
// by it.
const leaseTime = time.Minute
