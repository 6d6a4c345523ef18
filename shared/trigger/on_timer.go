package trigger

import (
	"fmt"
	"time"

	"minicloud/shared/tenant"
)

var onTimer = Definition{
	name: TypeTimer, Source: "timer", condition: conditionOf[TimerCondition], Actions: VisibleNone, Keys: VisibleNone,
	waits:  func(t Trigger) string { return timerKey(t.ID) },
	comes:  func(e Event) string { return timerKey(e.Trigger) },
	sample: func(s sampling) Event { return TimerEvent(s.scope, s.of.ID, s.at) },
	past:   func(Trigger) Past { return PastMinutes },
}

func timerKey(id ID) string { return fmt.Sprintf("timer#%d", id) }

// TimerEvent returns the event of one minute of a timer; at is any time in it.
// Two programs that see the same minute make the same event.
func TimerEvent(scope tenant.Scope, t ID, at time.Time) Event {
	minute := at.UTC().Truncate(time.Minute)
	return Event{
		ID:    fmt.Sprintf("timer#%d#%s", t, minute.Format("2006-01-02T15:04Z")),
		Scope: scope, Type: TypeTimer, Kind: OnTimer, At: minute,
		Subject: fmt.Sprint(t), Key: timerKey(t), Trigger: t, Payload: map[string]any{},
	}
}

// Missed says what becomes of a timer's minutes that an outage swallowed. Only
// those of the last hour count (D33).
type Missed string

// The policies.
const (
	MissedOnce Missed = "once" // the newest one fires
	MissedSkip Missed = "skip"
	MissedAll  Missed = "all"
)

// TimerCondition waits for minutes.
type TimerCondition struct {
	Cron   string `json:"cron"`
	Missed Missed `json:"missed"`
}

// AllRules implements Condition.
func (c *TimerCondition) AllRules() (rules []Rule, one bool) { return nil, false }
