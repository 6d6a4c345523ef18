package message

import (
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// progress is how far a run is: the Result.State and, as the counts of it, the Result.Response.
type progress struct {
	After page.Cursor `json:"after,omitempty"` // where the page of recipients begins that is worked on
	Done  string      `json:"done,omitempty"`  // the last user who is done: keyOf
	// The window of a pace: when it began, in Unix milliseconds, and how many messages went out in it.
	Window   int64 `json:"window,omitempty"`
	InWindow int   `json:"in_window,omitempty"`
	counts
}

// counts say what became of messages.
type counts struct {
	Sent    int    `json:"sent"`
	Skipped int    `json:"skipped"`           // users whom nothing can be sent to: unknown at the vendor, or no form id
	Failed  int    `json:"failed"`            // users whom the vendor refuses it for
	Unknown int    `json:"unknown,omitempty"` // sent or not
	Why     string `json:"why,omitempty"`     // the first of Failed
}

func (c *counts) add(more counts) {
	c.Sent += more.Sent
	c.Skipped += more.Skipped
	c.Failed += more.Failed
	c.Unknown += more.Unknown
	if c.Why == "" {
		c.Why = more.Why
	}
}

// room is how many messages may go out now, at most most, or else how long to wait. A window begins with the first
// look after the one before is over.
func (p *progress) room(pace *trigger.Pace, most int, now time.Time) (int, time.Duration) {
	if pace == nil {
		return most, 0
	}
	length := time.Duration(pace.Minutes) * time.Minute
	begun := time.UnixMilli(p.Window)
	if p.Window == 0 || !now.Before(begun.Add(length)) {
		p.Window, p.InWindow = now.UnixMilli(), 0
		begun = now
	}
	if left := pace.Count - p.InWindow; left > 0 {
		return min(left, most), 0
	}
	return 0, begun.Add(length).Sub(now)
}

// end is the result of a run whose recipients are all done.
func (p progress) end() (action.Result, error) {
	r, err := action.Finished(p.counts, p.Unknown)
	if err == nil && p.Failed > 0 && p.Sent == 0 {
		err = errs.Invalid("%s", p.Why)
	}
	return r, err
}
