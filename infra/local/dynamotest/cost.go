package dynamotest

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/capacity"
	"minicloud/infra/local/server"
)

// Cost counts read calls and their capacity units.
type Cost struct {
	Calls int
	Units float64 // read units
}

// Metered returns a copy of client that adds the cost of its reads to c.
func Metered(client *dynamodb.Client, c *Cost) *dynamodb.Client {
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.HTTPClient = &meter{next: o.HTTPClient, cost: c}
	})
}

type meter struct {
	next dynamodb.HTTPClient
	mu   sync.Mutex // reads may run concurrently
	cost *Cost
}

// Do implements dynamodb.HTTPClient.
func (m *meter) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	asked := capacity.Request(server.Operation(r), body)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(asked)), int64(len(asked))
	answer, err := m.next.Do(r)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(content))

	// The caller did not request the capacity and ignores it in the response.
	m.mu.Lock()
	defer m.mu.Unlock()
	units := 0.0
	for _, used := range capacity.Of(server.Operation(r), asked, content) {
		units += used.Read
	}
	if units > 0 {
		m.cost.Calls++
		m.cost.Units += units
	}
	return answer, err
}
