// Package memdb is a DynamoDB in memory, for the simulation: the operations and expressions that this project uses,
// spoken over the protocol, so that the real client can be used with it. It is a test's tool and no second store:
// TestAgainstTheEngine compares it with the real engine, operation by operation.
//
//	db := memdb.New(clock, "RowsTable", "JobsTable*")      // * = with a stream
//	client := dynamodb.New(dynamodb.Options{HTTPClient: db, …})
//
// Every table has the keys pk and sk, both texts. Reads are consistent. Operations happen one after the other.
package memdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"minicloud/shared/clock"
)

// DB is the database. A DynamoDB client uses it as its HTTP client.
type DB struct {
	clock clock.Clock

	mu     sync.Mutex
	tables map[string]*table
	tokens map[string]token // of transactions
}

// token is a committed transaction, kept to recognise its retries.
type token struct {
	request string
	at      time.Time
}

// tokenLife is the time for which DynamoDB recognises a transaction's token.
const tokenLife = 10 * time.Minute

// New returns a database with these tables; a "*" behind a name gives the table a stream.
func New(c clock.Clock, tables ...string) *DB {
	db := &DB{clock: c, tables: map[string]*table{}, tokens: map[string]token{}}
	for _, name := range tables {
		plain := strings.TrimSuffix(name, "*")
		db.tables[plain] = &table{name: plain, partitions: map[string][]Item{}, streams: plain != name}
	}
	return db
}

// Stream returns the records of a table's stream from a place on.
func (db *DB) Stream(table string, from int) []Record {
	db.mu.Lock()
	defer db.mu.Unlock()
	records := db.tables[table].records
	return records[min(from, len(records)):]
}

// Get returns an item of a table, nil if there is none.
func (db *DB) Get(table, pk, sk string) Item {
	db.mu.Lock()
	defer db.mu.Unlock()
	if t := db.tables[table]; t != nil {
		return t.get(pk, sk)
	}
	return nil
}

// Items returns all items of a table, in the order of their keys.
func (db *DB) Items(table string) []Item {
	db.mu.Lock()
	defer db.mu.Unlock()
	t := db.tables[table]
	var all []Item
	for _, pk := range t.names {
		all = append(all, t.partitions[pk]...)
	}
	return all
}

// failure is an error as the protocol has it.
type failure struct {
	kind    string
	message string
	extra   map[string]any
}

// Error implements error.
func (f *failure) Error() string { return f.kind + ": " + f.message }

func invalid(format string, args ...any) error {
	return &failure{kind: "ValidationException", message: fmt.Sprintf(format, args...)}
}

// Do implements dynamodb.HTTPClient.
func (db *DB) Do(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}

	// The SDK names the operation only in this header, "DynamoDB_20120810.GetItem".
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	status, answer := db.Answer(operation, body)
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(string(answer))), ContentLength: int64(len(answer)),
	}, nil
}

// Answer makes one operation and answers as the protocol does.
func (db *DB) Answer(operation string, body []byte) (status int, answer []byte) {
	answer, err := db.call(operation, body)
	if err == nil {
		return http.StatusOK, answer
	}

	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{kind: "InternalServerError", message: err.Error()}
	}
	members := map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + f.kind, "message": f.message}
	maps.Copy(members, f.extra)
	answer, _ = json.Marshal(members) // what was read as JSON can be written
	return http.StatusBadRequest, answer
}

// operations by their names in the protocol.
var operations = map[string]func(*DB, request) (any, error){
	"GetItem":            (*DB).getItem,
	"PutItem":            (*DB).putItem,
	"UpdateItem":         (*DB).updateItem,
	"DeleteItem":         (*DB).deleteItem,
	"Query":              (*DB).query,
	"Scan":               (*DB).scan,
	"BatchGetItem":       (*DB).batchGet,
	"BatchWriteItem":     (*DB).batchWrite,
	"TransactWriteItems": (*DB).transactWrite,
}

func (db *DB) call(operation string, body []byte) ([]byte, error) {
	do, ok := operations[operation]
	if !ok {
		return nil, &failure{kind: "UnknownOperationException", message: operation}
	}
	var in request
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, &failure{kind: "SerializationException", message: err.Error()}
	}

	db.mu.Lock()
	defer db.mu.Unlock()
	// A transaction with a known token is compared with the whole earlier request.
	in.raw = string(body)
	answer, err := do(db, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer)
}

func (db *DB) table(name string) (*table, error) {
	if t := db.tables[name]; t != nil {
		return t, nil
	}
	return nil, &failure{kind: "ResourceNotFoundException", message: "Requested resource not found: Table: " + name}
}
