// Package bus puts events on the platform's event bus.
package bus

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"minicloud/shared/errs"
)

// Source is who puts events on the bus (G15).
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

// Put puts one event, whose detail is JSON, on the bus. errs.Unavailable when the bus has not accepted it: it answers
// 200 to calls of which an entry has failed.
func (b *Bus) Put(ctx context.Context, detailType string, detail []byte) error {
	out, err := b.Client.PutEvents(ctx, &eventbridge.PutEventsInput{Entries: []types.PutEventsRequestEntry{{
		EventBusName: &b.Name, Source: aws.String(Source), DetailType: &detailType, Detail: aws.String(string(detail)),
	}}})
	if err == nil && out.FailedEntryCount > 0 {
		err = fmt.Errorf("the bus refused it: %s", aws.ToString(out.Entries[0].ErrorCode))
	}
	if err != nil {
		return fmt.Errorf("put %s event: %w: %w", detailType, errs.Unavailable(1, "the platform is busy, try again"), err)
	}
	return nil
}
