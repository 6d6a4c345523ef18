// Package event builds the argument of main (D17) from the input of a run.
package event

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/language/value"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// TimeZone is the default time zone of events, for jobs whose trigger has none (D33: timers have a time zone).
const TimeZone = "Asia/Shanghai"

// Input is the input of a run.
type Input struct {
	Data json.RawMessage `json:"data"` // any JSON value; nil is {}
	Meta Meta            `json:"meta"`
}

// Meta is the part of the event that describes the request.
type Meta struct {
	IP         string `json:"ip,omitempty"`
	UserAgent  string `json:"user_agent,omitempty"`
	User       *User  `json:"user,omitempty"`
	Nobody     bool   `json:"nobody,omitempty"`      // a client called without a session: the event's user is null (C6)
	EnvName    string `json:"env_name,omitempty"`    // of a test environment
	SchemaName string `json:"schema_name,omitempty"` // of the table whose trigger started the job
	TimeZone   string `json:"timezone,omitempty"`    // of the trigger that started the job; "" = TimeZone
	Depth      int    `json:"depth,omitempty"`       // of the event or calling function that started the job, 0 = neither
	Root       id.ID  `json:"root,omitempty"`        // the first job of a chain of calls, 0 = this job is the first
	// BaseURL is the platform's address that the caller used; the function uses the same. "" refuses BaaS calls.
	BaseURL string `json:"base_url,omitempty"`
	// Trace is the run's trace and cause.
	Trace trace.Link `json:"trace,omitzero"`
	// Acted is set if an administrator made the request as User.
	Acted Acted `json:"acted,omitzero"`
}

// User is the caller of the request. Only ID and Nickname are set for an administrator of the application.
type User struct {
	ID       int64   `json:"id"`
	Nickname string  `json:"nickname"`
	Avatar   *string `json:"avatar_url,omitempty"`
	OpenID   *string `json:"openid,omitempty"`
	UnionID  *string `json:"unionid,omitempty"`
}

// Acted is an administrator who acts as a user; the zero value means none.
type Acted struct {
	By   string `json:"by"` // email
	User int64  `json:"user"`
}

// Run has the fields of a job that its event contains.
type Run struct {
	ID       id.ID
	Source   string
	Scope    tenant.Scope
	MemoryMB int
	Limit    time.Duration // wall time
}

// event is the argument of main; D17 lists its members.
type event struct {
	Data        json.RawMessage `json:"data"`
	EventType   string          `json:"eventType"`
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

// eventRequest describes the caller; it is empty for runs without a caller, such as those of triggers.
type eventRequest struct {
	Meta *eventMeta `json:"meta,omitempty"`
	User any        `json:"user,omitempty"` // *User, or a null that is not left out
}

// requestOf returns the request member of an event.
func requestOf(m Meta) eventRequest {
	var r eventRequest
	switch {
	case m.User != nil:
		r.User = m.User
	case m.Nobody:
		r.User = json.RawMessage("null")
	}
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

// Of returns the event of a run as JSON.
func Of(r Run, in Input) (json.RawMessage, error) {
	e := event{
		Data: in.Data, EventType: r.Source, JobID: fmt.Sprint(int64(r.ID)),
		MemoryLimit: r.MemoryMB, TimeLimit: r.Limit.Milliseconds(), MiniappID: r.Scope.App,
		Request:    requestOf(in.Meta),
		SchemaName: in.Meta.SchemaName, TimeZone: cmp.Or(in.Meta.TimeZone, TimeZone),
	}
	if len(e.Data) == 0 {
		e.Data = json.RawMessage("{}")
	}
	// Events of production have no env: functions detect test runs by its presence.
	if r.Scope.Env != tenant.Production {
		e.Env = &eventEnv{ID: r.Scope.Env, Name: in.Meta.EnvName}
	}

	text, err := value.Encode(e)
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return text, nil
}
