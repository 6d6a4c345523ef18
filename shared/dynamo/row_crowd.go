package dynamo

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/table"
)

const (
	// maxConflicts is how often a transaction that met others is tried again.
	maxConflicts = 12
	// crowdTime is for how long a process that met others stays off the first
	// copy of the counters.
	crowdTime = 10 * time.Second
)

// crowd says which copy of the counters to write. It is the first one until
// transactions meet there, which tables with few writers never see; their
// counters stay short to read.
type crowd struct {
	until atomic.Int64 // Unix milliseconds
	copy  atomic.Int32
}

func (c *crowd) copyNow() int {
	if time.Now().UnixMilli() >= c.until.Load() {
		return 0
	}
	return int(c.copy.Load())
}

// met moves to another copy: the conflict may have been about a counter.
func (c *crowd) met() {
	c.copy.Store(rand.Int32N(table.CountShards))
	c.until.Store(time.Now().Add(crowdTime).UnixMilli())
}

// pause waits a random time, longer after each conflict; false when ctx ends
// before.
func pause(ctx context.Context, conflicts int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(rand.N(4 * time.Millisecond << min(conflicts, 6))):
		return true
	}
}

// conflictsAreOurs keeps the client from trying again on the same copy.
func conflictsAreOurs(o *dynamodb.Options) {
	o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.Backoff = retry.BackoffDelayerFunc(backoff)
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			switch {
			case conflicted(err):
				return aws.FalseTernary
			case passing(err):
				return aws.TrueTernary
			}
			return aws.UnknownTernary
		})}, o.Retryables...)
	})
}
