// Package stats counts the requests of the programs to the local cloud: DynamoDB operations, queue operations,
// invocations. Cost benchmarks read the counters at GET /_local/stats.
package stats

import (
	"maps"
	"sync"
	"time"

	"minicloud/infra/local/unkind"
)

// Counters are counters by group ("dynamodb", "sqs", "invoke" …) and name. The zero value is ready to use; methods may
// be called concurrently.
type Counters struct {
	mu     sync.Mutex
	groups map[string]map[string]int64
	since  time.Time
}

// New returns counters whose Since is the current time.
func New() *Counters { return &Counters{since: time.Now()} }

// Add adds one to a counter.
func (c *Counters) Add(group, name string) { c.AddN(group, name, 1) }

// AddN adds n to a counter.
func (c *Counters) AddN(group, name string, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.groups == nil {
		c.groups = map[string]map[string]int64{}
	}
	if c.groups[group] == nil {
		c.groups[group] = map[string]int64{}
	}
	c.groups[group][name] += n
}

// AddUnits adds read and write units to the counters of a name.
func (c *Counters) AddUnits(name string, read, write float64) {
	for group, units := range map[string]float64{"read": read, "write": write} {
		if units > 0 {
			c.AddN(group, name, int64(units*2)) // counters hold half units: eventually consistent reads cost half
		}
	}
}

// Snapshot is a copy of the counters, as GET /_local/stats returns it. Empty groups are present.
type Snapshot struct {
	Since    time.Time        `json:"since"`
	DynamoDB map[string]int64 `json:"dynamodb"` // by operation: GetItem, Query …
	SQS      map[string]int64 `json:"sqs"`      // by operation: SendMessage …
	Events   map[string]int64 `json:"events"`   // by operation of the event bus: PutEvents
	KMS      map[string]int64 `json:"kms"`      // by operation: Decrypt …
	S3       map[string]int64 `json:"s3"`       // by operation: PutObject …
	Outbox   map[string]int64 `json:"outbox"`   // SendEmail, Publish
	Invoke   map[string]int64 `json:"invoke"`   // by function, for every kind of invocation
	Starts   map[string]int64 `json:"starts"`   // cold starts by function
	Init     map[string]int64 `json:"init"`     // microseconds by function, from the start of a process to its first "next"
	Logged   map[string]int64 `json:"logged"`   // bytes of log lines by function
	HTTP     map[string]int64 `json:"http"`     // requests of the HTTP API by route
	Billed   map[string]int64 `json:"billed"`   // milliseconds by function, rounded up for each invocation
	// RecursiveInvocationsDropped are those of chains that Lambda stopped, by function.
	RecursiveInvocationsDropped map[string]int64 `json:"recursive_invocations_dropped"`

	// Unkind counts how often each kind of unkindness struck that is on; absent if none is. The cloud adds it.
	Unkind map[unkind.Kind]int `json:"unkind,omitempty"`

	// Asked counts DynamoDB operations by function, "TableFunction Query". ReadUnits and WriteUnits count request
	// units by function, table and operation, "TableFunction RowsTable Query". All three are empty unless
	// Config.CountUnits of the cloud is set.
	Asked      map[string]int64   `json:"asked"`
	ReadUnits  map[string]float64 `json:"read_units"`
	WriteUnits map[string]float64 `json:"write_units"`
}

// Snapshot returns a copy of the counters.
func (c *Counters) Snapshot() Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	// An empty group is {} in JSON, not null.
	group := func(name string) map[string]int64 {
		out := map[string]int64{}
		maps.Copy(out, c.groups[name])
		return out
	}
	units := func(name string) map[string]float64 {
		out := map[string]float64{}
		for key, halves := range group(name) {
			out[key] = float64(halves) / 2
		}
		return out
	}
	return Snapshot{
		Since: c.since, DynamoDB: group("dynamodb"), SQS: group("sqs"), Events: group("events"), KMS: group("kms"),
		S3:     group("s3"),
		Outbox: group("outbox"), RecursiveInvocationsDropped: group("recursive"),
		Invoke: group("invoke"), Starts: group("starts"), HTTP: group("http"),
		Init: group("init"), Logged: group("logged"),
		Billed: group("billed"), Asked: group("asked"), ReadUnits: units("read"), WriteUnits: units("write"),
	}
}

// Reset sets all counters to zero.
func (c *Counters) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups = nil
	c.since = time.Now()
}
