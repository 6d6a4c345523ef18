// Package delivery makes calls to AWS that must not be made twice: each sends something to people.
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

// timeout is of one call.
const timeout = 10 * time.Second

// Config is for clients of such calls: the SDK by itself would try again what may have had its effect.
func Config(cfg aws.Config) aws.Config {
	cfg = cfg.Copy()
	cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
	cfg.HTTPClient = awshttp.NewBuildableClient().WithTimeout(timeout)
	return cfg
}

// later are refusals that pass, beside those that the SDK takes for throttling.
var later = map[string]bool{"LimitExceededException": true, "SendingPausedException": true}

// Call makes a call, once. An errs.Error says that nothing was sent: errs.Invalid that the service refuses it for
// good, errs.TooMany that it does so now, errs.Unavailable that it cannot be reached or does not let us in. Of any
// other error nobody knows whether it was sent.
func Call(ctx context.Context, call func(ctx context.Context) error) error {
	if ctx.Err() != nil {
		return errs.Timeout("there was no time left to send it")
	}
	// Without a connection nothing can have been sent.
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
	// A 5xx may come after the service has acted: only a 4xx says that it has not.
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
		// Ours: the owner of a trigger can do nothing about it.
		return fmt.Errorf("%w: %w", errs.Unavailable(0, "the service does not let the platform in"), api)
	}
	return errs.Invalid("%s: %s", api.ErrorCode(), api.ErrorMessage())
}
