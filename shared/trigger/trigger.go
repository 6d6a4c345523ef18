// Package trigger has triggers and events: types, conditions and actions of triggers, and the events that fire them
// (contract, Events; G1-G28). Package engine matches events with triggers, package run has the runs of their actions.
//
//	Trigger     what is stored: type, condition, actions            trigger.go condition.go action.go
//	Type        its event, condition, actions and variables         type.go
//	Visibility  what templates can name                             variables.go
//	Event       something that happened                             event.go, one on_*.go per type
//
// Package draft below it reads triggers from JSON and names every mistake, package hook receives calls of incoming
// webhooks.
//
// An event and the triggers it may fire have the same IndexKey, so that one query finds the candidates.
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

// ID is the integer id of a trigger; time-ordered.
type ID int64

// ReadText reads the id from a path; what cannot be one does not exist.
func (i *ID) ReadText(text string) error {
	n, ok := id.Parse[ID](text)
	if !ok {
		return errs.NotFound("there is no such trigger")
	}
	*i = n
	return nil
}

// ActionID is the integer id of one of a trigger's actions; time-ordered.
type ActionID int64

// ReadText reads the id from a path; what cannot be one does not exist.
func (i *ActionID) ReadText(text string) error {
	if err := (*ID)(i).ReadText(text); err != nil {
		return errs.NotFound("there is no such action")
	}
	return nil
}

// The limits of triggers (G1, G3, G4).
const (
	MaxTriggers    = 500 // of one environment
	MaxActions     = 10  // of one trigger
	MaxRules       = 50  // of one condition
	MaxName        = 64  // characters
	MaxDescription = 500 // characters
)

// DefaultTimezone is a trigger's when it says none (D33).
const DefaultTimezone = zone.Default

// FirstTrace is how long a new trigger keeps its evaluations when it does not
// say whether it wants to.
const FirstTrace = 24 * time.Hour

// TraceAlways is the TraceUntil of a trigger that keeps its evaluations for good.
const TraceAlways = math.MaxInt32

// Trigger is one trigger as it is stored. Its JSON is the stored form; View is
// what callers see.
type Trigger struct {
	ID          ID        `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Enabled     bool      `json:"enabled"`
	Type        Type      `json:"type"`
	Condition   Condition `json:"condition"`
	Timezone    string    `json:"timezone"` // IANA name
	// TraceUntil is when the trigger stops to keep its evaluations, Unix seconds;
	// 0 = it keeps none.
	TraceUntil int64 `json:"trace_until,omitempty"`
	// Broken is why it cannot fire, one sentence; "" = it can. Of candidates it is what was noted last.
	Broken string `json:"-"`
	// TableName is what the table of a table trigger is called now, where the trigger was read for a caller.
	TableName string `json:"-"`
	HookID    string `json:"hook_id,omitempty"` // incoming webhooks: 10 letters and digits
	// Tables are the tables that condition and actions name, as they were
	// understood when the trigger was saved: a renamed table stays the same one.
	Tables    map[string]table.ID `json:"tables,omitempty"`
	Actions   []Action            `json:"actions"`
	Stopped   Stopped             `json:"stopped,omitempty"`
	CreatedAt int64               `json:"created_at"` // Unix seconds
	UpdatedAt int64               `json:"updated_at"` // Unix seconds
	CreatedBy int64               `json:"created_by"`
	Revision  int64               `json:"revision"` // counts changes; 0 = not stored yet
	Secrets   *Secrets            `json:"secrets,omitempty"`
	// Tokens are those of the requests with a key that made and changed it.
	Tokens writetoken.List `json:"tokens,omitempty"`
	// Failing are the actions whose receivers fail; kept beside the trigger, and forgotten when it changes.
	Failing map[ActionID]Failing `json:"-"`
	// Slow are the actions whose receivers take long to answer, and until when they count as such; kept like Failing.
	Slow map[ActionID]time.Time `json:"-"`
}

// Failing says how long the receiver of an action has failed.
type Failing struct {
	Since    time.Time // of the first failure after the last success
	Misses   int       // how many attempts in a row had no answer at all
	MissedAt time.Time // when the newest of these ended, or another was begun
}

// TableID returns the table that condition or actions call ref, 0 for none.
func (t Trigger) TableID(ref TableRef) table.ID { return t.Tables[string(ref)] }

// Traces reports whether evaluations are kept at that time.
func (t Trigger) Traces(now time.Time) bool { return now.Unix() < t.TraceUntil }

// Action finds one of the trigger's actions.
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

// TableRefs are the names of tables in condition and actions.
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

// View is a trigger as callers see it (G1). A webhook's key is no part of it.
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
	// Warnings stand in answers to writes only.
	Warnings Problems `json:"warnings,omitzero"`
}

// View returns the trigger as callers see it at that time; base is the address
// of the service without a slash at its end (G17).
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
