package message

import (
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
)

// progress is the state of a run, stored as Result.State. Its counts are the Result.Response.
type progress struct {
	After page.Cursor `json:"after,omitempty"` // cursor of the current page of recipients
	Done  string      `json:"done,omitempty"`  // key of the last finished user of that page, see keyOf
	// Window is when the window of a pace began, in Unix milliseconds; InWindow is the number of messages sent in it.
	Window   int64 `json:"window,omitempty"`
	InWindow int   `json:"in_window,omitempty"`
	counts
}

// counts counts messages by their result.
type counts struct {
	Sent    int    `json:"sent"`
	Skipped int    `json:"skipped"`           // users unknown at the vendor or without a form id
	Failed  int    `json:"failed"`            // users whose message the vendor refused
	Unknown int    `json:"unknown,omitempty"` // the result is unknown
	Why     string `json:"why,omitempty"`     // reason of the first Failed
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

// room returns how many messages may be sent now, up to most, or how long to wait. A window begins with the first call
// after the previous window has ended.
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

// end returns the result of a run whose recipients are all done.
func (p progress) end() (action.Result, error) {
	r, err := action.Finished(p.counts, p.Unknown)
	if err == nil && p.Failed > 0 && p.Sent == 0 {
		err = errs.Invalid("%s", p.Why)
	}
	return r, err
}
