package dynamotest

import (
	"errors"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/server"
	"minicloud/infra/local/unkind"
	"minicloud/shared/dynamo"
)

// Fault is a failure of one attempt of a DynamoDB call.
type Fault int

// The faults; the zero value means no fault.
const (
	Throttled Fault = iota + 1 // the table throttles the call
	Unsent                     // the connection breaks before the call arrives
	Unheard                    // the call is executed, but its response is lost
)

// Faulty returns a client of the same database that calls decide with the operation ("PutItem") of each attempt, one
// at a time, and injects the returned fault. It retries like the platform's client.
func Faulty(client *dynamodb.Client, decide func(operation string) Fault) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.Retryer = dynamo.Retryer(func(err error) bool { return dynamo.Conflicted(err) || dynamo.Passing(err) })
		o.HTTPClient = &faulty{decide: decide, next: o.HTTPClient}
	})
}

type faulty struct {
	deciding sync.Mutex
	decide   func(operation string) Fault
	next     dynamodb.HTTPClient
}

var errBroken = errors.New("the connection broke")

const throttled = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Rate exceeded"}`

// Do implements dynamodb.HTTPClient.
func (f *faulty) Do(r *http.Request) (*http.Response, error) {
	f.deciding.Lock()
	fault := f.decide(server.Operation(r))
	f.deciding.Unlock()
	switch fault {
	case Throttled:
		return unkind.Answer(r, http.StatusBadRequest, []byte(throttled)), nil
	case Unsent:
		return nil, errBroken
	case Unheard:
		// The request is executed and only its response is lost, as when a connection breaks late.
		answer, err := f.next.Do(r)
		if err == nil {
			answer.Body.Close()
		}
		return nil, errBroken
	}
	return f.next.Do(r)
}
