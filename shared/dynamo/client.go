// Package dynamo is what every store on DynamoDB is made of: the client with its retries, items, queries and batches.
// The stores are in the packages below it, one for each aggregate. A store translates and remembers; what its methods
// promise is documented on the domain's Store interface.
//
// Every table has a string partition key "pk", a string sort key "sk" and the TTL attribute "expires_at" (Unix
// seconds). DynamoDB sweeps expired items late, so stores and services compare with the clock when they read.
package dynamo

import (
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/retry"
)

// callTimeout is of one attempt of a call.
const callTimeout = 10 * time.Second

// New returns a client. It makes no call: the first one happens when a request needs it.
func New(cfg aws.Config) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.Retryer = newRetryer()
		o.HTTPClient = http.NewBuildableClient().WithTimeout(callTimeout)
	})
}

// newRetryer retries what the SDK retries, and transactions that lost against another transaction on the same item, or
// were throttled: the SDK knows only calls that were throttled as a whole.
func newRetryer() aws.Retryer {
	return Retryer(func(err error) bool { return Conflicted(err) || Passing(err) })
}

// NoConflictRetries makes a call return at once when it met another transaction on the same item, for callers with a
// policy of their own.
func NoConflictRetries(o *dynamodb.Options) {
	o.Retryer = Retryer(func(err error) bool { return !Conflicted(err) && Passing(err) })
}

// Retryer tries a call again, by retry.Calls, for what the SDK tries again, and transactions that were cancelled for
// what the caller lets pass.
func Retryer(passing func(error) bool) aws.Retryer {
	return awsretry.NewStandard(func(o *awsretry.StandardOptions) {
		o.MaxAttempts = retry.Calls.Tries
		o.Backoff = awsretry.BackoffDelayerFunc(backoff)
		o.Retryables = append([]awsretry.IsErrorRetryable{awsretry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			switch {
			case passing(err):
				return aws.TrueTernary
			case Conflicted(err):
				return aws.FalseTernary
			}
			return aws.UnknownTernary
		})}, o.Retryables...)
	})
}

// backoff is that of retry.Calls. A call whose answer was lost is sent again at once: it may have been done, and the
// item remembers only its last few WriteIDs.
func backoff(attempt int, err error) (time.Duration, error) {
	if _, unheard := errors.AsType[*smithyhttp.RequestSendError](err); unheard && attempt <= 1 {
		return 0, nil
	}
	return retry.Calls.Delay(attempt + 1), nil
}
