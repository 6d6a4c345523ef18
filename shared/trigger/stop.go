package trigger

import (
	"fmt"
	"maps"
	"slices"
)

// Stopped are actions that the platform has disabled, with the reason: what they would do is skipped as disabled until
// the owner enables the trigger again or writes its actions. The others go on (G13).
type Stopped map[ActionID]string

// WhyStopped is one sentence on the actions that are disabled, "" for none.
func (t Trigger) WhyStopped() string {
	for _, number := range slices.Sorted(maps.Keys(t.Stopped)) {
		if a, there := t.Action(number); there {
			return fmt.Sprintf("action %d (%s) was disabled: %s; write enabled: true to enable it again",
				number, a.Type, t.Stopped[number])
		}
	}
	return ""
}
