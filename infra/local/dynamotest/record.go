package dynamotest

import (
	"context"
	"sync"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// Recorder is a client that records the names of its operations.
type Recorder struct {
	*dynamodb.Client
	mu         sync.Mutex
	operations []string
}

// Record returns a client of the same database that records the name of each operation.
func Record(client *dynamodb.Client) *Recorder {
	r := &Recorder{}
	r.Client = intercept(client, "note", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		// The code under test may call from several goroutines.
		r.mu.Lock()
		r.operations = append(r.operations, awsmiddleware.GetOperationName(ctx))
		r.mu.Unlock()
		return next.HandleInitialize(ctx, in)
	})
	return r
}

// Take returns the operations since the last Take.
func (r *Recorder) Take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.operations
	r.operations = nil
	return got
}
