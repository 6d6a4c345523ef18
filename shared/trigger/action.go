package trigger

import (
	"encoding/json"
	"fmt"
)

// Action is what a trigger asks for when it fires.
type Action struct {
	ID        ActionID   `json:"id"`
	Type      ActionType `json:"type"`
	Frequency Frequency  `json:"frequency"`
	Flow      Flow       `json:"flow"`
	Settings  Settings   `json:"settings"`
}

// Mode says how often an action may run (D36).
type Mode string

// The modes.
const (
	Repeatable   Mode = "repeatable"
	Intermittent Mode = "intermittent" // at most once in an interval
	Once         Mode = "once"         // ever
)

// Frequency limits an action.
type Frequency struct {
	Mode            Mode `json:"mode"`
	IntervalSeconds int  `json:"interval_seconds,omitempty"`
}

// Flow controls when an action runs, beside its frequency (G5). Zero values are
// "not asked for".
type Flow struct {
	DebounceSeconds int       `json:"debounce_seconds,omitempty"` // The number of seconds without events before the action runs.
	Batch           *Batch    `json:"batch,omitempty"`
	Throttle        *Throttle `json:"throttle,omitempty"`
	Key             string    `json:"key,omitempty"`     // T: groups what the others count; "" = the trigger
	Ordered         bool      `json:"ordered,omitempty"` // Run the actions with the same key one after the other.
}

// Uses reports whether the action holds runs back at all.
func (f Flow) Uses() bool {
	return f.DebounceSeconds > 0 || f.Batch != nil || f.Throttle != nil || f.Ordered
}

// Batch gives an action the events of some time in one list.
type Batch struct {
	Size    int `json:"size"`
	Seconds int `json:"seconds"`
}

// Throttle lets count actions run in a period; the rest waits.
type Throttle struct {
	Count         int `json:"count"`
	PeriodSeconds int `json:"period_seconds"`
}

// UnmarshalJSON reads the stored form, which is the wire form.
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
