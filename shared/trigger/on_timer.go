package trigger

import (
	"fmt"
	"time"

	"minicloud/shared/tenant"
)

var onTimer = Definition{
	name: TypeTimer, Source: "timer", condition: func() Condition { return &TimerCondition{} },
	Actions: VisibleNone, Keys: VisibleNone,
	waits:  func(t Trigger) string { return timerKey(t.ID) },
	comes:  func(e Event) string { return timerKey(e.Trigger) },
	sample: func(s sampling) Event { return TimerEvent(s.scope, s.of.ID, s.at) },
	past:   func(Trigger) Past { return PastMinutes },
}

func timerKey(id ID) string { return fmt.Sprintf("timer#%d", id) }

// TimerEvent returns the event of one minute of a timer. at is any time in that minute, so every program makes the same
// event for it.
func TimerEvent(scope tenant.Scope, t ID, at time.Time) Event {
	minute := at.UTC().Truncate(time.Minute)
	return Event{
		ID:    fmt.Sprintf("timer#%d#%s", t, minute.Format("2006-01-02T15:04Z")),
		Scope: scope, Type: TypeTimer, Kind: OnTimer, At: minute,
		Subject: fmt.Sprint(t), Key: timerKey(t), Trigger: t, Payload: map[string]any{},
	}
}

// Missed is the policy for minutes of a timer that were missed in an outage. Minutes more than an hour late never fire
// (D33).
type Missed string

// The policies.
const (
	MissedOnce Missed = "once" // only the newest missed minute fires
	MissedSkip Missed = "skip"
	MissedAll  Missed = "all"
)

// TimerCondition matches the minutes of a cron schedule.
type TimerCondition struct {
	Cron   string `json:"cron"`
	Missed Missed `json:"missed"`
}

// AllRules implements Condition.
func (c *TimerCondition) AllRules() (rules []Rule, one bool) { return nil, false }
