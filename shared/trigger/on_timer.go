package trigger

import (
	"fmt"
	"time"

	"minicloud/shared/tenant"
)

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
