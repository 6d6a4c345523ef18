// Package jobdb implements job.Store on DynamoDB.
package jobdb

import (
	"context"
	"sync"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
	"minicloud/shared/trace"
)

// Store implements job.Store, callback.Store, callback.KeyStore and runlog.KeyStore:
//
//	pk = <scope>#job#<function>     sk = waiting#<id>       a pending job
//	                                sk = ended#<id>         an ended job, with any status
//	                                sk = <status>#<id>      a copy of a job that was not fulfilled, without its log
//	pk = <app>#slots                sk = <plan>#<nnn>       a slot, only while a job is in it
//	pk = <scope>#input#<function>   sk = <id>               an input too large for the pending job; for a day
//	pk = <scope>#log#<function>     sk = <id>#<nn>          a log too large for its record
//	pk = <scope>#descendants#<job>  sk = count              number of functions that a root call started
//	pk = <scope>#token#<token>      sk = job                the job of a request with an Idempotency-Key, and its result
//	pk = <scope>#callback#<function> sk = <id>              the callback of a job, and the outcome of its attempts
//	pk = <scope>#callback           sk = key                the sealed key that signs callbacks
//	pk = active                     sk = <scope>#<function> functions whose jobs the sweep checks
//	pk = due                        sk = <run_at>#<scope>#<function>#<id>[#callback]
//	pk = platform                   sk = link-key#<period>  the sealed key that signs log URLs of a period
//
// The record of an ended job never changes. The table's stream reports the creation and expiry of these records, from
// which they are counted (Change); no other item of this table is counted. Lists by status use the copies: such lists
// are usually short and must show a failure at once, but counters lag.
type Store struct {
	Client *dynamo.Client
	Table  string
	// Counts reads the counters of ended jobs, for lists.
	Counts count.Reader

	long   sync.Map // set of count.Collection: functions whose lists were found to be long
	shards dynamo.Shards
}

const (
	inlineInput = 2 << 10 // maximum bytes of JSON in a pending job's item
	inlineLog   = 2 << 10 // maximum stored bytes in a record's item
	maxMessage  = 8 << 10 // bytes kept of an error's message
	maxStack    = 16 << 10
	day         = 24 * time.Hour
	keepInput   = day // how long a large input is kept after its job may begin
)

// The first part of a job's sort key.
const (
	pendingPlace = "waiting"
	endedPlace   = "ended"
)

func jobsKey(scope tenant.Scope, fn id.ID) string  { return scope.String() + "#job#" + fn.Key() }
func inputKey(scope tenant.Scope, fn id.ID) string { return scope.String() + "#input#" + fn.Key() }
func logKey(scope tenant.Scope, fn id.ID) string   { return scope.String() + "#log#" + fn.Key() }
func placeKey(place string, jobID id.ID) string    { return place + "#" + jobID.Key() }
func recordExpiry(created time.Time) time.Time {
	return created.Truncate(day).Add(job.KeepRecord + day)
}
func oldest(now time.Time) time.Time { return now.Add(-job.KeepRecord).Truncate(day) }

// jobItem is the stored form of a job in any place, with the attributes that the place needs.
type jobItem struct {
	PK       string          `dynamodbav:"pk"`
	SK       string          `dynamodbav:"sk"`
	ID       id.ID           `dynamodbav:"id"`
	Function id.ID           `dynamodbav:"function"`
	Name     string          `dynamodbav:"name"`
	Status   job.Status      `dynamodbav:"status"`
	Source   job.Source      `dynamodbav:"source"`
	Service  job.ServiceType `dynamodbav:"service"`
	Plan     sandbox.Plan    `dynamodbav:"plan"`
	Started  time.Time       `dynamodbav:"started,omitempty"`
	Finished time.Time       `dynamodbav:"finished,omitempty"`
	Trace    string          `dynamodbav:"trace,omitempty"`    // trace.Link as text
	Callback string          `dynamodbav:"callback,omitempty"` // URL
	Depth    int             `dynamodbav:"depth,omitempty"`
	ActedBy  string          `dynamodbav:"acted_by,omitempty"` // event.Acted
	ActedAs  int64           `dynamodbav:"acted_as,omitempty"`
	Claim    string          `dynamodbav:"claim,omitempty"` // identifies the write for its repetition

	Scope string    `dynamodbav:"scope,omitempty"` // set in a slot
	Slot  int       `dynamodbav:"slot,omitempty"`
	Lease time.Time `dynamodbav:"lease,omitempty"`

	Ready time.Time `dynamodbav:"ready,omitempty"` // set while pending
	Input []byte    `dynamodbav:"input,omitempty"` // JSON
	Apart bool      `dynamodbav:"apart,omitempty"` // the input is in a separate item

	Mem       int64     `dynamodbav:"mem,omitempty"` // set once ended
	Execution float64   `dynamodbav:"execution,omitempty"`
	Message   string    `dynamodbav:"message,omitempty"`
	Type      string    `dynamodbav:"type,omitempty"`
	Stack     string    `dynamodbav:"stack,omitempty"`
	Log       []byte    `dynamodbav:"log,omitempty"` // runlog.Log.Stored
	LogBytes  int       `dynamodbav:"log_bytes,omitempty"`
	LogChunks int       `dynamodbav:"log_chunks,omitempty"`
	Expires   time.Time `dynamodbav:"expires_at,omitempty,unixtime"`
}

func encodeJob(pk, sk string, r job.Record) jobItem {
	it := jobItem{
		PK: pk, SK: sk, ID: r.ID, Function: r.Function, Name: r.Name, Status: r.Status, Source: r.Source, Service: r.Service,
		Plan: r.Plan, Started: r.StartedAt, Finished: r.FinishedAt, Mem: r.MemUsage, Execution: r.Execution,
		Trace: r.Trace.String(), Callback: r.Callback, Depth: r.Depth, ActedBy: r.Acted.By, ActedAs: r.Acted.User,
	}
	if r.Error != nil {
		it.Message, it.Type = clip.Bytes(r.Error.Message, maxMessage), clip.Bytes(r.Error.Type, maxMessage)
		it.Stack = clip.Bytes(r.Error.Stack, maxStack)
	}
	return it
}

func (it jobItem) record() job.Record {
	r := job.Record{
		ID: it.ID, Function: it.Function, Name: it.Name, Status: it.Status, Source: it.Source, Service: it.Service,
		Plan: it.Plan, StartedAt: it.Started, FinishedAt: it.Finished, Slot: it.Slot, Lease: it.Lease, MemUsage: it.Mem,
		Execution: it.Execution, Log: runlog.Log{Stored: it.Log, Bytes: it.LogBytes}, Trace: trace.Parse(it.Trace),
		Callback: it.Callback, Depth: it.Depth, Acted: event.Acted{By: it.ActedBy, User: it.ActedAs},
	}
	if !it.Ready.IsZero() {
		r.Lease = job.PendingUntil(it.Ready)
	}
	if it.Type != "" {
		r.Error = &sandbox.Error{Message: it.Message, Type: it.Type, Stack: it.Stack}
	}
	return r
}

func (s *Store) get(ctx context.Context, pk, sk string) (dynamo.Item, error) {
	return dynamo.Find(ctx, s.Client, s.Table, pk, sk, noJob())
}

func noJob() error { return errs.NotFound("this job does not exist") }

// putJob puts an item on the condition that it does not exist, or that this same write has put it before.
func (s *Store) putJob(it jobItem) dynamo.Part {
	av := dynamo.Encode(it.PK, it.SK, it)
	if it.Claim == "" {
		return dynamo.Put(s.Table, av, dynamo.NotExists, nil)
	}
	return dynamo.Put(s.Table, av, dynamo.NotExists+" OR claim = :claim",
		dynamo.Item{":claim": dynamo.Text(it.Claim)})
}
