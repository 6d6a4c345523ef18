// Package dynamo is what every store on DynamoDB is made of: the client with its retries, items, queries and batches.
// The stores are in the packages below it, one for each aggregate. A store translates and remembers; what its methods
// promise is documented on the domain's Store interface.
//
// Every table has a string partition key "pk", a string sort key "sk" and the TTL attribute "expires_at" (Unix seconds).
// DynamoDB sweeps expired items late, so stores and services compare with the clock when they read.
package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// How often and how patiently a call is tried. A caller waits for the answer,
// so the delays are tens of milliseconds, not the SDK's seconds.
const (
	MaxAttempts = 6
	firstDelay  = 25 * time.Millisecond
	longDelay   = 500 * time.Millisecond
	callTimeout = 10 * time.Second // of one attempt
)

// Open returns a client configured from the AWS_* environment. It makes no
// call: the first one happens when a request needs it.
func Open(ctx context.Context) (*dynamodb.Client, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("dynamo: %w", err)
	}
	return New(cfg), nil
}

// New returns a client for a program that has read its configuration for other
// services, too. Like Open it makes no call.
func New(cfg aws.Config) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.Retryer = newRetryer()
		o.HTTPClient = http.NewBuildableClient().WithTimeout(callTimeout)
	})
}

// newRetryer retries what the SDK retries, and transactions that lost against
// another transaction on the same item, or were throttled: the SDK knows only
// calls that were throttled as a whole.
func newRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = MaxAttempts
		o.Backoff = retry.BackoffDelayerFunc(Backoff)
		o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			if Conflicted(err) || Passing(err) {
				return aws.TrueTernary
			}
			return aws.UnknownTernary
		}))
	})
}

// Backoff waits a random time up to 25, 50, 100 … 500 ms: full jitter, so that
// those who collided do not collide again. Who has heard nothing asks again at
// once: what was sent may have been done, and its WriteID fades (rows).
func Backoff(attempt int, err error) (time.Duration, error) {
	if _, unheard := errors.AsType[*smithyhttp.RequestSendError](err); unheard && attempt <= 1 {
		return 0, nil
	}
	return rand.N(min(firstDelay<<min(attempt, 10), longDelay) + 1), nil
}
