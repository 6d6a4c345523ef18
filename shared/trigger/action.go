package trigger

import (
	"encoding/json"
	"fmt"
)

// Action is one action of a trigger: its type, limits and settings.
type Action struct {
	ID        ActionID   `json:"id"`
	Type      ActionType `json:"type"`
	Frequency Frequency  `json:"frequency"`
	Flow      Flow       `json:"flow"`
	Settings  Settings   `json:"settings"`
}

// Mode limits how often an action may run (D36).
type Mode string

// The modes.
const (
	Repeatable   Mode = "repeatable"
	Intermittent Mode = "intermittent" // at most once per interval
	Once         Mode = "once"         // at most once, ever
)

// Frequency limits how often an action runs.
type Frequency struct {
	Mode            Mode `json:"mode"`
	IntervalSeconds int  `json:"interval_seconds,omitempty"`
}

// Flow holds the flow controls of an action, applied after its frequency (G5). A zero value turns a control off.
type Flow struct {
	// DebounceSeconds is the number of seconds without events before the action runs.
	DebounceSeconds int       `json:"debounce_seconds,omitempty"`
	Batch           *Batch    `json:"batch,omitempty"`
	Throttle        *Throttle `json:"throttle,omitempty"`
	Key             string    `json:"key,omitempty"`     // template; runs with equal keys share one FlowState
	Ordered         bool      `json:"ordered,omitempty"` // Run the actions with the same key one after the other.
}

// Uses reports whether any flow control that holds runs back is set.
func (f Flow) Uses() bool {
	return f.DebounceSeconds > 0 || f.Batch != nil || f.Throttle != nil || f.Ordered
}

// Batch collects events and passes them to one run as a list, once there are Size events or Seconds have passed.
type Batch struct {
	Size    int `json:"size"`
	Seconds int `json:"seconds"`
}

// Throttle lets at most Count runs begin per period; further runs wait.
type Throttle struct {
	Count         int `json:"count"`
	PeriodSeconds int `json:"period_seconds"`
}

// UnmarshalJSON reads the stored form, which equals the wire form.
func (a *Action) UnmarshalJSON(text []byte) error {
	type plain Action
	stored := struct {
		*plain
		Settings json.RawMessage `json:"settings"`
	}{plain: (*plain)(a)}
	if err := json.Unmarshal(text, &stored); err != nil {
		return err
	}

	d := a.Type.Definition()
	if d.settings == nil {
		return fmt.Errorf("action %d has unknown type %q", a.ID, a.Type)
	}
	a.Settings = d.settings()
	return json.Unmarshal(stored.Settings, a.Settings)
}
