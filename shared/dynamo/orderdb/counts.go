package orderdb

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// Collection names the counters of an environment's orders.
func Collection(scope tenant.Scope) count.Collection { return count.Collection(ordersPK(scope)) }

// kind encodes the attributes that counters distinguish: status, refund status and gateway, one letter each, then the
// table of the merchandise: "cam12".
func kind(status order.Status, refund order.Refund, gateway order.Gateway, schema int64) string {
	letters := counted.Letter(order.Statuses, status) + counted.Letter(order.Refunds, refund) +
		counted.Letter(order.Gateways, gateway)
	if schema == 0 {
		return letters
	}
	return letters + strconv.FormatInt(schema, 10)
}

// selects returns the predicate of the kinds that pass the filter, nil for all.
func selects(f order.Filter) func(kind string) bool {
	if !selective(f) {
		return nil
	}
	return func(kind string) bool {
		return len(kind) >= 3 && (f.Status == "" || kind[:1] == counted.Letter(order.Statuses, f.Status)) &&
			(f.Refund == nil || kind[1:2] == counted.Letter(order.Refunds, *f.Refund)) &&
			(f.Gateway == "" || kind[2:3] == counted.Letter(order.Gateways, f.Gateway)) &&
			(f.MerchandiseSchema == 0 || kind[3:] == strconv.FormatInt(f.MerchandiseSchema, 10))
	}
}

// selective reports whether the filter excludes some orders by a counted attribute.
func selective(f order.Filter) bool {
	return f.Status != "" || f.Refund != nil || f.Gateway != "" || f.MerchandiseSchema != 0
}

// Change converts a record of the orders' stream into a change of the counters: for a new order, a deleted one, or one
// whose kind changed.
func Change(record events.DynamoDBEventRecord) (count.Change, error) {
	change, sk, err := counted.Change(record)
	digits, isOrder := strings.CutPrefix(sk, orderPrefix)
	if err != nil || !isOrder {
		return change, err
	}

	n, _ := strconv.ParseInt(digits, 10, 64) // 0 is not an id
	was, isNow := kindOf(record.Change.OldImage), kindOf(record.Change.NewImage)
	if n <= 0 || was == "" && isNow == "" {
		return count.Change{}, fmt.Errorf("record %s: %q is no order", record.EventID, sk)
	}
	change.ID = id.ID(n)
	switch {
	case was == "":
		change.Kind, change.By = isNow, 1
	case isNow == "":
		change.Kind, change.By = was, -1
	case was != isNow:
		change.Was, change.Kind = was, isNow
	}
	return change, nil
}

// kindOf returns the kind of an order in a stream image, "" if the image has no order.
func kindOf(image map[string]events.DynamoDBAttributeValue) string {
	it := dynamo.Image(image)
	status, refund := order.Status(dynamo.TextOf(it["status"])), order.Refund(dynamo.TextOf(it["refund"]))
	gateway := order.Gateway(dynamo.TextOf(it["gateway"]))
	if !slices.Contains(order.Statuses, status) || !slices.Contains(order.Refunds, refund) ||
		!slices.Contains(order.Gateways, gateway) {
		return ""
	}
	return kind(status, refund, gateway, dynamo.IntegerOf(it["merchandise_schema"]))
}

// Has implements books.Base.
func (s *Store) Has(c count.Collection) bool { return strings.HasSuffix(string(c), "#orders") }

// Collections implements books.Base.
func (s *Store) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return counted.Collections(ctx, s.Client, s.Table, yield)
}

// Records implements books.Base.
func (s *Store) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	in := dynamo.Query(s.Table, string(c), orderSK(from), orderSK(to), false, 0)
	dynamo.Project(in, "id", "status", "refund", "gateway", "merchandise_schema")
	for it, err := range dynamo.Items(ctx, s.Client, in) {
		if err != nil {
			return err
		}
		if n := id.ID(dynamo.IntegerOf(it["id"])); n < to {
			yield(n, kind(order.Status(dynamo.TextOf(it["status"])), order.Refund(dynamo.TextOf(it["refund"])),
				order.Gateway(dynamo.TextOf(it["gateway"])), dynamo.IntegerOf(it["merchandise_schema"])))
		}
	}
	return nil
}
