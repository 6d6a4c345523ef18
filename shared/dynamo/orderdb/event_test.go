package orderdb_test

import (
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/dynamo/orderdb"
	"minicloud/shared/order"
	"minicloud/shared/trigger"
)

// TestOnlyTheChangeToSuccessFires: later changes, such as a refund, fire no event.
func TestOnlyTheChangeToSuccessFires(t *testing.T) {
	image := func(status order.Status, refund order.Refund) map[string]events.DynamoDBAttributeValue {
		if status == "" {
			return nil
		}
		return map[string]events.DynamoDBAttributeValue{
			"id": events.NewNumberAttribute("15"), "gateway": events.NewStringAttribute("altpay_wap"),
			"status": events.NewStringAttribute(string(status)), "refund": events.NewStringAttribute(string(refund)),
			"trade_no": events.NewStringAttribute("T1"), "transaction_no": events.NewStringAttribute("N1"),
			"cents": events.NewNumberAttribute("150"), "created_at": events.NewNumberAttribute("1795262400"),
			"updated_at": events.NewNumberAttribute("1795262400"),
		}
	}
	for _, tt := range []struct {
		was, is           order.Status
		refunded, becomes order.Refund
		fires             bool
	}{
		{is: order.Pending}, {was: order.Pending, is: order.Failed}, {is: order.Success, fires: true},
		{was: order.Pending, is: order.Success, fires: true}, {was: order.Failed, is: order.Success, fires: true},
		{was: order.Pending, is: order.Success, becomes: order.RefundPartial, fires: true},
		{was: order.Success, is: order.Success, becomes: order.RefundFailed},
		{was: order.Success, is: order.Success, becomes: order.RefundPartial},
		{was: order.Success, is: order.Success, refunded: order.RefundPartial, becomes: order.RefundComplete},
		{was: order.Success, refunded: order.RefundComplete},
	} {
		e, fires, err := orderdb.PaymentEvent(t.Context(), events.DynamoDBEventRecord{Change: events.DynamoDBStreamRecord{
			OldImage: image(tt.was, tt.refunded), NewImage: image(tt.is, tt.becomes),
			ApproximateCreationDateTime: events.SecondsEpochTime{Time: time.Unix(1795262401, 0)},
			Keys: map[string]events.DynamoDBAttributeValue{
				"pk": events.NewStringAttribute("7.production#orders"), "sk": events.NewStringAttribute("order#0000000000000015"),
			},
		}})
		if err != nil || fires != tt.fires {
			t.Errorf("%+v: fires %v, %v", tt, fires, err)
		}
		if fires && (e.ID != "payment#15" || e.Type != trigger.TypeAltPay || e.Scope != shop || e.Subject != "T1") {
			t.Errorf("%+v: %+v", tt, e)
		}
	}
}
