package orderdb

import (
	"context"
	"fmt"
	"strings"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/trigger"
)

// PaymentEvent converts a record of the orders' stream into a payment event; ok is false unless the record changes an
// order to success. That happens once per order, so the event's id contains the order's id. It returns errs.Invalid for an
// unreadable record.
func PaymentEvent(_ context.Context, record dynamo.Record) (e trigger.Event, ok bool, err error) {
	old, next := dynamo.Image(record.Change.OldImage), dynamo.Image(record.Change.NewImage)
	key := dynamo.Image(record.Change.Keys)
	if !strings.HasPrefix(dynamo.TextOf(key["sk"]), orderPrefix) ||
		dynamo.TextOf(next["status"]) != string(order.Success) || dynamo.TextOf(old["status"]) == string(order.Success) {
		return e, false, nil
	}

	o, err := decodeOrder(next)
	if err != nil {
		return e, false, errs.Invalid("record %s: %v", record.EventID, err)
	}
	scope, err := dynamo.ScopeOf(dynamo.TextOf(key["pk"]))
	if err != nil {
		return e, false, errs.Invalid("record %s: %v", record.EventID, err)
	}
	at := record.Change.ApproximateCreationDateTime.UTC()
	e, ok = trigger.PaymentEvent(scope, fmt.Sprintf("payment#%d", o.ID), at, o.Payload(scope))
	return e, ok, nil
}
