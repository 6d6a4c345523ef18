// Package trigger defines triggers and events: the types, conditions and actions of triggers, and the events that fire
// them (contract, Events; G1-G28). Package engine matches events with triggers; package run defines the runs of
// actions.
//
//	Trigger     the stored trigger: type, condition, actions         trigger.go condition.go action.go
//	Type        the type: its event, condition, actions, variables   type.go
//	Visibility  the variables that templates can use                 variables.go
//	Event       a change or call that can fire triggers              event.go, one on_*.go per type
//
// Package draft parses triggers from JSON and reports every mistake; package hook receives the calls of incoming
// webhooks.
//
// An event has the same IndexKey as the triggers it may fire, so one query finds the candidates.
//
// The package is pure: no I/O, no clock.
package trigger

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"minicloud/shared/clock/zone"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/table"
)

// ID is the id of a trigger, an integer in order of creation time.
type ID int64

// ReadText reads the id from a path. It returns errs.NotFound if the text is not an id.
func (i *ID) ReadText(text string) error {
	n, ok := id.Parse[ID](text)
	if !ok {
		return errs.NotFound("there is no such trigger")
	}
	*i = n
	return nil
}

// ActionID is the id of an action of a trigger, an integer in order of creation time.
type ActionID int64

// ReadText reads the id from a path. It returns errs.NotFound if the text is not an id.
func (i *ActionID) ReadText(text string) error {
	if err := (*ID)(i).ReadText(text); err != nil {
		return errs.NotFound("there is no such action")
	}
	return nil
}

// The limits of triggers (G1, G3, G4).
const (
	MaxTriggers    = 500 // per environment
	MaxActions     = 10  // per trigger
	MaxRules       = 50  // per condition
	MaxName        = 64  // characters
	MaxDescription = 500 // characters
)

// DefaultTimezone is the time zone of a trigger that does not name one (D33).
const DefaultTimezone = zone.Default

// FirstTrace is how long a new trigger stores its evaluations if the request does not set trace.
const FirstTrace = 24 * time.Hour

// TraceAlways is the TraceUntil of a trigger that always stores its evaluations.
const TraceAlways = math.MaxInt32

// Trigger is a trigger as stored. Its JSON is the stored form; View is the form that callers see.
type Trigger struct {
	ID          ID        `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Enabled     bool      `json:"enabled"`
	Type        Type      `json:"type"`
	Condition   Condition `json:"condition"`
	Timezone    string    `json:"timezone"` // IANA name
	// TraceUntil is when the trigger stops storing its evaluations, Unix seconds; 0 = it stores none.
	TraceUntil int64 `json:"trace_until,omitempty"`
	// Broken is one sentence that says why the trigger cannot fire; "" = it can. In candidates it is the last stored
	// mark, see engine.Marks.
	Broken string `json:"-"`
	// TableName is the current name of the table of a table trigger, set only when the trigger was read for a caller.
	TableName string `json:"-"`
	HookID    string `json:"hook_id,omitempty"` // of incoming webhooks: 10 letters and digits
	// Tables maps the table names in condition and actions to ids, resolved when the trigger was saved, so that a
	// trigger keeps its table when the table is renamed.
	Tables    map[string]table.ID `json:"tables,omitempty"`
	Actions   []Action            `json:"actions"`
	Stopped   Stopped             `json:"stopped,omitempty"`
	CreatedAt int64               `json:"created_at"` // Unix seconds
	UpdatedAt int64               `json:"updated_at"` // Unix seconds
	CreatedBy int64               `json:"created_by"`
	Revision  int64               `json:"revision"` // number of changes; 0 = not stored yet
	Secrets   *Secrets            `json:"secrets,omitempty"`
	// Tokens are the write tokens of the requests with an idempotency key that created or changed the trigger.
	Tokens writetoken.List `json:"tokens,omitempty"`
	// Failing holds the actions whose receivers fail. It is stored beside the trigger and dropped when the trigger
	// changes.
	Failing map[ActionID]Failing `json:"-"`
	// Slow holds the actions whose receivers answer slowly, and until when they count as slow. It is stored like
	// Failing.
	Slow map[ActionID]time.Time `json:"-"`
}

// Failing is the failure state of an action's receiver, which the circuit breaker reads.
type Failing struct {
	Since    time.Time // time of the first failure after the last success
	Misses   int       // number of consecutive attempts without any answer
	MissedAt time.Time // when the last of them ended, or when the half-open probe began
}

// TableID returns the id of the table that condition or actions name ref, 0 if ref is not in Tables.
func (t Trigger) TableID(ref TableRef) table.ID { return t.Tables[string(ref)] }

// Traces reports whether the trigger stores its evaluations at the given time.
func (t Trigger) Traces(now time.Time) bool { return now.Unix() < t.TraceUntil }

// Action returns the action with the id. ok is false if the trigger has none.
func (t Trigger) Action(id ActionID) (Action, bool) {
	for _, a := range t.Actions {
		if a.ID == id {
			return a, true
		}
	}
	return Action{}, false
}

// Location returns the trigger's time zone.
func (t Trigger) Location() (*time.Location, error) {
	where, err := zone.Load(t.Timezone)
	if err != nil {
		return nil, fmt.Errorf("time zone of trigger %d: %w", t.ID, err)
	}
	return where, nil
}

// TableRefs returns the tables that condition and actions name.
func (t Trigger) TableRefs() []TableRef {
	var refs []TableRef
	if c, ok := t.Condition.(*TableCondition); ok {
		refs = append(refs, c.Table)
	}
	for _, a := range t.Actions {
		if s, ok := a.Settings.(*TableOperationSettings); ok {
			refs = append(refs, s.Table)
		}
	}
	return refs
}

// UnmarshalJSON reads the stored form.
func (t *Trigger) UnmarshalJSON(text []byte) error {
	type plain Trigger
	stored := struct {
		*plain
		Condition json.RawMessage `json:"condition"`
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(text, &stored); err != nil {
		return fmt.Errorf("stored trigger: %w", err)
	}

	condition, err := readCondition(t.Type, stored.Condition)
	if err != nil {
		return fmt.Errorf("condition of stored trigger %d: %w", t.ID, err)
	}
	t.Condition = condition
	return nil
}

// View is a trigger as callers see it (G1). It never contains the key of a webhook.
type View struct {
	ID          ID        `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Enabled     bool      `json:"enabled"`
	Type        Type      `json:"type"`
	Condition   Condition `json:"condition"`
	Timezone    string    `json:"timezone"`
	Trace       bool      `json:"trace"`
	Broken      *string   `json:"broken"`
	HookURL     string    `json:"hook_url,omitempty"`
	Actions     []Action  `json:"actions"`
	CreatedAt   int64     `json:"created_at"`
	UpdatedAt   int64     `json:"updated_at"`
	CreatedBy   int64     `json:"created_by"`
	// Warnings are returned by writes only.
	Warnings Problems `json:"warnings,omitzero"`
}

// View returns the trigger as callers see it at the given time. base is the URL of the service without a trailing slash
// (G17).
func (t Trigger) View(now time.Time, base string) View {
	v := View{
		ID: t.ID, Name: t.Name, Description: t.Description, Enabled: t.Enabled, Type: t.Type, Condition: t.Condition,
		Timezone: t.Timezone, Trace: t.Traces(now), Actions: t.Actions,
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt, CreatedBy: t.CreatedBy,
	}
	if t.Broken != "" {
		v.Broken = &t.Broken
	}
	if t.HookID != "" {
		v.HookURL = base + "/oserve/v1/incoming-webhook/" + t.HookID + "/"
	}
	return v
}
