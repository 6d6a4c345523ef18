package bench

import (
	"net/http"
	"testing"

	"minicloud/infra/local/api"
)

// BenchmarkOrders creates orders of an end user: at a vendor of the local cloud, whose answer takes less than a
// millisecond. It takes ≤ 10 ms beside the vendor.
func BenchmarkOrders(b *testing.B) {
	p := start(b)
	// The default rate of a user ends the benchmark after 600 orders.
	p.call(b, "PUT", "/oserve/v1.8/application-setting/", object{"client_rate": object{"user": 1_000_000}}, nil)
	const key = "192006250b4c09247ec02edce69f6a2d"
	p.call(b, "PUT", "/_local/payments/tpay/m1/", object{"app_id": "wx1", "merchant_key": key}, nil)
	p.call(b, "PUT", "/oserve/v3/payment-setting/tpay/", object{"app_id": "wx1", "merchant_id": "m1", "merchant_key": key}, nil)
	anyone := http.Header{"X-Service-Client-Id": {p.Credentials.ClientID}}
	var made struct{ Token string }
	known := object{"username": "buyer", "password": "correct horse"}
	must(b, (&api.Client{Base: p.URL, Header: anyone}).Send(b.Context(), "POST", "/hserve/v2.1/register/username/", known, &made))
	own := &api.Client{Base: p.URL, Header: anyone.Clone()}
	own.Header.Set("Authorization", "Service-r1 "+made.Token)

	const orders = "/hserve/v2.2/idp/pay/order/"
	order := object{
		"gateway_type": "tpay_native", "total_cost": 398.5, "merchandise_description": "green tea",
		"merchandise_record_id": "5a33406909a805412e3169c3", "merchandise_snapshot": object{"price": 398.5},
	}
	b.Run("create", func(b *testing.B) {
		p.each(b, "order", func() { must(b, own.Send(b.Context(), "POST", orders, order, nil)) })
	})
	b.Run("list_own", func(b *testing.B) {
		p.each(b, "order", func() { must(b, own.Send(b.Context(), "GET", orders, nil, nil)) })
	})
}
