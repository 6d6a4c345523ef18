package job

import (
	"encoding/json"
	"fmt"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// Status is the state of a job.
type Status string

// The states of the contract; the last five are terminal.
const (
	StatusWaiting           Status = "waiting"
	StatusExecuting         Status = "executing"
	StatusFulfilled         Status = "fulfilled"
	StatusExecutionFailed   Status = "execution_failed"
	StatusDeadlineExceeded  Status = "deadline_exceeded"
	StatusScheduleFailed    Status = "schedule_failed"
	StatusExecutionRejected Status = "execution_rejected"
)

// Statuses are all of them. Terminal ones keep their place: it is stored.
var Statuses = []Status{
	StatusWaiting, StatusExecuting, StatusFulfilled, StatusExecutionFailed,
	StatusDeadlineExceeded, StatusScheduleFailed, StatusExecutionRejected,
}

// Terminal reports whether a job in this state stays in it.
func (s Status) Terminal() bool { return s != StatusWaiting && s != StatusExecuting }

// Source says what started a job; it is also the event's eventType (D17).
type Source string

// The sources of the contract, and those of D22.
const (
	SourceSDK             Source = "sdk"
	SourceOpenAPI         Source = "open_api"
	SourceCloudFunction   Source = "cloud_function"
	SourceFlexSchema      Source = "flex_schema"
	SourceChatPay         Source = "chat_pay_success"
	SourceTimer           Source = "timer"
	SourceFileOperation   Source = "file_operation"
	SourceAltPay          Source = "alt_pay_success"
	SourceTPay            Source = "tpay_success"
	SourceIncomingWebhook Source = "incoming_webhook"
	SourceChatMessage     Source = "chat_message"
)

// Sources are all of them. They keep their place: it is stored.
var Sources = []Source{
	SourceSDK, SourceOpenAPI, SourceCloudFunction, SourceFlexSchema, SourceChatPay, SourceTimer,
	SourceFileOperation, SourceAltPay, SourceTPay, SourceIncomingWebhook, SourceChatMessage,
}

// DebugSubjects are the sources that a debug run may pretend (endpoint 2); the console may pretend all.
var DebugSubjects = Sources[:7]

// ServiceType says how a job is served: synchronous runs are time-sensitive,
// asynchronous ones batch (D21).
type ServiceType string

// The service types of the contract.
const (
	TimeSensitive ServiceType = "time_sensitive"
	Batch         ServiceType = "batch"
)

// ServiceTypes are both of them. They keep their place: it is stored.
var ServiceTypes = []ServiceType{TimeSensitive, Batch}

// Limits of runs (contract, Limits; D49).
const (
	SyncTime     = 5 * time.Second
	AsyncTime    = 300 * time.Second
	MaxSyncData  = 4 << 20 // bytes of JSON
	MaxAsyncData = 256 << 10
	MaxNesting   = 1000 // lists and objects in one another in data; the engine's stack holds 3,900
	MaxDepth     = 8    // functions that called one another, the first is 1
	// MaxDescendants is how many functions one call starts at most, directly and
	// through others (D52).
	MaxDescendants = 200
)

// Retention from the job's creation: of logs as D23 says, of records what
// infra/decisions/0030 chose.
const (
	KeepRecord = 180 * 24 * time.Hour
	KeepLog    = 30 * 24 * time.Hour
)

// Time returns the wall time a job of this type may take.
func (s ServiceType) Time() time.Duration {
	if s == Batch {
		return AsyncTime
	}
	return SyncTime
}

// Record is one job.
type Record struct {
	ID       id.ID
	Function id.ID
	// Name is what the function was called when the job was made.
	Name    string
	Status  Status
	Source  Source
	Service ServiceType
	Plan    sandbox.Plan
	// StartedAt and FinishedAt are zero until then; milliseconds.
	StartedAt  time.Time
	FinishedAt time.Time
	// Slot is that of a job that executes, and Lease when the time of an open job is over; see Overdue.
	Slot      int
	Lease     time.Time
	MemUsage  int64   // peak bytes of the run's heap
	Execution float64 // milliseconds of user code
	Error     *sandbox.Error
	Log       Log
	Trace     trace.Link // what it belongs to, and what started it
	Callback  string     // the address that is told how it ended, "" = nobody is
	Depth     int        // of what its callback starts, 0 = there is none
	Acted     Acted      // who ran it in the name of a user
	// Token is the write token of the request with an Idempotency-Key that makes
	// the job, "" without one; Result what its main gave. Both are for the store
	// and not read back with the record.
	Token  string
	Result json.RawMessage
}

// Overdue reports whether an open job is to be expired: it waited too long, or its worker has died, since it would
// have ended the job or renewed its lease.
func (r Record) Overdue(now time.Time) bool {
	return !r.Status.Terminal() && !r.Lease.IsZero() && now.After(r.Lease)
}

// cancelled is the error of a delayed job that somebody cancelled.
const cancelled = "the job was cancelled"

// Cancelled reports whether somebody cancelled the job: it was rejected because they wanted it.
func (r Record) Cancelled() bool {
	return r.Status == StatusExecutionRejected && r.Error != nil && r.Error.Message == cancelled
}

// CreatedAt returns when the job was made, to the millisecond.
func (r Record) CreatedAt() time.Time { return r.ID.Time() }

// Billing returns the billed milliseconds: the execution time rounded up to
// the next 100 (D21).
func (r Record) Billing() int64 {
	hundreds := int64(r.Execution / 100)
	if float64(hundreds)*100 < r.Execution {
		hundreds++
	}
	return hundreds * 100
}

// Wire returns the bytes of r in a list, at most: but for the error they are
// few, the signed URL of the log has the most.
func (r Record) Wire() int {
	if r.Error == nil {
		return 1 << 10
	}
	return 1<<10 + page.Wire(r.Error.Message) + page.Wire(r.Error.Type)
}

// Cause names the job as what others come from: the trace.Link.Cause of what it writes and starts.
func (r Record) Cause() string { return fmt.Sprintf("%d/%d", r.Function, r.ID) }

// ParseCause reads what Cause returns; ok is false for what is no job.
func ParseCause(text string) (function, job id.ID, ok bool) {
	n, err := fmt.Sscanf(text, "%d/%d", &function, &job)
	return function, job, err == nil && n == 2 && text == Record{Function: function, ID: job}.Cause()
}

// Slot is a place to execute in.
type Slot struct {
	App    tenant.AppID
	Plan   sandbox.Plan
	Number int // 0 ≤ Number < Slots(Plan)
}

// Slots returns how many jobs of an application may execute at once (D20).
func Slots(p sandbox.Plan) int {
	if p == sandbox.PlanPersonal {
		return 10
	}
	return 100
}

// Running is a job in its slot.
type Running struct {
	Record
	Scope tenant.Scope

	// Ready is PendingJob.Ready, zero for a synchronous run, and Limit the wall time
	// the function may take. They are the worker's, and not remembered.
	Ready time.Time
	Limit time.Duration
}

// limit returns the wall time that a job may take which begins now. What waited is
// due when one that began at once would be (D19: terminal 30 s after its time limit,
// from the moment it may run), so it has less.
func (r Running) limit(now time.Time) time.Duration {
	full := r.Service.Time()
	if r.Ready.IsZero() {
		return full
	}
	left := r.Ready.Add(full + lateStart).Sub(now).Truncate(time.Millisecond)
	return max(min(full, left), minLimit)
}

// over returns when the worker of a job has ended it at the latest.
func (r Running) over() time.Time { return r.StartedAt.Add(r.Limit + lease) }

// In returns the slot of the job.
func (r Running) In() Slot { return Slot{App: r.Scope.App, Plan: r.Plan, Number: r.Slot} }

// PendingJob is an accepted job that has not begun.
type PendingJob struct {
	Record
	Input Input
	// Ready is when it may begin: when it was accepted, or its run_at (D47).
	Ready time.Time
}

// GiveUp is how long after Ready an asynchronous job waits for a slot (D20).
const GiveUp = 5 * time.Minute

// PendingUntil returns the Lease of a pending job.
func PendingUntil(ready time.Time) time.Time { return ready.Add(GiveUp + lateWaiting) }

// RunAt returns when a delayed job that waits may begin (D47), zero for any other.
func (r Record) RunAt() time.Time {
	ready := r.Lease.Add(-GiveUp - lateWaiting)
	if r.Status != StatusWaiting || r.Lease.IsZero() || ready.Sub(r.CreatedAt()) < time.Second {
		return time.Time{}
	}
	return ready
}

// Input is what a run is given beside the function.
type Input struct {
	Data json.RawMessage `json:"data"` // any JSON value; nil is {}
	Meta Meta            `json:"meta"`
}

// Meta is what the event says of the request.
type Meta struct {
	IP         string `json:"ip,omitempty"`
	UserAgent  string `json:"user_agent,omitempty"`
	User       *User  `json:"user,omitempty"`
	EnvName    string `json:"env_name,omitempty"`    // of a test environment
	SchemaName string `json:"schema_name,omitempty"` // of the table whose trigger started the job
	TimeZone   string `json:"timezone,omitempty"`    // of the trigger that started the job; "" = TimeZone
	Depth      int    `json:"depth,omitempty"`       // of what started the job: its event's or the calling function's, 0 = a caller
	Root       id.ID  `json:"root,omitempty"`        // the job that the first of them is, 0 = this is the first
	// BaseURL is where the caller reached the platform, and the function can;
	// "" = BaaS calls are refused.
	BaseURL string `json:"base_url,omitempty"`
	// Trace is what the run belongs to, and what started it.
	Trace trace.Link `json:"trace,omitzero"`
	// Acted says that an administrator made the request in the name of User.
	Acted Acted `json:"acted,omitzero"`
}

// User is who made the request. Of an application's administrator nothing more than these two is known.
type User struct {
	ID       int64   `json:"id"`
	Nickname string  `json:"nickname"`
	Avatar   *string `json:"avatar_url,omitempty"`
	OpenID   *string `json:"openid,omitempty"`
	UnionID  *string `json:"unionid,omitempty"`
}

// Acted is an administrator who acts as a user; the zero value is nobody.
type Acted struct {
	By   string `json:"by"` // email
	User int64  `json:"user"`
}

// Message asks a worker to begin a pending job, to tell how one ended, or to sweep the open ones.
type Message struct {
	Scope    string `json:"scope,omitempty"` // as tenant.Scope.String
	Function id.ID  `json:"function,omitempty"`
	Job      id.ID  `json:"job,omitempty"`
	// Revision is that of the function when the job was accepted: the job runs
	// that or a later one. 0 = not known.
	Revision int64 `json:"revision,omitempty"`
	Sweep    bool  `json:"sweep,omitempty"`
	// Callback asks to tell how a job ended.
	Callback bool `json:"callback,omitempty"`
}
