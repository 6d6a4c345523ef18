package orderdb

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/order"
	"minicloud/shared/tenant"
)

// Collection names the counters of an environment's orders.
func Collection(scope tenant.Scope) count.Collection { return count.Collection(ordersPK(scope)) }

// kind is what lists filter orders by: status, refund status and gateway, one letter each, and the table of what was
// bought behind them: "cam12".
func kind(status order.Status, refund order.Refund, gateway order.Gateway, schema int64) string {
	letters := []byte{letter(order.Statuses, status), letter(order.Refunds, refund), letter(order.Gateways, gateway)}
	if schema == 0 {
		return string(letters)
	}
	return string(letters) + strconv.FormatInt(schema, 10)
}

func letter[T comparable](words []T, word T) byte { return 'a' + byte(slices.Index(words, word)) }

// selects returns which kinds pass the filter, nil for all.
func selects(f order.Filter) func(kind string) bool {
	if !selective(f) {
		return nil
	}
	return func(kind string) bool {
		return len(kind) >= 3 && (f.Status == "" || kind[0] == letter(order.Statuses, f.Status)) &&
			(f.Refund == nil || kind[1] == letter(order.Refunds, *f.Refund)) &&
			(f.Gateway == "" || kind[2] == letter(order.Gateways, f.Gateway)) &&
			(f.MerchandiseSchema == 0 || kind[3:] == strconv.FormatInt(f.MerchandiseSchema, 10))
	}
}

// selective reports whether orders have to be looked through for those that pass the filter.
func selective(f order.Filter) bool {
	return f.Status != "" || f.Refund != nil || f.Gateway != "" || f.MerchandiseSchema != 0
}

// Change returns the change of a counter by a record of the orders' stream: of a new order, or one whose kind changed.
func Change(record events.DynamoDBEventRecord) (count.Change, error) {
	pk, sk := record.Change.Keys["pk"], record.Change.Keys["sk"]
	if pk.DataType() != events.DataTypeString || sk.DataType() != events.DataTypeString {
		return count.Change{}, fmt.Errorf("record %s: its keys are no strings", record.EventID)
	}
	change := count.Change{
		Sequence: count.Sequence(record.Change.SequenceNumber), Collection: count.Collection(pk.String()),
	}
	digits, isOrder := strings.CutPrefix(sk.String(), orderPrefix)
	if !isOrder {
		return change, nil
	}

	n, _ := strconv.ParseInt(digits, 10, 64) // 0 is no id
	was, isNow := kindOf(record.Change.OldImage), kindOf(record.Change.NewImage)
	if n <= 0 || was == "" && isNow == "" {
		return count.Change{}, fmt.Errorf("record %s: %q is no order", record.EventID, sk.String())
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

// kindOf is the kind of an order as the stream shows it, "" for one that is not there.
func kindOf(image map[string]events.DynamoDBAttributeValue) string {
	word := func(name string) string {
		if av := image[name]; av.DataType() == events.DataTypeString {
			return av.String()
		}
		return ""
	}
	status, refund, gateway := order.Status(word("status")), order.Refund(word("refund")), order.Gateway(word("gateway"))
	if !slices.Contains(order.Statuses, status) || !slices.Contains(order.Refunds, refund) ||
		!slices.Contains(order.Gateways, gateway) {
		return ""
	}

	schema := int64(0)
	if av := image["merchandise_schema"]; av.DataType() == events.DataTypeNumber {
		schema, _ = strconv.ParseInt(av.Number(), 10, 64)
	}
	return kind(status, refund, gateway, schema)
}

var _ count.Base = (*Store)(nil)

// Has implements count.Base.
func (s *Store) Has(c count.Collection) bool { return strings.HasSuffix(string(c), "#orders") }

// Collections implements count.Base.
func (s *Store) Collections(ctx context.Context, yield func(count.Collection) error) error {
	return dynamo.EachPartition(ctx, s.Client, s.Table, func(pk string) error {
		if c := count.Collection(pk); s.Has(c) {
			return yield(c)
		}
		return nil
	})
}

// Records implements count.Base.
func (s *Store) Records(ctx context.Context, c count.Collection, from, to id.ID, yield func(id.ID, string)) error {
	in := dynamo.Query(s.Table, string(c), orderSK(from), orderSK(to), false, 0)
	in.ProjectionExpression = aws.String("id, #status, refund, gateway, merchandise_schema")
	in.ExpressionAttributeNames = map[string]string{"#status": "status"}

	return dynamo.EachItem(ctx, s.Client, in, func(it dynamo.Item) error {
		if n := id.ID(dynamo.IntegerOf(it["id"])); n < to {
			yield(n, kind(order.Status(dynamo.TextOf(it["status"])), order.Refund(dynamo.TextOf(it["refund"])),
				order.Gateway(dynamo.TextOf(it["gateway"])), dynamo.IntegerOf(it["merchandise_schema"])))
		}
		return nil
	})
}
