// Package capacity reads out of requests to DynamoDB and its answers what they
// cost in request units. A read unit is a consistent read of up to 4 KB, an
// eventual one is half; a write unit is a write of up to 1 KB, of the larger of the
// old and the new item; in transactions both count twice.
//
// The local engine counts by the published rules, as a test of infra/local/ddb
// proves item by item, so it is asked and believed.
package capacity

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Used is the capacity that one operation consumed in one table.
type Used struct {
	Table       string
	Read, Write float64 // units; eventual reads come in halves
}

// writes are the operations that use units, and whether these are write units.
var writes = map[string]bool{
	"GetItem": false, "BatchGetItem": false, "Query": false, "Scan": false, "TransactGetItems": false,
	"PutItem": true, "UpdateItem": true, "DeleteItem": true, "BatchWriteItem": true, "TransactWriteItems": true,
}

// Request adds ReturnConsumedCapacity to the body of a request. A body that has it already
// stays as it is, and so does the body of an operation that consumes nothing.
func Request(operation string, body []byte) []byte {
	if _, known := writes[operation]; !known || bytes.Contains(body, []byte(`"ReturnConsumedCapacity":`)) {
		return body
	}
	fields, ok := bytes.CutPrefix(body, []byte("{"))
	if !ok {
		return body // not ours to mend
	}
	return slices.Concat([]byte(`{"ReturnConsumedCapacity":"TOTAL",`), fields)
}

// consumed is one entry of an answer. Only transactions separate reads from writes: a transaction repeated under its
// token consumes reads.
type consumed struct {
	TableName          string
	CapacityUnits      float64
	ReadCapacityUnits  float64
	WriteCapacityUnits float64
}

// Of returns the capacity consumed by an operation, read from its answer. An error has no capacity, so a write
// refused by its condition counts as the least it can cost.
func Of(operation string, request, answer []byte) []Used {
	isWrite, known := writes[operation]
	if !known {
		return nil
	}
	var about struct {
		Type             string          `json:"__type"`
		ConsumedCapacity json.RawMessage // an object, or a list of them
	}
	if json.Unmarshal(answer, &about) != nil {
		return nil
	}
	if about.Type != "" {
		return refused(about.Type, request)
	}

	var all []consumed
	if json.Unmarshal(about.ConsumedCapacity, &all) != nil {
		all = make([]consumed, 1)
		if json.Unmarshal(about.ConsumedCapacity, &all[0]) != nil {
			return nil
		}
	}
	var out []Used
	for _, c := range all {
		used := Used{Table: c.TableName, Read: c.ReadCapacityUnits, Write: c.WriteCapacityUnits}
		switch {
		case used.Read+used.Write > 0:
		case isWrite:
			used.Write = c.CapacityUnits
		default:
			used.Read = c.CapacityUnits
		}
		out = append(out, used)
	}
	return out
}

// refused is the least that a write cost which failed on a condition: DynamoDB
// takes the size of the item that is there, at least 1 KB, and of a cancelled
// transaction that of every item in it, twice. Any other error costs nothing.
func refused(kind string, request []byte) []Used {
	type target struct{ TableName string }
	var about struct {
		target
		TransactItems []map[string]target // by action: Put, Update, Delete, ConditionCheck
	}
	if json.Unmarshal(request, &about) != nil {
		return nil
	}

	units := map[string]float64{}
	switch _, name, _ := bytes.Cut([]byte(kind), []byte("#")); string(name) {
	case "ConditionalCheckFailedException":
		units[about.TableName]++
	case "TransactionCanceledException":
		for _, item := range about.TransactItems {
			for _, on := range item {
				units[on.TableName] += 2
			}
		}
	}
	var out []Used
	for _, table := range slices.Sorted(maps.Keys(units)) {
		out = append(out, Used{Table: table, Write: units[table]})
	}
	return out
}
