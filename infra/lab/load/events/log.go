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

// entry is one of the log of triggers.
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

// log reads the runs of a trigger.
func (e *events) log(ctx context.Context, w *watch) (all []promise.Run, err error) {
	w.entries = nil
	path := fmt.Sprintf("%s%d/log/?limit=1000", client.TriggersPath, w.id)
	_, err = client.List(ctx, e.App, path, func(x entry) error {
		run := promise.Run{Action: x.Action, Event: x.Event.ID, Mark: x.Subject}
		if w.line == timerDue {
			run.Mark = x.Event.ID // the subject is the timer, for all minutes
		}
		all, w.entries = append(all, run), append(w.entries, x)
		return nil
	})
	return all, err
}

// under counts the runs that are under way, and says when the last of them begins that waits for an attempt.
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

// Open implements load.Part: the runs that are not in the log yet, those with an effect that have not ended, and events
// that are not worked on yet. A trigger that misses none is not asked again.
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
			continue // whether its mails have failed already is all the same
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
	case e == e.clock.apps[0]: // a refused event has no run to wait for: its message comes again when its worker died
		missing[badEvent], err = e.Cloud.Messages(ctx, "PLATFORM_EVENT_QUEUE_URL")
	}
	if err != nil {
		return nil, next, err
	}
	return missing, next, e.rows.waitForIndex(ctx, e, missing)
}

// hurry begins runs whose worker died before the local cloud was killed for the last time, and runs that wait for
// another attempt, with a clock that is ahead, as a worker that dies at once, and sends their message.
func (e *events) hurry(ctx context.Context) error {
	runs, actions, now := e.Cloud.Backend(0).Runs(), e.Cloud.Queues().Actions(), time.Now()
	for _, w := range e.effects.of {
		for _, x := range w.entries {
			ahead := e.Cloud.Hurried.Add(leaseTime)
			switch {
			case x.Status == "running":
			case x.Status == "waiting_retry" && !slices.Contains(messages, w.effect):
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
