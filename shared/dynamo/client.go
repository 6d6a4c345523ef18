// Package dynamo is the common base of all stores on DynamoDB: the client with its retries, items, queries and batches.
// The stores are in the packages below it, one per aggregate. A store translates and stores; the contract of its
// methods is documented on the domain's Store interface.
//
// Every table has a string partition key "pk", a string sort key "sk" and the TTL attribute "expires_at" (Unix
// seconds). DynamoDB deletes expired items late, so stores and services also compare expires_at with the clock.
package dynamo

import (
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/dynamo/call"
	"minicloud/shared/retry"
)

// Client is the client of the SDK; stores hold it and need no other name of its package.
type Client = dynamodb.Client

// callTimeout limits one attempt of a call.
const callTimeout = 10 * time.Second

// New returns a client that refuses items of a newer release. It makes no network call.
func New(cfg aws.Config) *Client {
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.Retryer = newRetryer()
		if cfg.HTTPClient == nil { // the simulation has one
			o.HTTPClient = call.NewClient(callTimeout)
		}
		o.HTTPSignerV4 = new(call.Signer)
		o.APIOptions = append(o.APIOptions, refuseNewer, call.Trim)
	})
}

// newRetryer returns a Retryer that also retries transactions that conflicted with another transaction or were
// throttled: the SDK retries only calls that were throttled as a whole.
func newRetryer() aws.Retryer {
	return Retryer(func(err error) bool { return Conflicted(err) || Passing(err) })
}

// NoConflictRetries makes a call return a transaction conflict at once, for callers that have their own retry policy.
func NoConflictRetries(o *dynamodb.Options) {
	o.Retryer = Retryer(func(err error) bool { return !Conflicted(err) && Passing(err) })
}

// Retryer returns a retryer with the policy retry.Calls. It retries the errors that the SDK retries, except conflicts,
// and all errors for which passing returns true.
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

// backoff is the delay of retry.Calls, but a call whose answer was lost is retried at once: the call may have
// succeeded, and the item keeps only its last few WriteIDs.
func backoff(attempt int, err error) (time.Duration, error) {
	if _, unheard := errors.AsType[*smithyhttp.RequestSendError](err); unheard && attempt <= 1 {
		return 0, nil
	}
	return retry.Calls.Delay(attempt + 1), nil
}
