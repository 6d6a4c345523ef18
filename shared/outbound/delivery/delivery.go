// Package delivery makes AWS calls that send something to people and must not be repeated.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"minicloud/shared/errs"
)

// timeout limits one call.
const timeout = 10 * time.Second

// Config returns a configuration without retries: the SDK would retry calls that may already have had their effect.
func Config(cfg aws.Config) aws.Config {
	cfg = cfg.Copy()
	cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	if cfg.HTTPClient == nil { // the simulation has one
		cfg.HTTPClient = awshttp.NewBuildableClient().WithTimeout(timeout)
	}
	return cfg
}

// later has the retryable error codes, in addition to those that the SDK treats as throttling.
var later = map[string]bool{"LimitExceededException": true, "SendingPausedException": true}

// Call makes a call, once. An errs.Error means that nothing was sent: errs.Invalid for a permanent refusal,
// errs.TooMany for a temporary one, errs.Unavailable if the service is unreachable or denies access. After any other
// error it is unknown whether the message was sent.
func Call(ctx context.Context, call func(ctx context.Context) error) error {
	if ctx.Err() != nil {
		return errs.Timeout("there was no time left to send it")
	}
	// Without a connection nothing was sent.
	var reached atomic.Bool
	err := call(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { reached.Store(true) },
	}))
	switch {
	case err == nil:
		return nil
	case !reached.Load():
		return fmt.Errorf("%w: %w", errs.Unavailable(0, "the service cannot be reached"), err)
	}

	answer, answered := errors.AsType[*smithyhttp.ResponseError](err)
	api, understood := errors.AsType[smithy.APIError](err)
	// A 5xx can follow after the service has acted: only a 4xx proves that it has not.
	if !answered || !understood || answer.HTTPStatusCode() < 400 || answer.HTTPStatusCode() >= 500 {
		return fmt.Errorf("send: %w", err)
	}
	return refusal(answer.HTTPStatusCode(), api)
}

func refusal(status int, api smithy.APIError) error {
	_, throttled := awsretry.DefaultThrottleErrorCodes[api.ErrorCode()]
	switch {
	case throttled, later[api.ErrorCode()], status == http.StatusTooManyRequests:
		return fmt.Errorf("%w: %w", errs.TooMany(0, "the service takes no more for now: %s", api.ErrorMessage()), api)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		// Access is the platform's fault: the owner of a trigger cannot correct it.
		return fmt.Errorf("%w: %w", errs.Unavailable(0, "the service does not let the platform in"), api)
	}
	return errs.Invalid("%s: %s", api.ErrorCode(), api.ErrorMessage())
}
