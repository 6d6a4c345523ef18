// Package dynamo keeps every domain's store on DynamoDB: one file per noun,
// named as in its domain. A store translates and remembers; what its methods
// promise is documented on the domain's Store interface.
//
// Every table has a string partition key "pk", a string sort key "sk" and the
// TTL attribute "expires_at" (Unix seconds). DynamoDB sweeps expired items
// late, so stores and services compare with the clock when they read.
package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/clock"
)

// How often and how patiently a call is tried. A caller waits for the answer,
// so the delays are tens of milliseconds, not the SDK's seconds.
const (
	maxAttempts = 6
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
		o.MaxAttempts = maxAttempts
		o.Backoff = retry.BackoffDelayerFunc(backoff)
		o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(func(err error) aws.Ternary {
			if conflicted(err) || passing(err) {
				return aws.TrueTernary
			}
			return aws.UnknownTernary
		}))
	})
}

// backoff waits a random time up to 25, 50, 100 … 500 ms: full jitter, so that
// those who collided do not collide again. Who has heard nothing asks again at
// once: what was sent may have been done, and a signature fades (rows).
func backoff(attempt int, err error) (time.Duration, error) {
	if _, unheard := errors.AsType[*smithyhttp.RequestSendError](err); unheard && attempt <= 1 {
		return 0, nil
	}
	return rand.N(min(firstDelay<<min(attempt, 10), longDelay) + 1), nil
}

// itemKey is the primary key of one item.
func itemKey(pk, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": text(pk), "sk": text(sk)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// instant is a time as an attribute: Unix seconds, which TTL needs.
func instant(t time.Time) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(t.Unix(), 10)}
}

// rest waits between two tries of a batch that was done in part, which DynamoDB
// does when it is throttled.
func rest(ctx context.Context, attempt int) error {
	delay, _ := backoff(attempt, nil) // never fails
	return clock.Sleep(ctx, delay)
}

type item = map[string]types.AttributeValue

// batchGet reads up to 100 items of one table consistently and in one call. It
// returns those that exist, by sort key. The keys must differ in theirs.
func batchGet(ctx context.Context, client *dynamodb.Client, table string, keys ...item) (map[string]item, error) {
	found := make(map[string]item, len(keys))
	request := map[string]types.KeysAndAttributes{table: {Keys: keys, ConsistentRead: aws.Bool(true)}}
	for attempt := range maxAttempts {
		out, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: request})
		if err != nil {
			return nil, err
		}
		for _, it := range out.Responses[table] {
			if sk, ok := it["sk"].(*types.AttributeValueMemberS); ok {
				found[sk.Value] = it
			}
		}
		if request = out.UnprocessedKeys; len(request) == 0 {
			return found, nil
		}
		if err := rest(ctx, attempt); err != nil {
			return nil, err
		}
	}
	return nil, errUnprocessed
}
