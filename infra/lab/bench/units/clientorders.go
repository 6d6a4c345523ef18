package units

import (
	"context"
	"fmt"
	"net/http"

	"minicloud/infra/local/api"
)

// clientOrders returns the requests of an end user for orders at a vendor of the local cloud, whose own calls cost nothing
// here. The user has as many orders as others have.
func (b *Bench) clientOrders(ctx context.Context, user *api.Client) ([]Request, error) {
	const orders, key = "/hserve/v2.2/idp/pay/order/", "192006250b4c09247ec02edce69f6a2d"
	setting := `{"app_id":"wx1","merchant_id":"m1","merchant_key":"` + key + `"}`
	if _, err := b.client.Call(ctx, "PUT", "/oserve/v3/payment-setting/tpay/", setting); err != nil {
		return nil, err
	}
	merchant := map[string]any{"app_id": "wx1", "merchant_key": key}
	if err := (&api.Client{Base: b.cloud.URL}).Send(ctx, "PUT", "/_local/payments/tpay/m1/", merchant, nil); err != nil {
		return nil, err
	}

	var made struct {
		No string `json:"transaction_no"`
	}
	create := func(record any) func(context.Context) error {
		return func(ctx context.Context) error {
			return user.Send(ctx, http.MethodPost, orders, map[string]any{
				"gateway_type": "tpay_native", "total_cost": 398.5, "merchandise_description": "green tea",
				"merchandise_schema_id": 12, "merchandise_record_id": record, "merchandise_snapshot": map[string]any{"price": 398.5},
			}, &made)
		}
	}
	for range history {
		if err := create("5a33406909a805412e3169c3")(ctx); err != nil {
			return nil, err
		}
	}
	return []Request{
		{Name: "own orders, first page", send: as(user, "GET", orders, nil)},
		{Name: "own orders, first page of a status", send: as(user, "GET", orders+"?status=pending", nil)},
		{Name: "own order read", send: as(user, "GET", fmt.Sprintf("%s%s/", orders, made.No), nil)},
		{Name: "own order, created", send: create("5a33406909a805412e3169c3")},
		{Name: "own order, created, of no row", send: create(nil)},
	}, nil
}
