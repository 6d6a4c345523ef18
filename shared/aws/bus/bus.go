// Package bus puts events on the platform's EventBridge bus.
package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"minicloud/shared/errs"
	"minicloud/shared/retry"
)

// Source is the source of every event that the platform puts on the bus (G15).
const Source = "minicloud"

// Payment is the detail type of payments (D41).
const Payment = "payment"

// Putter is the part of the EventBridge client this package uses.
type Putter interface {
	PutEvents(ctx context.Context, in *eventbridge.PutEventsInput, options ...func(*eventbridge.Options)) (
		*eventbridge.PutEventsOutput, error)
}

// Bus is one event bus.
type Bus struct {
	Client Putter
	Name   string
}

// Put puts one event on the bus; detail is JSON. It returns errs.Unavailable if the bus does not accept the event. A
// call whose entry failed still answers 200, so the SDK does not repeat it, and Put does.
func (b *Bus) Put(ctx context.Context, detailType string, detail []byte) error {
	in := &eventbridge.PutEventsInput{Entries: []types.PutEventsRequestEntry{{
		EventBusName: &b.Name, Source: aws.String(Source), DetailType: &detailType, Detail: aws.String(string(detail)),
	}}}
	left := func(err error) bool { return errors.Is(err, errLeft) }
	err := retry.Calls.Do(ctx, left, func(int) error {
		out, err := b.Client.PutEvents(ctx, in)
		if err == nil && out.FailedEntryCount > 0 {
			err = fmt.Errorf("%w: %s", errLeft, aws.ToString(out.Entries[0].ErrorCode))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("put %s event: %w: %w", detailType, errs.Unavailable(1, "the platform is busy, try again"), err)
	}
	return nil
}

// errLeft means that the bus did not take an entry.
var errLeft = errors.New("the bus refused it")
