package dynamo

import (
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Attempts counts how many times the client sends a call. Count is an option of the call.
type Attempts struct {
	dynamodb.HTTPClient
	Times int
}

// Do implements dynamodb.HTTPClient.
func (c *Attempts) Do(r *http.Request) (*http.Response, error) {
	c.Times++
	return c.HTTPClient.Do(r)
}

// Count sends the call through c.
func (c *Attempts) Count(o *dynamodb.Options) { c.HTTPClient, o.HTTPClient = o.HTTPClient, c }
