// Package capacity computes the request units that DynamoDB requests consumed, from the requests and their responses.
// A read unit is a strongly consistent read of up to 4 KB, and an eventually consistent read costs half. A write unit
// is a write of up to 1 KB, of the larger of the old and the new item. Transactions cost double.
//
// The figures come from the local engine, which counts by the published rules; a test of infra/local/ddb compares it
// with them item by item.
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
	Read, Write float64 // units; an eventually consistent read counts halves
}

// Writes reports whether an operation writes items.
func Writes(operation string) bool { return writes[operation] }

// writes lists the operations that consume units; the value is true for write units.
var writes = map[string]bool{
	"GetItem": false, "BatchGetItem": false, "Query": false, "Scan": false, "TransactGetItems": false,
	"PutItem": true, "UpdateItem": true, "DeleteItem": true, "BatchWriteItem": true, "TransactWriteItems": true,
}

// Request adds ReturnConsumedCapacity to the body of a request. It returns the body unchanged if the body already has
// it or if the operation consumes no capacity.
func Request(operation string, body []byte) []byte {
	if _, known := writes[operation]; !known || bytes.Contains(body, []byte(`"ReturnConsumedCapacity":`)) {
		return body
	}
	fields, ok := bytes.CutPrefix(body, []byte("{"))
	if !ok {
		return body // not a JSON object; the engine reports the error
	}
	return slices.Concat([]byte(`{"ReturnConsumedCapacity":"TOTAL",`), fields)
}

// consumed is one entry of ConsumedCapacity. Only transactions report reads and writes separately: repeating a
// transaction with the same token consumes reads.
type consumed struct {
	TableName          string
	CapacityUnits      float64
	ReadCapacityUnits  float64
	WriteCapacityUnits float64
}

// Of returns the capacity that an operation consumed, read from its response. Errors report no capacity, so a write
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

// refused returns the least that a write refused by a condition costs. DynamoDB charges the size of the existing item,
// at least 1 KB; a cancelled transaction is charged double for each of its items. Other errors cost nothing.
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
