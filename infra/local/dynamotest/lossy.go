package dynamotest

import (
	"io"
	"net/http"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/capacity"
	"minicloud/infra/local/server"
	"minicloud/shared/dynamo"
)

// Lossy is an HTTP client that loses the response of the next write after Cut is set.
type Lossy struct {
	dynamodb.HTTPClient
	Cut  atomic.Bool
	Then func() // called before the write is retried
	Lost int    // number of lost responses
}

// Do implements dynamodb.HTTPClient.
func (l *Lossy) Do(r *http.Request) (*http.Response, error) {
	answer, err := l.HTTPClient.Do(r)
	// CompareAndSwap comes last: a read must not clear Cut.
	if err != nil || !capacity.Writes(server.Operation(r)) || !l.Cut.CompareAndSwap(true, false) {
		return answer, err
	}

	answer.Body.Close()
	l.Lost++
	if l.Then != nil {
		l.Then()
	}
	return nil, io.ErrUnexpectedEOF
}

// Over returns a client that retries like the programs and sends its requests through l.
func (l *Lossy) Over(client *dynamodb.Client) *dynamodb.Client {
	at := client.Options()
	as := dynamo.New(aws.Config{Region: at.Region, Credentials: at.Credentials, BaseEndpoint: at.BaseEndpoint}).Options()
	return dynamodb.New(as, func(o *dynamodb.Options) { l.HTTPClient, o.HTTPClient = o.HTTPClient, l })
}
