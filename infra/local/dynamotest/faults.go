package dynamotest

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
)

// Fault is a failure of one call of DynamoDB.
type Fault int

// The faults; the zero value is none.
const (
	Throttled Fault = iota + 1 // refused, as the table has had enough
	Unsent                     // the connection breaks before the call arrives
	Unheard                    // the call is done, and its answer gets lost
)

// Faulty returns a client of the same database whose calls, each try of them, have the faults that decide says for an
// operation ("PutItem"). It tries again as the platform's own client does.
func Faulty(client *dynamodb.Client, decide func(operation string) Fault) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.Retryer = dynamo.Retryer(func(err error) bool { return dynamo.Conflicted(err) || dynamo.Passing(err) })
		o.HTTPClient = &faulty{decide, o.HTTPClient}
	})
}

type faulty struct {
	decide func(operation string) Fault
	next   dynamodb.HTTPClient
}

var errBroken = errors.New("the connection broke")

const throttled = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Rate exceeded"}`

// Do implements dynamodb.HTTPClient.
func (f *faulty) Do(r *http.Request) (*http.Response, error) {
	switch f.decide(operationOf(r)) {
	case Throttled:
		return &http.Response{
			StatusCode: http.StatusBadRequest, Body: io.NopCloser(strings.NewReader(throttled)), Request: r,
			Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		}, nil
	case Unsent:
		return nil, errBroken
	case Unheard:
		// The request is executed and only its answer is lost, as when a connection breaks late.
		answer, err := f.next.Do(r)
		if err == nil {
			answer.Body.Close()
		}
		return nil, errBroken
	}
	return f.next.Do(r)
}

// operationOf returns the operation of a request: "PutItem".
func operationOf(r *http.Request) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation
}
