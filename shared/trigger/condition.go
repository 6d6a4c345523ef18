package trigger

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Condition says which events of its type a trigger fires on (G2): one of
// *TableCondition, *PaymentCondition, *TimerCondition, *FileCondition,
// *HookCondition and *MessageCondition. Its JSON is the wire form.
type Condition interface {
	// AllRules returns the rules of the condition in one list.
	AllRules() []Rule
}

// Change is what happens to a row.
type Change string

// The changes.
const (
	Create Change = "create"
	Update Change = "update"
	Delete Change = "delete"
)

// Match says how many rules must hold.
type Match string

// Without rules either one holds.
const (
	MatchAll Match = "all"
	MatchAny Match = "any"
)

// TableRef names a table as the caller did, by id or by name.
type TableRef string

// MarshalJSON writes an id as a number.
func (r TableRef) MarshalJSON() ([]byte, error) {
	if _, err := strconv.ParseInt(string(r), 10, 64); err == nil {
		return []byte(r), nil
	}
	return json.Marshal(string(r))
}

// UnmarshalJSON reads a name or an id.
func (r *TableRef) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		*r = TableRef(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(r))
}

// TableCondition waits for rows of one table.
type TableCondition struct {
	Table TableRef `json:"table"`
	Event Change   `json:"event"`
	Match Match    `json:"match"`
	Rules []Rule   `json:"rules"`
}

// Rule is one row of a condition: what a column must be like.
type Rule struct {
	Field    string   `json:"field"` // "x", "before.x" or "after.x"
	Operator Operator `json:"operator,omitempty"`
	// Value is the operand as it came, with numbers as float64; nil for changed.
	Value any `json:"value,omitempty"`
}

// PaymentCondition waits for orders that are paid; they fire once each.
type PaymentCondition struct {
	Result string `json:"result,omitempty"` // ResultSuccess or ""
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

// FileOperation is what happens to a file.
type FileOperation string

// The operations (D34).
const (
	FileUpload     FileOperation = "upload"
	FileDelete     FileOperation = "delete"
	FileImageCheck FileOperation = "image_check"
)

// The results of operations and payments.
const (
	ResultSuccess = "success"
	ResultFail    = "fail"
)

// FileCondition waits for files.
type FileCondition struct {
	Operation FileOperation `json:"operation"`
	Result    string        `json:"result"`
}

// HookCondition waits for calls of the trigger's address.
type HookCondition struct{}

// MessageCondition waits for chat messages whose members equal texts.
type MessageCondition struct {
	AppID string `json:"app_id,omitempty"`
	Match Match  `json:"match"`
	Rules []Rule `json:"rules"` // without operators
}

// AllRules implements Condition.
func (c *TableCondition) AllRules() []Rule { return c.Rules }

// AllRules implements Condition.
func (c *PaymentCondition) AllRules() []Rule {
	if c.Result == "" {
		return nil
	}
	return []Rule{{Field: "result", Operator: Equal, Value: c.Result}}
}

// AllRules implements Condition.
func (c *TimerCondition) AllRules() []Rule { return nil }

// AllRules implements Condition.
func (c *FileCondition) AllRules() []Rule {
	return []Rule{
		{Field: "operation", Operator: Equal, Value: string(c.Operation)},
		{Field: "result", Operator: Equal, Value: c.Result},
	}
}

// AllRules implements Condition.
func (c *HookCondition) AllRules() []Rule { return nil }

// AllRules implements Condition.
func (c *MessageCondition) AllRules() []Rule { return c.Rules }

func readCondition(t Type, text []byte) (Condition, error) {
	d, ok := t.definition()
	if !ok {
		return nil, fmt.Errorf("unknown type %q", t)
	}
	c := d.condition()
	return c, json.Unmarshal(text, c)
}
