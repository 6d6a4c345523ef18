package memdb

import (
	"encoding/json"
	"errors"
	"strings"
)

// json0 is a part of a batch, read by the operation.
type json0 = json.RawMessage

// transactItem is one part of a transaction.
type transactItem struct{ Put, Update, Delete, ConditionCheck *write }

// maxTransaction limits the parts of a transaction, maxTransactionBytes their total size.
const (
	maxTransaction      = 100
	maxTransactionBytes = 4 << 20
)

func (db *DB) planPart(part transactItem) (change, error) {
	switch {
	case part.Put != nil:
		return db.planPut(*part.Put)
	case part.Update != nil:
		return db.planUpdate(*part.Update)
	case part.Delete != nil:
		return db.planDelete(*part.Delete)
	case part.ConditionCheck != nil:
		return db.planCheck(*part.ConditionCheck)
	}
	return change{}, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
}

// transactWrite makes all writes or none. A transaction with a known token was committed before and is not repeated.
func (db *DB) transactWrite(in request) (any, error) {
	now := db.clock.Now()
	if known, ok := db.tokens[in.ClientRequestToken]; ok && in.ClientRequestToken != "" && now.Sub(known.at) < tokenLife {
		if known.request != in.raw {
			return nil, &failure{kind: "IdempotentParameterMismatchException", message: "another request had this token"}
		}
		return map[string]any{}, nil
	}
	if n := len(in.TransactItems); n == 0 || n > maxTransaction {
		return nil, invalid("Member must have length less than or equal to 100, and greater than or equal to 1")
	}

	// All conditions are evaluated before the first write, or a refused transaction would leave a part.
	changes, err := db.planAll(in.TransactItems)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		db.do(c)
	}
	if in.ClientRequestToken != "" {
		db.tokens[in.ClientRequestToken] = token{in.raw, now}
	}
	return map[string]any{}, nil
}

// planAll plans all parts. Failed conditions and items that get too large cancel the transaction with a reason for
// each part; an invalid request is an error of its own.
func (db *DB) planAll(parts []transactItem) ([]change, error) {
	changes := make([]change, 0, len(parts))
	reasons := make([]map[string]any, len(parts))
	cancelled, bytes := false, 0
	for i, part := range parts {
		c, err := db.planPart(part)
		reasons[i] = map[string]any{"Code": "None"}
		var f *failure
		switch {
		case err == nil:
		case errors.As(err, &f) && f.kind == "ConditionalCheckFailedException":
			cancelled = true
			reasons[i] = map[string]any{"Code": "ConditionalCheckFailed", "Message": f.message}
			if f.extra["Item"] != nil {
				reasons[i]["Item"] = f.extra["Item"]
			}
		case c.table != nil && errors.As(err, &f): // what only the stored item showed
			cancelled = true
			reasons[i] = map[string]any{"Code": "ValidationError", "Message": f.message}
		default:
			return nil, err
		}
		if c.isAmong(changes) {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		bytes += sizeOf(c.now)
		changes = append(changes, c)
	}

	switch {
	case cancelled:
		return nil, &failure{
			kind:    "TransactionCanceledException",
			message: "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes(reasons) + "]",
			extra:   map[string]any{"CancellationReasons": reasons},
		}
	case bytes > maxTransactionBytes:
		return nil, invalid("Transaction request exceeds the maximum size")
	}
	return changes, nil
}

// codes are the codes of all reasons, as the message of a cancelled transaction lists them.
func codes(reasons []map[string]any) string {
	all := make([]string, len(reasons))
	for i, r := range reasons {
		all[i] = r["Code"].(string)
	}
	return strings.Join(all, ", ")
}

const (
	maxBatchGet   = 100
	maxBatchWrite = 25
	maxBatchBytes = 16 << 20 // of the items that one BatchGetItem reads
)

func (db *DB) batchGet(in request) (any, error) {
	found, n, size := map[string]any{}, 0, 0
	left := map[string]any{}
	for name, part := range in.RequestItems {
		var asked struct {
			Keys                     []Item
			ProjectionExpression     string
			ExpressionAttributeNames map[string]any
		}
		if err := json.Unmarshal(part, &asked); err != nil {
			return nil, err
		}
		if n += len(asked.Keys); n > maxBatchGet {
			return nil, invalid("Too many items requested for the BatchGetItem call")
		}

		items, seen := []Item{}, map[string]bool{}
		for i, key := range asked.Keys {
			pk, sk, err := keyOf(key)
			if err != nil {
				return nil, err
			}
			// DynamoDB refuses duplicate keys instead of answering them twice.
			if seen[pk+"\x00"+sk] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[pk+"\x00"+sk] = true
			item, err := db.read(name, key, asked.ProjectionExpression, asked.ExpressionAttributeNames)
			if err != nil {
				return nil, err
			}
			if item == nil {
				continue
			}
			// Items that do not fit into an answer are left to the caller, also where a projection makes the answer
			// short.
			if size += sizeOf(db.tables[name].get(pk, sk)); size > maxBatchBytes {
				var rest map[string]any
				_ = json.Unmarshal(part, &rest) // it was read above
				rest["Keys"] = asked.Keys[i:]
				left[name] = rest
				break
			}
			items = append(items, item)
		}
		found[name] = items
	}
	return map[string]any{"Responses": found, "UnprocessedKeys": left}, nil
}

func (db *DB) batchWrite(in request) (any, error) {
	var changes []change
	for name, part := range in.RequestItems {
		var asked []struct{ PutRequest, DeleteRequest *write }
		if err := json.Unmarshal(part, &asked); err != nil {
			return nil, err
		}
		for _, w := range asked {
			c, err := db.planBatched(name, w.PutRequest, w.DeleteRequest)
			if err != nil {
				return nil, err
			}
			if c.isAmong(changes) {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 || len(changes) > maxBatchWrite {
		return nil, invalid("Too many items requested for the BatchWriteItem call")
	}

	// Planned first and written last: an invalid entry refuses the whole batch.
	for _, c := range changes {
		db.do(c)
	}
	return map[string]any{"UnprocessedItems": map[string]any{}}, nil
}

func (db *DB) planBatched(name string, put, remove *write) (change, error) {
	switch {
	case put != nil:
		put.TableName = name
		return db.planPut(*put)
	case remove != nil:
		remove.TableName = name
		return db.planDelete(*remove)
	}
	return change{}, invalid("Supplied WriteRequest is empty")
}
