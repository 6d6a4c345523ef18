package job

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"minicloud/shared/id"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
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

// Statuses lists all states. The order is fixed: stores keep the index of a terminal state.
var Statuses = []Status{
	StatusWaiting, StatusExecuting, StatusFulfilled, StatusExecutionFailed,
	StatusDeadlineExceeded, StatusScheduleFailed, StatusExecutionRejected,
}

// Terminal reports whether the state is final.
func (s Status) Terminal() bool { return s != StatusWaiting && s != StatusExecuting }

// Source is the origin of a job; it is also the event's eventType (D17).
type Source string

// The sources of the contract, and the ones added by D22.
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

// Sources lists all sources. The order is fixed because stores keep the index; append new sources.
var Sources = []Source{
	SourceSDK, SourceOpenAPI, SourceCloudFunction, SourceFlexSchema, SourceChatPay, SourceTimer,
	SourceFileOperation, SourceAltPay, SourceTPay, SourceIncomingWebhook, SourceChatMessage,
}

// maxAsyncData returns the maximum size of the data of an asynchronous run, in bytes of JSON, and the kind of the run for
// the error.
func (s Source) maxAsyncData() (kind string, most int) {
	switch s {
	case SourceSDK, SourceOpenAPI, SourceCloudFunction:
		return " of an asynchronous run", MaxAsyncData
	}
	return " of a run that a trigger starts", MaxEventData
}

// DebugSubjects are the sources that a debug run may simulate (endpoint 2); the console may simulate any source.
var DebugSubjects = Sources[:7]

// ServiceType is the scheduling class of a job: time_sensitive for synchronous runs, batch for asynchronous ones (D21).
type ServiceType string

// The service types of the contract.
const (
	TimeSensitive ServiceType = "time_sensitive"
	Batch         ServiceType = "batch"
)

// ServiceTypes lists both service types. The order is fixed because stores keep the index.
var ServiceTypes = []ServiceType{TimeSensitive, Batch}

// Limits of runs (contract, Limits; D49).
const (
	SyncTime     = 5 * time.Second
	AsyncTime    = 300 * time.Second
	MaxSyncData  = 4 << 20 // bytes of JSON
	MaxAsyncData = 256 << 10
	MaxEventData = 390 << 10 // of a run that a trigger starts: a row has 350 KB, an item of the store 400 KB
	MaxDepth     = 8         // levels of functions that call functions, the first is 1
	// MaxDescendants is how many functions one root call may start, directly and indirectly (D52: the next one is
	// refused).
	MaxDescendants = 200
)

// Retention after the job's creation: 30 days for logs (D23), 180 for records (infra/decisions/0030).
const (
	KeepRecord = 180 * 24 * time.Hour
	KeepLog    = 30 * 24 * time.Hour
)

// Time returns the maximum wall time of a job of this type.
func (s ServiceType) Time() time.Duration {
	if s == Batch {
		return AsyncTime
	}
	return SyncTime
}

// Record is the record of a job.
type Record struct {
	ID       id.ID
	Function id.ID
	// Name is the function's name when the job was created; the function may have been renamed since.
	Name    string
	Status  Status
	Source  Source
	Service ServiceType
	Plan    sandbox.Plan
	// StartedAt and FinishedAt are zero before the event; milliseconds.
	StartedAt  time.Time
	FinishedAt time.Time
	// Slot is the slot of an executing job. Lease is the end of the lease of an open job; see Overdue.
	Slot      int
	Lease     time.Time
	MemUsage  int64   // peak bytes of the run's heap
	Execution float64 // milliseconds of user code
	Error     *sandbox.Error
	Log       runlog.Log
	Trace     trace.Link  // of the run, with its cause
	Callback  string      // the callback_url, "" = none
	Depth     int         // trigger depth of the callback's request, 0 = no callback
	Acted     event.Acted // the administrator who acted as a user, if any
	// Token is the write token of a request with an Idempotency-Key, "" without a key; Result is the value that main
	// returned. Stores write both but do not return them with the record.
	Token  string
	Result json.RawMessage
}

// Overdue reports whether an open job must be expired: its lease is over, so either the job waited too long or its
// worker died. A live worker would have ended the job or renewed the lease.
func (r Record) Overdue(now time.Time) bool {
	return !r.Status.Terminal() && !r.Lease.IsZero() && now.After(r.Lease)
}

// cancelled is the error message of a cancelled job.
const cancelled = "the job was cancelled"

// Cancelled reports whether the job was rejected by a call of Service.Cancel.
func (r Record) Cancelled() bool {
	return r.Status == StatusExecutionRejected && r.Error != nil && r.Error.Message == cancelled
}

// CreatedAt returns the creation time of the job, in milliseconds.
func (r Record) CreatedAt() time.Time { return r.ID.Time() }

// Billing returns the billed milliseconds: D21 rounds the execution time up to the next 100.
func (r Record) Billing() int64 {
	hundreds := int64(r.Execution / 100)
	if float64(hundreds)*100 < r.Execution {
		hundreds++
	}
	return hundreds * 100
}

// Wire returns an upper bound of the size of r in a list, in bytes: 1 KB, mostly for the signed log URL, plus the
// error, which can be long.
func (r Record) Wire() int {
	if r.Error == nil {
		return 1 << 10
	}
	return 1<<10 + page.Wire(r.Error.Message) + page.Wire(r.Error.Type)
}

// Cause returns the trace.Link.Cause for everything that the job writes and starts.
func (r Record) Cause() string { return fmt.Sprintf("%d/%d", r.Function, r.ID) }

// ParseCause parses the text of Cause; ok is false for any other text.
func ParseCause(text string) (function, job id.ID, ok bool) {
	n, err := fmt.Sscanf(text, "%d/%d", &function, &job)
	return function, job, err == nil && n == 2 && text == Record{Function: function, ID: job}.Cause()
}

// Slot is a concurrency slot for an executing job.
type Slot struct {
	App    tenant.AppID
	Plan   sandbox.Plan
	Number int // 0 ≤ Number < Slots(Plan)
}

// The maximum number of jobs of an application that execute concurrently, by plan (D20).
const (
	SlotsFree     = 100
	SlotsPersonal = 10
)

// Slots returns the maximum number of jobs of a plan that an application executes concurrently.
func Slots(p sandbox.Plan) int {
	if p == sandbox.PlanPersonal {
		return SlotsPersonal
	}
	return SlotsFree
}

// Running is a job in a slot.
type Running struct {
	Record
	Scope tenant.Scope

	// Ready is PendingJob.Ready, zero for a synchronous run. Limit is the maximum wall time of the function. Only the
	// worker uses them; they are not stored.
	Ready time.Time
	Limit time.Duration
}

// limit returns the maximum wall time of a job that begins now. A job that waited has less time: D19 requires it to be
// terminal 30 s after the time limit, counted from the moment it may run, however late it began.
func (r Running) limit(now time.Time) time.Duration {
	full := r.Service.Time()
	if r.Ready.IsZero() {
		return full
	}
	left := r.Ready.Add(full + lateStart).Sub(now).Truncate(time.Millisecond)
	return max(min(full, left), minLimit)
}

// over returns the latest time at which the worker ends the job.
func (r Running) over() time.Time { return r.StartedAt.Add(r.Limit + lease) }

// In returns the slot of the job.
func (r Running) In() Slot { return Slot{App: r.Scope.App, Plan: r.Plan, Number: r.Slot} }

// PendingJob is an accepted job that has not begun.
type PendingJob struct {
	Record
	Input event.Input
	// Ready is the earliest start: the time it was accepted, or its run_at (D47: delayed runs).
	Ready time.Time
}

// GiveUp is how long an asynchronous job waits for a slot after Ready (D20).
const GiveUp = 5 * time.Minute

// PendingUntil returns the Lease of a pending job.
func PendingUntil(ready time.Time) time.Time { return ready.Add(GiveUp + lateWaiting) }

// RunAt returns the earliest start of a waiting delayed job (D47), zero for any other job. It is not stored but derived
// from the lease of the pending job, which is a fixed time later.
func (r Record) RunAt() time.Time {
	ready := r.Lease.Add(-GiveUp - lateWaiting)
	if r.Status != StatusWaiting || r.Lease.IsZero() || ready.Sub(r.CreatedAt()) < time.Second {
		return time.Time{}
	}
	return ready
}

// Message tells a worker to begin a pending job, to deliver the callback of an ended job, or to sweep open jobs.
type Message struct {
	Scope    string `json:"scope,omitempty"` // as tenant.Scope.String
	Function id.ID  `json:"function,omitempty"`
	Job      id.ID  `json:"job,omitempty"`
	// Revision is the function's revision when the job was accepted: the job runs that revision or a later one. 0 =
	// unknown.
	Revision int64 `json:"revision,omitempty"`
	Sweep    bool  `json:"sweep,omitempty"`
	// Callback makes the message deliver the callback of Job.
	Callback bool `json:"callback,omitempty"`
}

// Group returns the fairness key of the message: its application. Sweeps are of no application.
func (m Message) Group() string { return cmp.Or(tenant.FairnessKey(m.Scope), "platform") }
