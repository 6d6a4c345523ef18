package trigger

import (
	"fmt"
	"maps"
	"slices"
)

// Stopped maps the actions that the platform has disabled to the reason. Their runs are skipped as disabled until the
// owner enables the trigger again or updates its actions. The other actions still run (G13).
type Stopped map[ActionID]string

// WhyStopped returns one sentence about the first disabled action, "" if there is none.
func (t Trigger) WhyStopped() string {
	for _, number := range slices.Sorted(maps.Keys(t.Stopped)) {
		if a, there := t.Action(number); there {
			return fmt.Sprintf("action %d (%s) was disabled: %s; write enabled: true to enable it again",
				number, a.Type, t.Stopped[number])
		}
	}
	return ""
}
