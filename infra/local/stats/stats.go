// Package stats counts what the programs ask of the local cloud: DynamoDB
// operations, queue operations, invocations. Cost benchmarks read it at
// GET /_local/stats.
package stats

import (
	"maps"
	"sync"
	"time"
)

// Counters counts per group ("dynamodb", "sqs", "invoke" …) and name. Its zero
// value is ready; all methods may be called at the same time.
type Counters struct {
	mu     sync.Mutex
	groups map[string]map[string]int64
	since  time.Time
}

// New returns counters that count from now.
func New() *Counters { return &Counters{since: time.Now()} }

// Add counts one.
func (c *Counters) Add(group, name string) { c.AddN(group, name, 1) }

// AddN counts n.
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

// AddUnits counts read and write units under a name.
func (c *Counters) AddUnits(name string, read, write float64) {
	for group, units := range map[string]float64{"read": read, "write": write} {
		if units > 0 {
			c.AddN(group, name, int64(units*2)) // eventual reads come in halves
		}
	}
}

// Snapshot is what was counted, as GET /_local/stats answers it. Groups in
// which nothing was counted are there and empty.
type Snapshot struct {
	Since    time.Time        `json:"since"`
	DynamoDB map[string]int64 `json:"dynamodb"` // by operation: GetItem, Query …
	SQS      map[string]int64 `json:"sqs"`      // by operation: SendMessage …
	Events   map[string]int64 `json:"events"`   // by operation of the event bus: PutEvents
	KMS      map[string]int64 `json:"kms"`      // by operation: Decrypt …
	Outbox   map[string]int64 `json:"outbox"`   // SendEmail, Publish
	Invoke   map[string]int64 `json:"invoke"`   // by function, however it was started
	Starts   map[string]int64 `json:"starts"`   // cold starts by function
	HTTP     map[string]int64 `json:"http"`     // requests of the HTTP API by route
	Billed   map[string]int64 `json:"billed"`   // milliseconds by function, those of each invocation rounded up

	// DynamoDB operations by function, "TableFunction Query", and request units by
	// function, table and operation, "TableFunction RowsTable Query". Empty unless
	// the cloud counts units.
	Asked      map[string]int64   `json:"asked"`
	ReadUnits  map[string]float64 `json:"read_units"`
	WriteUnits map[string]float64 `json:"write_units"`
}

// Snapshot returns the counts.
func (c *Counters) Snapshot() Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	// A group in which nothing was counted is {} in JSON, not null.
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
		Outbox: group("outbox"),
		Invoke: group("invoke"), Starts: group("starts"), HTTP: group("http"),
		Billed: group("billed"), Asked: group("asked"), ReadUnits: units("read"), WriteUnits: units("write"),
	}
}

// Reset begins to count from zero.
func (c *Counters) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.groups = nil
	c.since = time.Now()
}
