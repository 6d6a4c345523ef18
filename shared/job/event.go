package job

import (
	"cmp"
	"encoding/json"
	"fmt"

	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// TimeZone is the time zone in events of jobs whose trigger has none (D33: timers have a time zone).
const TimeZone = "Asia/Shanghai"

// event is the argument of main; D17 lists its members.
type event struct {
	Data        json.RawMessage `json:"data"`
	EventType   Source          `json:"eventType"`
	JobID       string          `json:"jobId"`
	MemoryLimit int             `json:"memoryLimitInMB"`
	TimeLimit   int64           `json:"timeLimitInMS"`
	MiniappID   tenant.AppID    `json:"miniappId"`
	Request     eventRequest    `json:"request"`
	Env         *eventEnv       `json:"env,omitempty"`
	SchemaName  string          `json:"flex_schema_name,omitempty"`
	TimeZone    string          `json:"timezone"`
	SignKey     string          `json:"signKey"` // always empty; older functions read it
}

// eventRequest describes the caller; it is empty for runs without one, such as those of triggers.
type eventRequest struct {
	Meta *eventMeta `json:"meta,omitempty"`
	User *User      `json:"user,omitempty"`
}

// requestOf returns the caller's part of an event.
func requestOf(m Meta) eventRequest {
	r := eventRequest{User: m.User}
	if m.IP != "" || m.UserAgent != "" {
		r.Meta = &eventMeta{IP: m.IP, UserAgent: m.UserAgent}
	}
	return r
}

type eventMeta struct {
	IP        string `json:"ip_address"`
	UserAgent string `json:"user_agent"`
}

type eventEnv struct {
	ID   tenant.EnvID `json:"id"`
	Name string       `json:"name"`
}

// newEvent returns the event of a job as JSON.
func newEvent(r Running, in Input) (json.RawMessage, error) {
	e := event{
		Data: in.Data, EventType: r.Source, JobID: fmt.Sprint(int64(r.ID)),
		MemoryLimit: r.Plan.MemoryMB(), TimeLimit: r.Limit.Milliseconds(), MiniappID: r.Scope.App,
		Request:    requestOf(in.Meta),
		SchemaName: in.Meta.SchemaName, TimeZone: cmp.Or(in.Meta.TimeZone, TimeZone),
	}
	if len(e.Data) == 0 {
		e.Data = json.RawMessage("{}")
	}
	// Events of production have no env: functions tell test runs by its presence.
	if r.Scope.Env != tenant.Production {
		e.Env = &eventEnv{ID: r.Scope.Env, Name: in.Meta.EnvName}
	}

	text, err := sandbox.Encode(e)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}

	return text, nil
}
